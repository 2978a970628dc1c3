/** A file over undici's pool, in pieces of 1 MiB: `upload-limit.ts <url> <file>`. Prints MiB a second. */
import { createReadStream, statSync } from 'node:fs';
import { Pool } from 'undici';

const [, , url = '', file = ''] = process.argv;
const pool = new Pool(url);
const { size } = statSync(file);
const start = performance.now();
const { body, statusCode } = await pool.request({
  method: 'PUT',
  path: '/limit',
  headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) },
  body: createReadStream(file, { highWaterMark: 1_048_576 }),
});
await body.dump();
if (statusCode !== 200) throw new Error(`not a success: ${statusCode}`);
console.log(size / 1_048_576 / ((performance.now() - start) / 1000));
await pool.destroy();
