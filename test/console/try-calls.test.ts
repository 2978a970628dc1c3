import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, gatewayText } from '../support/project.ts';
import { entered } from './form.ts';
import { type ConsoleGateway, type ConsoleReply, startConsole, type Visitor } from './support.ts';
import { HOSTILE, TRY_PROJECT } from './try-project.ts';

let gateway: ConsoleGateway;
let demo: Visitor;
beforeAll(async () => {
  gateway = await startConsole({ files: TRY_PROJECT });
  demo = await gateway.signIn('demo', 'demo');
});
afterAll(() => gateway.stop());

const text = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'");

/** Opens the form of an operation, changes some of its fields and presses a button of it. */
async function press(
  visitor: Visitor,
  at: string,
  { step = '', ...fields }: { readonly step?: string; readonly [field: string]: string },
): Promise<ConsoleReply> {
  const [id = '', way] = at.split('?');
  const query = way === undefined ? '' : `?${way}`;
  const { text: page } = await visitor.get(`/try/${id}${query}`);
  return visitor.post(`/try/${id}${step}${query}`, { ...entered(page), ...fields });
}

const send = (visitor: Visitor, at: string, fields: Readonly<Record<string, string>> = {}): Promise<ConsoleReply> =>
  press(visitor, at, { step: '/send', confirmed: 'yes', ...fields });

const lastCall = () => gateway.log().findLast(({ via }) => via === 'console');

describe('a call from the console', () => {
  it('is made as the signed-in user, and the audit log says so', async () => {
    const reply = await send(demo, 'ECHO_GET?way=rest-1', { 'v:TEXT': 'hello' });
    expect(reply.status).toBe(200);
    expect(text(reply.text)).toContain('"TEXT": "hello"');
    expect(text(reply.text)).toContain('The reply fits the contract.');
    expect(lastCall()).toMatchObject({
      ...{ decision: 'allowed', operation: 'ECHO_GET', user: 'demo', scheme: 'session', via: 'console', status: 200 },
      remote: '127.0.0.1',
    });
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ action: 'try.send', target: 'ECHO_GET', user: 'demo' }),
    );
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it.each([
    'ECHO_GET?way=rest-1',
    'ECHO_GET?way=soap-1.1',
    'ECHO_GET?way=soap-1.2',
  ])('of %s is refused where its user has no grant', async (at) => {
    const operator = await gateway.signIn('operator', 'demo');
    const reply = await send(operator, at, { 'v:TEXT': 'hello' });
    expect(lastCall()).toMatchObject({ decision: 'refused', reason: 'no grant', user: 'operator', fault: 'FORBIDDEN' });
    expect(text(reply.text)).toContain('FORBIDDEN');
    expect(text(reply.text)).toContain('You have no grant for ECHO_GET');
  });

  it('needs no credentials inside a message', async () => {
    const reply = await send(demo, 'SECURED_GET?way=soap-1.2', { 'v:TEXT': 'signed in' });
    expect(text(reply.text)).toContain('<TEXT>signed in</TEXT>');
    expect(lastCall()).toMatchObject({ operation: 'SECURED_GET', user: 'demo', status: 200 });
  });

  it('of what is public names its user in the audit log', async () => {
    await send(demo, 'OPEN_GET', { 'v:TEXT': 'x' });
    expect(lastCall()).toMatchObject({ operation: 'OPEN_GET', user: 'demo', via: 'console', status: 200 });
  });

  it('can be claimed by nothing that a request over a socket has', async () => {
    const claims = {
      vouched: 'demo',
      via: 'console',
      'x-vouched': 'demo',
      'x-forwarded-user': 'demo',
      scheme: 'session',
    };
    const path = '/gateway/RESTListeningConnector/Orders.v1/echo/x';
    for (const each of [path, `${path}?vouched=demo&via=console&user=demo`]) {
      const reply = await gateway.call(each, { anonymous: true, headers: { ...claims, Cookie: demo.cookie } });
      expect(reply.status).toBe(401);
    }
    expect(gateway.log().at(-1)).not.toHaveProperty('via');
    const soap = await gateway.call('/gateway/PeopleSoftServiceListeningConnector', {
      ...{ method: 'POST', anonymous: true, headers: { ...claims, 'Content-Type': 'text/xml', Cookie: demo.cookie } },
      body: '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><ECHO_GET xmlns="urn:test:Orders.v1"/></s:Body></s:Envelope>',
    });
    expect(soap.text).toContain('UNAUTHENTICATED');
  });

  it('is not made for a form of another site, or of another session', async () => {
    const before = lastCall();
    const guestless = { token: 'forged' };
    expect((await send(demo, 'ECHO_GET?way=rest-1', guestless)).status).toBe(403);
    expect(lastCall()).toEqual(before);
  });

  it('that may write asks first, and needs the grant act', async () => {
    const before = lastCall();
    const unasked = await press(demo, 'ORDER_PUT?way=rest-1', { step: '/send' });
    expect(unasked.status).toBe(400);
    const watcher = await gateway.signIn('watcher', 'demo');
    const page = await watcher.get('/try/ORDER_PUT');
    expect(page.text).not.toContain('/try/ORDER_PUT/send');
    expect((await send(watcher, 'ORDER_PUT?way=rest-1')).status).toBe(403);
    expect(lastCall()).toEqual(before);
    expect(text((await demo.get('/try/ORDER_PUT')).text)).toContain(
      'ORDER_PUT may write. It is called at the gateway LOCAL',
    );
  });

  it('shows those without the grant payload the status and the times alone', async () => {
    const watcher = await gateway.signIn('watcher', 'demo');
    const reply = await send(watcher, 'HOSTILE_GET');
    expect(text(reply.text)).toContain('HTTP 200');
    expect(text(reply.text)).toContain('fits the contract');
    expect(reply.text).not.toContain('gnp.exe');
    expect(reply.text).not.toContain('x-content-type-options');
    expect((await press(watcher, 'HOSTILE_GET', { step: '/save' })).status).toBe(403);
  });

  it('is for users of the console alone', async () => {
    for (const path of ['/try', '/try/ECHO_GET'])
      expect((await gateway.ask(path)).headers.location).toContain('/sign-in');
    await expect(gateway.signIn('guest', 'guest')).rejects.toThrow('403');
  });
});

