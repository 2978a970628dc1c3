/** Calls a target, and prints the calls a second: `consumer-ours.ts <url> <bytes> <seconds> <spool folder>`. */
import { asConsumer, createClient } from '../../../src/invoke/index.ts';
import { createSpool } from '../../../src/store/index.ts';
import { benchRegistry } from './bench-project.ts';
import { callsPerSecond } from './consumer-calls.ts';
import { echoValue } from './echo-data.ts';

const [, , url = '', bytes = '', seconds = '', folder = ''] = process.argv;
const registry = benchRegistry();
const client = createClient(registry, { env: { PARTNER_URL: url }, spool: createSpool({ folder }) });
const value = echoValue(Number(bytes));
const echo = asConsumer(registry.operations.get('ECHO')!, registry.nodes.get('PARTNER')!, value);
const rate = await callsPerSecond({ bytes: Number(bytes), seconds: Number(seconds) }, async () => {
  const reply = await client.call(echo, value);
  return reply.value.line;
});
console.log(rate);
await client.close();
