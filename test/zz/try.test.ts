import { it } from 'vitest';
import { writeHeapSnapshot } from 'node:v8';
import { startTestGateway } from '../support/gateway.ts';
import { inUse } from '../support/memory.ts';
import { soapProject } from '../serve/soap-project.ts';
import * as C from '../serve/soap-client.ts';
it('x', async () => {
  const g = await startTestGateway({ files: soapProject('limits: { body: 128 MiB }') });
  await C.callSoap(g, 'ECHO', '<S>a</S>');
  const before = inUse();
  const MiB = 1024 * 1024;
  const piece = Buffer.alloc(MiB, 'x');
  let sent = 0;
  const body = async function* () {
    yield Buffer.from(`<s:Envelope xmlns:s="${C.SOAP_11}"><s:Body><ECHO xmlns="urn:test:Soap.v1"><T>`);
    for (; sent < 100; sent++) yield piece;
    yield Buffer.from('</T></ECHO></s:Body></s:Envelope>');
  };
  const r = await C.send(g, { body: body(), headers: { 'content-type': C.TYPES['1.1'] } });
  console.log(r.status, sent, (inUse() - before) / MiB, process.memoryUsage());
  for (let i = 0; i < 5; i++) {
    await new Promise((s) => setTimeout(s, 300));
    console.log(sent, (inUse() - before) / MiB);
  }
  await C.callSoap(g, 'ECHO', '<S>a</S>');
  console.log(sent, (inUse() - before) / MiB);
  await g.stop();
  console.log(sent, (inUse() - before) / MiB);
}, 60000);
