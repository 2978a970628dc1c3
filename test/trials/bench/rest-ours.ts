/** The same calls by a consumer operation: `rest-ours.ts <url> <bytes> <seconds> <spool folder>`. */
import { createClient } from '../../../src/invoke/index.ts';
import { createSpool } from '../../../src/store/index.ts';
import { benchRegistry } from './bench-project.ts';
import { callsPerSecond } from './consumer-calls.ts';

const [, , url = '', bytes = '', seconds = '', folder = ''] = process.argv;
const client = createClient(benchRegistry(), { env: { PARTNER_URL: url }, spool: createSpool({ folder }) });
const credential = { user: 'bench', password: 'bench' };
const rate = await callsPerSecond({ bytes: Number(bytes), seconds: Number(seconds) }, async () => {
  const { value } = await client.call('ORDER_GET', { NUMBER: 4711, detail: 'all' }, { credential });
  return value.line;
});
console.log(rate);
await client.close();
