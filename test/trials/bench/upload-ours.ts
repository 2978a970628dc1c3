/** The same file by a consumer operation: `upload-ours.ts <url> <file> <spool folder>`. Prints MiB a second. */
import { createClient } from '../../../src/invoke/index.ts';
import { createSpool, fileAttachment } from '../../../src/store/index.ts';
import { benchRegistry } from './bench-project.ts';

const [, , url = '', file = '', folder = ''] = process.argv;
const client = createClient(benchRegistry(), { env: { PARTNER_URL: url }, spool: createSpool({ folder }) });
const content = await fileAttachment(file);
const start = performance.now();
await client.call('FILE_UPLOAD', { name: 'ours', content });
console.log((content.length ?? 0) / 1_048_576 / ((performance.now() - start) / 1000));
await client.close();
