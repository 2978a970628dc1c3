import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { bodyOf, envelope, faultOf, post, SERVICES, type SoapReply } from './soap-client.ts';
import { CALLED, CALLERS, CALLING_HANDLERS, HANDLERS, SERVED } from './soap-styles-project.ts';

const action = (name: string): Readonly<Record<string, string>> => ({ soapaction: `"${name}"` });

let served: TestGateway;
let calling: TestGateway;
beforeAll(async () => {
  served = await startTestGateway({ files: { 'definitions/shop.yaml': SERVED, ...HANDLERS } });
  const env = { SHOP_URL: `http://127.0.0.1:${served.port}${SERVICES}`, SHOP_PASSWORD: 'demo' };
  calling = await startTestGateway({ files: { 'definitions/calls.yaml': CALLED + CALLERS, ...CALLING_HANDLERS }, env });
});
afterAll(async () => {
  await calling?.stop();
  await served?.stop();
});

/** A call of the served gateway. */
const ask = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<SoapReply> =>
  post(served, envelope(body), '1.1', headers);

/** A call over REST of the operation that calls the served gateway. */
async function through(operation: string, body?: unknown): Promise<unknown> {
  const reply = await calling.call(`/gateway/RESTListeningConnector/Front.v1/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: reply.text === '' ? undefined : JSON.parse(reply.text) };
}

describe('an operation without a wrapper (document/literal bare)', () => {
  const order = '<Order xmlns="urn:orders"><NUMBER>7</NUMBER></Order>';

  it('is called and answered with the root elements of its documents', async () => {
    const reply = await ask(order, action('ORDER_PLACE.v1'));
    expect(bodyOf(reply)).toBe('<Receipt xmlns="urn:orders"><NUMBER>7</NUMBER><DONE>placed</DONE></Receipt>');
  });

  it('is found by its action when another has the same element', async () => {
    const reply = await ask(order, action('ORDER_CANCEL.v1'));
    expect(bodyOf(reply)).toContain('<DONE>cancelled</DONE>');
    const unclear = faultOf(await ask(order));
    expect(unclear.reason).toContain('"Order" may be Bare.v1.ORDER_CANCEL or Bare.v1.ORDER_PLACE');
  });

  it('is found by its element alone when no other has it', async () => {
    const reply = await ask('<Check xmlns="urn:test:Bare.v1"><NUMBER>8</NUMBER></Check>');
    expect(bodyOf(reply)).toBe('<CheckResult xmlns="urn:test:Bare.v1"><DONE>8</DONE></CheckResult>');
  });

  it('has an empty Body without a request', async () => {
    expect(bodyOf(await ask('', action('STATUS_GET.v1')))).toContain('<DONE>open</DONE>');
    expect(bodyOf(await ask(''))).toContain('<DONE>open</DONE>');
    expect(faultOf(await ask('', action('OTHER'))).reason).toContain('the action of an empty Body is STATUS_GET.v1');
  });

  it('is called by a consumer with the same key', async () => {
    expect(await through('place', { NUMBER: 9 })).toEqual({ status: 200, body: { NUMBER: 9, DONE: 'placed' } });
    expect(await through('cancel', { NUMBER: 9 })).toEqual({ status: 200, body: { NUMBER: 9, DONE: 'cancelled' } });
    expect(await through('status')).toEqual({ status: 200, body: { DONE: 'open' } });
  });
});

describe('an operation in rpc/literal', () => {
  const rpc = (operation: string, parts: string): string =>
    `<r:${operation} xmlns:r="urn:test:Rpc.v1">${parts}</r:${operation}>`;

  it('takes a part without a namespace for each field, and answers so', async () => {
    const item = '<ITEM><i:CODE xmlns:i="urn:items">A</i:CODE><i:COUNT xmlns:i="urn:items">2</i:COUNT></ITEM>';
    const sent = `<OWNER>Ada</OWNER><ITEMS>${item}</ITEMS><SHIP><CITY xmlns="urn:baskets">Bonn</CITY></SHIP>`;
    const reply = await ask(rpc('BASKET_SAVE', sent), action('BASKET_SAVE.v1'));
    expect(bodyOf(reply)).toBe(
      '<BASKET_SAVEResponse xmlns="urn:test:Rpc.v1"><OWNER xmlns="">Ada</OWNER>' +
        '<ITEMS xmlns=""><ITEM><CODE xmlns="urn:items">A</CODE><COUNT xmlns="urn:items">2</COUNT></ITEM></ITEMS>' +
        '<SHIP xmlns=""><CITY xmlns="urn:baskets">Bonn</CITY></SHIP></BASKET_SAVEResponse>',
    );
  });

  it('refuses a part in a namespace', async () => {
    const { reason } = faultOf(await ask(`<BASKET_SAVE xmlns="urn:test:Rpc.v1"><OWNER>Ada</OWNER></BASKET_SAVE>`));
    expect(reason).toContain('OWNER is in namespace "urn:test:Rpc.v1", and belongs to none');
  });

  it('has a part for a message without a document, and none without a request', async () => {
    expect(bodyOf(await ask(rpc('TEXT_ECHO', '<content>a</content>')))).toBe(
      '<TEXT_ECHOResponse xmlns="urn:test:Rpc.v1"><content xmlns="">a</content></TEXT_ECHOResponse>',
    );
    expect(bodyOf(await ask(rpc('TIME_GET', '')))).toContain('<NOW xmlns="">2026-11-28T00:00:00Z</NOW>');
  });

  it('is called by a consumer with the same key, whatever the element of the reply is called', async () => {
    const basket = { OWNER: 'Ada', ITEMS: [{ CODE: 'A', COUNT: 2 }], SHIP: { CITY: 'Bonn' } };
    expect(await through('basket', basket)).toEqual({ status: 200, body: basket });
  });
});

describe('a field that is a header block', () => {
  const session = '<Session xmlns="urn:headed" s:mustUnderstand="1"><TOKEN xmlns="urn:session">t</TOKEN></Session>';
  const number = '<NUMBER xmlns="urn:headed">7</NUMBER>';
  const wrapped = `<HEADED_SAVE xmlns="urn:test:Headed.v1">${number}</HEADED_SAVE>`;

  it('is read from the Header, where it is understood, and written to it', async () => {
    const trace = '<t:Trace xmlns:t="urn:trace">abc</t:Trace><Other xmlns="urn:other">1</Other>';
    const reply = await post(served, envelope(wrapped, '1.1', session + trace));
    expect(bodyOf({ text: reply.text.replace(/<soap:Header>.*<\/soap:Header>/, '') })).toBe(
      '<HEADED_SAVEResponse xmlns="urn:test:Headed.v1"><NUMBER xmlns="urn:headed">7</NUMBER></HEADED_SAVEResponse>',
    );
    expect(reply.text).toContain(
      '<soap:Header><Session xmlns="urn:headed"><TOKEN xmlns="urn:session">t</TOKEN></Session>' +
        '<Trace xmlns="urn:trace">abc</Trace></soap:Header>',
    );
  });

  it('is refused where it is missing, wrong, in the Body, given twice, or meant for another receiver', async () => {
    const reasonOf = async (headers: string, body = wrapped): Promise<string> =>
      faultOf(await post(served, envelope(body, '1.1', headers))).reason;
    expect(await reasonOf('')).toContain('Session is missing');
    expect(await reasonOf(session.replace('s:mustUnderstand', 's:actor="urn:x" s:mustUnderstand'))).toContain(
      'Session is missing',
    );
    expect(await reasonOf(session + session)).toContain('Session is given more than once');
    expect(await reasonOf(`${session}<Trace xmlns="urn:trace">abcdefg</Trace>`)).toContain('TRACE is longer than 5');
    const inBody = wrapped.replace(number, `${number}<Session xmlns="urn:headed"/>`);
    expect(await reasonOf(session, inBody)).toContain('Session');
    expect(await reasonOf('<Session xmlns="urn:no" s:mustUnderstand="1"/>')).toContain('{urn:no}Session');
  });

  it('is an ordinary field over REST', async () => {
    const reply = await served.call('/gateway/RESTListeningConnector/Headed.v1/headed', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Session: { TOKEN: 't' }, NUMBER: 7 }),
    });
    expect(JSON.parse(reply.text)).toEqual({ Session: { TOKEN: 't' }, NUMBER: 7 });
  });

  it.each(['headed', 'headed-bare', 'headed-rpc'])('is sent and received by a consumer (%s)', async (operation) => {
    const value = { Session: { TOKEN: 't' }, NUMBER: 7 };
    expect(await through(operation, value)).toEqual({ status: 200, body: value });
  });
});

describe('faults with names', () => {
  const buying = (kind: string, operation = 'BUY'): string => {
    const field = operation === 'BUY' ? `<KIND>${kind}</KIND>` : `<KIND xmlns="">${kind}</KIND>`;
    return `<${operation} xmlns="urn:test:Failing.v1">${field}</${operation}>`;
  };
  const detailOf = async (kind: string, operation?: string): Promise<string | undefined> =>
    faultOf(await ask(buying(kind, operation))).detail;

  it('have their document in the detail when code raises one', async () => {
    const stock = '<outOfStock xmlns="urn:faults"><LEFT>3</LEFT><PIN>1234</PIN></outOfStock>';
    expect(await detailOf('stock')).toBe(stock);
    expect(await detailOf('stock', 'BUY_RPC')).toBe(stock);
    expect(await detailOf('allowed')).toBe(
      '<notAllowed xmlns="urn:test:Failing.v1"><REASON>night</REASON></notAllowed>',
    );
    expect(await detailOf('plain')).toBe(
      '<BUY_FAULT xmlns="urn:test:Failing.v1"><MESSAGE>Plain.</MESSAGE></BUY_FAULT>',
    );
    const sent = await post(served, envelope(buying('stock'), '1.2'), '1.2');
    expect(faultOf(sent, '1.2')).toMatchObject({
      status: 400,
      code: 'Sender',
      reason: 'Only 3 are left.',
      detail: stock,
    });
  });

  it('are errors of the code when the document does not fit or the name is not declared', async () => {
    expect(faultOf(await ask(buying('wrong'))).reason).toContain('internal error');
    expect(faultOf(await ask(buying('unknown'))).reason).toContain('internal error');
    const causes = JSON.stringify(served.log());
    expect(causes).toContain('LEFT is');
    expect(causes).toContain('is not in `faults:` of BUY: OutOfStock, NotAllowed');
  });

  it('are read by callers with name and document, secrets masked', async () => {
    const detail = { LEFT: 3, PIN: '***' };
    expect(await through('seen', { KIND: 'stock' })).toEqual({
      status: 200,
      body: { faultName: 'OutOfStock', reason: 'Only 3 are left.', detail, of: detail },
    });
    expect(await through('seen', { KIND: 'allowed' })).toMatchObject({
      body: { faultName: 'NotAllowed', of: { REASON: 'night' } },
    });
    expect(await through('seen', { KIND: 'plain' })).toMatchObject({ body: { of: { MESSAGE: 'Plain.' } } });
  });

  it('are passed on by an operation that has them too', async () => {
    const call = (kind: string): Promise<SoapReply> =>
      post(calling, envelope(`<BUY_FOR xmlns="urn:test:Front.v1"><KIND>${kind}</KIND></BUY_FOR>`));
    expect(faultOf(await call('stock'))).toMatchObject({
      code: 'Client',
      reason: 'Only 3 are left.',
      detail: '<outOfStock xmlns="urn:faults"><LEFT>3</LEFT><PIN>***</PIN></outOfStock>',
    });
    expect(faultOf(await call('allowed')).reason).toContain('The call of BUY failed');
  });
});

describe('the names that a contract prescribes', () => {
  const get = (tag: string, namespace = 'urn:requests'): string =>
    `<g:${tag} xmlns:g="${namespace}"><Code xmlns="http://shop.example.org/stock">x</Code></g:${tag}>`;

  it('are those of the action, the namespace and the reply', async () => {
    const reply = await ask(get('GetStock'), action('http://shop.example.org/stock#get'));
    expect(bodyOf(reply)).toBe(
      '<Stock xmlns="urn:requests"><Code xmlns="http://shop.example.org/stock">x</Code></Stock>',
    );
    expect(bodyOf(await ask(get('GetStock'), action('GetStock.v1')))).toContain('<Stock');
    expect(faultOf(await ask(get('GetStock'), action('urn:other'))).reason).toContain(
      'is http://shop.example.org/stock#get',
    );
    expect(faultOf(await ask(get('GetStock', 'http://shop.example.org/stock'))).reason).toContain(
      'There is no operation',
    );
  });

  it('may be an empty action, and an element without content', async () => {
    const order = '<Receipt xmlns="urn:orders"><NUMBER>7</NUMBER></Receipt>';
    expect(bodyOf(await ask(order, action('urn:a')))).toContain('SAME_AResponse');
    expect(bodyOf(await ask(order, { soapaction: '""' }))).toContain('SAME_BResponse');
    expect(bodyOf(await ask(get('STOCK_TOUCH', 'http://shop.example.org/stock')))).toBe(
      '<Touched xmlns="http://shop.example.org/stock"/>',
    );
  });

  it('are sent and expected by a consumer', async () => {
    expect(await through('stock', { Code: 'x' })).toEqual({ status: 200, body: { Code: 'x' } });
    expect(await through('touch', { Code: 'x' })).toEqual({ status: 204, body: undefined });
  });
});