describe('the form', () => {
  it('has every kind of field, sent as its document says', async () => {
    const reply = await send(demo, 'ORDER_PUT?way=rest-1', { 'v:STATE': 'shipped' });
    expect(reply.status).toBe(200);
    const shown = text(reply.text);
    for (const part of ['"STATE": "shipped"', '"PRICE": 12.5', '"EXPRESS": true', '"DUE": "2026-01-31"'])
      expect(shown).toContain(part);
    expect(shown).toContain('The reply fits the contract.');
  });

  it('gets another row, and loses nothing', async () => {
    const added = await press(demo, 'ORDER_PUT?way=rest-1', { do: 'add:LINES', 'v:NOTE': 'kept  <&"\u202e' });
    const again = { ...entered(added.text), do: 'add:LINES', 'v:LINES/0/SKU': 'FIRST' };
    const twice = await demo.post('/try/ORDER_PUT?way=rest-1', again);
    const fields = entered(twice.text);
    expect(fields).toMatchObject({ 'v:NOTE': 'kept  <&"\u202e', 'v:LINES/0/SKU': 'FIRST' });
    const count = Number(fields['n:LINES']);
    expect(count).toBeGreaterThan(1);
    const removed = await demo.post('/try/ORDER_PUT?way=rest-1', {
      ...fields,
      'v:LINES/1/SKU': 'SECOND',
      do: 'remove:LINES/0',
    });
    expect(entered(removed.text)).toMatchObject({ 'v:LINES/0/SKU': 'SECOND', 'n:LINES': String(count - 1) });
  });

  it('says at a field what is wrong with it, and sends nothing', async () => {
    const before = lastCall();
    const reply = await send(demo, 'ORDER_PUT?way=rest-1', { 'v:ID': 'seven', 'v:STATE': '' });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('id="v:ID" name="v:ID" type="text" inputmode="numeric" value="seven"');
    expect(reply.text).toMatch(/id="v:ID-error">■ [^<]+</);
    expect(reply.text).toContain('id="v:STATE-error">■ is required<');
    expect(lastCall()).toEqual(before);
  });

  it('is XML, SOAP 1.1 and SOAP 1.2 as well', async () => {
    const xml = await press(demo, 'ORDER_PUT?way=rest-1', { do: 'show', type: 'application/xml' });
    expect(text(xml.text)).toContain('<STATE>open</STATE>');
    for (const [way, type] of [
      ['soap-1.1', 'text/xml'],
      ['soap-1.2', 'application/soap+xml'],
    ] as const) {
      const reply = await send(demo, `ORDER_PUT?way=${way}`);
      expect(text(reply.text)).toContain(`Content-Type: ${type}`);
      expect(text(reply.text)).toContain('The reply fits the contract.');
    }
  });

  it('becomes text that can be changed, and comes back', async () => {
    const raw = await press(demo, 'ORDER_PUT?way=rest-1', { do: 'text' });
    const fields = entered(raw.text);
    expect(JSON.parse(fields['raw-body'] as string)).toMatchObject({ ID: 7, STATE: 'open' });
    const sent = await demo.post('/try/ORDER_PUT/send?way=rest-1', {
      ...fields,
      confirmed: 'yes',
      'raw-body': '{"ID": 1}',
    });
    expect(text(sent.text)).toContain('HTTP 400');
    expect(lastCall()).toMatchObject({ operation: 'ORDER_PUT', status: 400 });
    const envelope = await press(demo, 'ORDER_PUT?way=soap-1.1', { do: 'text' });
    const body = entered(envelope.text);
    expect(body['raw-body']).toContain('Envelope');
    const again = await demo.post('/try/ORDER_PUT/send?way=soap-1.1', { ...body, confirmed: 'yes' });
    expect(text(again.text)).toContain('The reply fits the contract.');
  });

  it('shows the request as HTTP and for curl, without credentials of anyone', async () => {
    const { text: page } = await press(demo, 'ECHO_GET?way=rest-1', { do: 'show', 'v:TEXT': "it's" });
    expect(text(page)).toContain('GET /gateway/RESTListeningConnector/Orders.v1/echo/it%27s HTTP/1.1');
    expect(text(page)).toContain('curl -u USER ');
    expect(page).not.toContain(demo.cookie.split('=')[1]);
    expect(lastCall()?.path).not.toContain('it');
  });
});

