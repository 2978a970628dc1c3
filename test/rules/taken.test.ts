import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';

// A request without a reply that was sent whole, and got a status of success, was taken, whatever the body is: in whatever role it
// is sent, it is not sent again.

const FILES = {
  'definitions/taken.yaml': `queue: NEWS
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
permission: EVERYTHING
target: PARTNER
operations:
  NOTIFY: { soap: true, request: { fields: { NAME: string } } }
---
subscription: NEWS_OUT
operation: PUBLISH
call: NOTIFY
retry: { attempts: 3, first: 1 ms, longest: 1 ms }
---
process: SEND
type: Extract
permission: EVERYTHING
parameters: { NAME: { type: string, required: true } }
retry: { attempts: 3, first: 1 ms, longest: 1 ms }
---
service: Roles.v1
permission: EVERYTHING
request: { fields: { NAME: { type: string, required: true } } }
operations:
  HANDLER: { post: handler, response: text }
  RELAY: { post: relay, call: NOTIFY }
  PUBLISH: { post: delivery, queue: NEWS }
  START: { post: process, response: text }
`,
  'src/handlers/handler.ts': `export default {
  async onRequest({ NAME }, context) {
    await context.call('NOTIFY', { NAME });
    return 'sent';
  },
};
`,
  'src/handlers/start.ts': `export default {
  async onRequest({ NAME }, context) {
    await context.transaction((tx) => tx.schedule('SEND', { NAME }));
    return 'scheduled';
  },
};
`,
  'src/handlers/send.ts': `export default {
  async run({ NAME }, context) {
    await context.call('NOTIFY', { NAME });
    await context.complete(async () => {});
  },
};
`,
};

let partner: Server;
let gateway: TestGateway;
let answer = '';
const names: string[] = [];
beforeAll(async () => {
  partner = createServer((socket) => {
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const name = /<NAME>(.*?)<\/NAME>.*Envelope>/s.exec(received)?.[1];
      if (name === undefined) return;
      received = '';
      names.push(name);
      socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
  gateway = await startTestGateway({ files: FILES, env: { PARTNER_URL: url } });
});
afterAll(async () => {
  await gateway?.stop();
  partner.close();
});
beforeEach(() => names.splice(0));

const reply = (type: string, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const ask = (role: string, NAME: string) =>
  gateway.call(`/gateway/RESTListeningConnector/Roles.v1/${role}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ NAME }),
  });

/** Until no work is left: what would be sent again is sent. */
async function settled(): Promise<void> {
  const { background } = gateway.gateway;
  await eventually('the end of all work', async () => {
    await background.hurry();
    const depths = await background.depths();
    return depths.every(({ waiting, delayed, running }) => waiting + delayed + running === 0) || undefined;
  });
}

describe.each(['handler', 'relay', 'delivery', 'process'])('in the role %s', (role) => {
  it.each([
    ['a text', reply('text/plain', 'OK')],
    ['XML that is no envelope', reply('text/xml', '<ok/>')],
    ['an empty line as XML', reply('text/xml', '\r\n')],
    ['nothing', 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'],
    ['an interim reply before it', `HTTP/1.1 100 Continue\r\n\r\n${reply('text/plain', 'OK')}`],
  ])('%s is enough', async (what, bytes) => {
    answer = bytes;
    const name = `${role}-${what.replaceAll(' ', '-')}`;
    const { status, text } = await ask(role, name);
    expect(status, text).toBeLessThan(300);
    await eventually('the request', () => (names.includes(name) ? true : undefined));
    await settled();
    expect(names).toEqual([name]);
  });
});
