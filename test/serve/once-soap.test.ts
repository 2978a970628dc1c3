import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayGateway, startPay } from './once-project.ts';
import { envelope, HTTP, post, SERVICES, type SoapReply, send, TYPES, type Version } from './soap-client.ts';

const WSA = 'http://www.w3.org/2005/08/addressing';
const WSA_2004 = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';

describe('calls that are answered once, over SOAP', () => {
  let box: PayGateway;
  let last = 0;

  beforeAll(async () => {
    box = await startPay('sqlite');
  });
  afterAll(() => box.stop());

  const fresh = (): string => `s${++last}`;
  const body = (operation: string, kind: string, amount = 1): string =>
    `<${operation} xmlns="urn:test:Pay.v1"><KIND>${kind}</KIND><AMOUNT>${amount}</AMOUNT></${operation}>`;
  const named = (id: string, namespace = WSA): string =>
    `<a:MessageID xmlns:a="${namespace}">urn:uuid:${id}</a:MessageID>`;
  const pay = (kind: string, id: string, version: Version = '1.1', amount = 1): Promise<SoapReply> =>
    post(box, envelope(body('PAY', kind, amount), version, named(id)), version);
  const runs = async (of: string): Promise<number> =>
    JSON.parse((await box.call(`/gateway/RESTListeningConnector/Pay.v1/runs/${of}`)).text).RUN;

  it.each([
    '1.1',
    '1.2',
  ] as const)('gives a message with the same MessageID the first answer, in SOAP %s', async (version) => {
    const id = fresh();
    const [first, again] = [await pay(id, id, version), await pay(id, id, version)];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true']);
    expect(await runs(id)).toBe(1);
  });

  it('reads the MessageID of WS-Addressing of 2004 too, and the header Idempotency-Key before it', async () => {
    const id = fresh();
    const message = (header: string): string => envelope(body('PAY', id), '1.1', header);
    await post(box, message(named(id, WSA_2004)));
    await post(box, message(named(id)));
    expect(await runs(id)).toBe(1);
    const headers = { 'idempotency-key': `${id}-key` };
    for (const other of ['a', 'b']) await post(box, message(named(`${id}${other}`)), '1.1', headers);
    expect(await runs(id)).toBe(2);
  });

  it('compares documents, so that a message may be sent again with other headers or white space', async () => {
    const id = fresh();
    const first = await pay(id, id);
    const other = `<Later xmlns="urn:x">2</Later>${named(id)}`;
    const again = await post(box, envelope(`\n${body('PAY', id).replaceAll('><', '>\n<')}\n`, '1.1', other));
    expect(again.text).toBe(first.text);
  });

  it('refuses the same MessageID with another document, as an error of the sender', async () => {
    const id = fresh();
    await pay(id, id);
    const reply = await pay(id, id, '1.1', 2);
    expect(reply.status).toBe(500);
    expect(reply.text).toMatch(/<faultcode>[^<]*Client<.*had another content/s);
  });

  it('answers a one-way message that is sent again without a body, and runs it once', async () => {
    const id = fresh();
    const sent = envelope(body('PAY_NOTE', id), '1.1', named(id));
    for (const _ of [1, 2]) expect(await post(box, sent)).toMatchObject({ status: 202, text: '' });
    expect(await runs(id)).toBe(1);
  });

  it('keeps the answers to messages with attachments', async () => {
    const id = fresh();
    const message = (boundary: string): Buffer =>
      Buffer.from(
        [
          `--${boundary}`,
          'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
          'Content-ID: <root>',
          '',
          envelope(
            `<PAY_SCAN xmlns="urn:test:Pay.v1"><KIND>${id}</KIND><SCAN><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:scan"/></SCAN></PAY_SCAN>`,
            '1.1',
            named(id),
          ),
          `--${boundary}`,
          'Content-Type: image/png',
          'Content-ID: <scan>',
          '',
          'PNG',
          `--${boundary}--`,
          '',
        ].join('\r\n'),
      );
    const replies: SoapReply[] = [];
    for (const boundary of ['one', 'two']) {
      const type = `multipart/related; type="application/xop+xml"; start-info="text/xml"; start="<root>"; boundary=${boundary}`;
      replies.push(await send(box, { path: SERVICES, body: message(boundary), headers: { 'content-type': type } }));
    }
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[1]?.headers['idempotency-replayed']).toBe('true');
    expect(await runs(id)).toBe(1);
  });

  it('asks for a key where one is required, on the HTTP connector by its header', async () => {
    const id = fresh();
    const refused = await post(box, envelope(body('PAY_NAMED', id)));
    expect(refused.text).toMatch(/MessageID of WS-Addressing is missing/);
    const headers = { 'content-type': TYPES['1.1'], 'idempotency-key': id };
    for (const _ of [1, 2]) {
      const sent = { path: HTTP, body: envelope(body('PAY_NAMED', id)), headers };
      expect((await send(box, sent)).status).toBe(200);
    }
    expect(await runs(id)).toBe(1);
  });
});
