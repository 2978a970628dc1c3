/** Orders over undici's pool, with JSON.parse and without validation: `rest-limit.ts <url> <bytes> <seconds>`. */
import { Pool } from 'undici';
import { callsPerSecond } from './consumer-calls.ts';

const [, , url = '', bytes = '', seconds = ''] = process.argv;
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: 100 });
const authorization = `Basic ${Buffer.from('bench:bench').toString('base64')}`;
const rate = await callsPerSecond({ bytes: Number(bytes), seconds: Number(seconds) }, async () => {
  const { body, statusCode } = await pool.request({
    method: 'GET',
    path: `${pathname}/orders/${encodeURIComponent('4711')}?detail=${encodeURIComponent('all')}`,
    headers: { Accept: 'application/json', Authorization: authorization },
  });
  if (statusCode !== 200) throw new Error(`not a success: ${statusCode}`);
  return (JSON.parse(await body.text()) as { line: unknown }).line;
});
console.log(rate);
await pool.destroy();