describe('the reply', () => {
  it('stays text, whatever it is', async () => {
    const { text: page } = await send(demo, 'HOSTILE_GET');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img');
    for (const hidden of ['\u009b', '\u202e']) expect(page).not.toContain(hidden);
    expect(text(page)).toContain('<script>alert(1)</script>');
    expect(page).toContain('⟨U+202E⟩');
    expect(HOSTILE).toContain('\u202e');
  });

  it('is compared with the contract, each difference by its name', async () => {
    const { text: page } = await send(demo, 'WRONG_GET');
    expect(text(page)).toContain('The reply differs from the contract in one place.');
    expect(page).toMatch(/<li>TEXT is a number/);
  });

  it('is cut where it is long, and saved as a whole', async () => {
    const { text: page } = await send(demo, 'LONG_GET');
    expect(page).not.toContain('xEND');
    expect(text(page)).toContain('The first 256 KiB are shown.');
    const saved = await press(demo, 'LONG_GET', { step: '/save', confirmed: 'yes' });
    expect(saved.headers['content-disposition']).toContain('attachment');
    expect(saved.headers['cache-control']).toBe('no-store');
    expect(saved.text.endsWith('xEND')).toBe(true);
  });

  it('is ended where it is longer than a page needs', async () => {
    const { text: page } = await send(demo, 'ENDLESS_GET');
    expect(text(page)).toContain('It is longer than what is compared with the contract.');
    const line = await eventually('the end of the call', () =>
      gateway.log().find((each) => each.operation === 'ENDLESS_GET'),
    );
    expect(line).toMatchObject({ via: 'console', complete: false });
    expect(Number(line.bytes)).toBeLessThan(8 * 1024 * 1024);
  });
});

it('a console at an address of its own calls the operations of the gateway', async () => {
  const own = await startConsole({
    files: { ...TRY_PROJECT, 'definitions/gateway.yaml': gatewayText('console: { listen: "127.0.0.1:0" }') },
  });
  try {
    const at = own.gateway.console as string;
    const headers = { 'Sec-Fetch-Site': 'same-origin', Origin: new URL(at).origin };
    const body = new URLSearchParams({ id: 'demo', password: 'demo' });
    const entrance = await fetch(`${at}/sign-in`, { method: 'POST', redirect: 'manual', headers, body });
    const Cookie = String(entrance.headers.get('set-cookie')).split(';', 1)[0] as string;
    const page = await (await fetch(`${at}/try/ECHO_GET`, { headers: { Cookie } })).text();
    const fields = new URLSearchParams({ ...entered(page), 'v:TEXT': 'from elsewhere' });
    const reply = await fetch(`${at}/try/ECHO_GET/send`, {
      method: 'POST',
      headers: { ...headers, Cookie },
      body: fields,
    });
    expect(text(await reply.text())).toContain('"TEXT": "from elsewhere"');
  } finally {
    await own.stop();
  }
});
