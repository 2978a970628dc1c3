/** The same calls with the client of the `soap` package: `consumer-limit.ts <url> <bytes> <seconds> <wsdl>`. */
import { Agent } from 'node:http';
import { createClientAsync } from 'soap';
import { callsPerSecond } from './consumer-calls.ts';
import { echoValue } from './echo-data.ts';

const [, , url = '', bytes = '', seconds = '', wsdl = ''] = process.argv;
const client = await createClientAsync(wsdl, undefined, url);
const httpAgent = new Agent({ keepAlive: true });
const value = echoValue(Number(bytes));
const rate = await callsPerSecond({ bytes: Number(bytes), seconds: Number(seconds) }, async () => {
  const [reply] = await client.ECHOAsync(value, { httpAgent });
  return reply.line;
});
console.log(rate);
httpAgent.destroy();
