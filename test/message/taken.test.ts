import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USERS } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages } from './project.ts';

const FILES = {
  'definitions/users.yaml': USERS,
  'definitions/data/0001.sql': 'select 1;\n',
  'definitions/taken.yaml': `queue: NEWS
---
node: PARTNER
base: \${env:PARTNER_URL}
timeouts: { head: 300 ms }
retry: 1
---
service: News.v1
permission: EVERYTHING
operations:
  REST_NEWS: { post: rest, request: { fields: { NAME: { type: string, required: true } } }, queue: NEWS }
  SOAP_NEWS: { post: soap, request: { fields: { NAME: { type: string, required: true } } }, queue: NEWS }
---
service: Partner.v1
permission: EVERYTHING
target: PARTNER
operations:
  PUT_NEWS: { post: "news/{NAME}", request: { fields: { NAME: string } }, response: { fields: { ID: integer } } }
  SEND_NEWS: { soap: true, request: { fields: { NAME: string } } }
---
subscription: BY_REST
operation: REST_NEWS
call: PUT_NEWS
retry: { for: 1 h, first: 1 ms, longest: 1 ms }
---
subscription: BY_SOAP
operation: SOAP_NEWS
call: SEND_NEWS
retry: { for: 1 h, first: 1 ms, longest: 1 ms }
`,
};

interface Partner {
  readonly url: string;
  /** The packets of the next replies; `cut` closes the connection after them. */
  replies: (string | undefined)[];
  readonly requests: string[];
  readonly stop: () => void;
}

/** A partner that answers with raw bytes: `undefined` for no answer at all, and the end of the connection after `!`. */
async function partner(): Promise<Partner> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      const head = request.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0);
      if (head === -1 || request.length < head + 4 + length) return;
      made.requests.push(request);
      request = '';
      const reply = made.replies.length > 1 ? made.replies.shift() : made.replies[0];
      if (reply?.endsWith('!') === true) socket.end(reply.slice(0, -1));
      else if (reply !== undefined) socket.write(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made: Partner = { url, replies: [], requests: [], stop: () => void server.close() };
  return made;
}

const reply = (type: string, body: string, status = '200 OK', more = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const FAULT =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault></e:Body></e:Envelope>';

describe.each(ENGINES)('a message that was sent to its end on %s', (kind) => {
  let box: MessageGateway;
  let target: Partner;

  beforeAll(async () => {
    target = await partner();
    box = await startMessages(kind, FILES, { PARTNER_URL: target.url });
  });
  afterAll(async () => {
    await box?.stop();
    target?.stop();
  });

  const send = async (over: string, replies: Partner['replies'], status = 'Done') => {
    target.replies = [...replies];
    target.requests.length = 0;
    const id = await box.publish(`News.v1/${over}`, { NAME: 'one' });
    const delivery = await box.delivered(id, `BY_${over.toUpperCase()}`, status);
    const attempts = await box.rows(
      `select code, reason, began, ended from signalbox_delivery_attempt where delivery = '${String(delivery.id)}' order by number`,
    );
    return { delivery, attempts, requests: [...target.requests] };
  };

  it.each([
    ['OK', reply('text/plain', 'OK')],
    ['XML that is no envelope', reply('text/xml', '<ok/>')],
    ['an empty line as XML', reply('text/xml', '\r\n')],
    ['another charset', reply('text/xml; charset=EBCDIC-XY', '<ok/>')],
    ['a page', reply('text/html', '<p>Thanks', '202 Accepted')],
    ['a broken body', reply('application/json', '{"ID":')],
    ['a body that ends early', 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{!'],
    ['an interim reply before', `HTTP/1.1 100 Continue\r\n\r\n${reply('text/xml', '<ok/>')}`],
  ])('is delivered with a success status, whatever follows: %s', async (_, answer) => {
    for (const over of ['rest', 'soap']) {
      const { attempts, requests } = await send(over, [answer]);
      expect(requests).toHaveLength(1);
      expect(attempts).toEqual([expect.objectContaining({ code: Number(/ (2\d\d) /.exec(answer)?.[1]) })]);
      const [{ reason } = { reason: undefined }] = attempts;
      if (over === 'rest') expect(reason).toMatch(/^taken: PUT_NEWS: /);
    }
  });

  it('fails by a fault, also with a success status', async () => {
    const { delivery, requests } = await send('soap', [reply('text/xml', FAULT)], 'Error');
    expect(requests).toHaveLength(1);
    expect(delivery.reason).toContain('no');
  });

  it('is sent again with the same id when no status came, which its attempt calls uncertain', async () => {
    for (const over of ['rest', 'soap']) {
      const { attempts, requests } = await send(over, ['!', undefined, reply('text/plain', 'OK')]);
      expect(attempts.map(({ reason }) => String(reason).split(':', 1)[0])).toEqual([
        'uncertain',
        'uncertain',
        over === 'rest' ? 'taken' : expect.anything(),
      ]);
      const ids = requests.map((request) => /^idempotency-key: (.*)$/im.exec(request)?.[1]);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^"[\da-f-]{36}"\r?$/);
    }
  });

  it.each([
    ['seconds', () => '1', (_: string, began: number) => began + 1000],
    ['a date', () => new Date(Date.now() + 2000).toUTCString(), (date: string) => Date.parse(date)],
  ])('is not sent again before the target asks for it, in %s', async (_, asked, earliest) => {
    for (const status of ['429 Too Many Requests', '503 Service Unavailable']) {
      const value = asked();
      const busy = reply('text/plain', 'busy', status, `Retry-After: ${value}\r\n`);
      const { attempts } = await send('rest', [busy, reply('application/json', '{"ID":1}')]);
      const [first, second] = attempts;
      const [, until = ''] = /; the target asks to wait until (.*Z) \(Retry-After\)$/.exec(String(first?.reason)) ?? [];
      expect(Date.parse(until)).toBeGreaterThanOrEqual(earliest(value, Number(first?.began)));
      expect(Number(second?.began)).toBeGreaterThanOrEqual(Date.parse(until));
    }
  });
});
