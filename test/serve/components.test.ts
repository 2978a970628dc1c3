import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUEST, type Reply } from '../support/gateway.ts';
import { type ComponentsGateway, ENGINES, startComponents } from './components-project.ts';

const BASE = '/gateway/RESTListeningConnector/Places.v1';
const SHAPE = { NAME: 'somewhere', STATUS: 'I' };

describe.each(ENGINES)('components over REST, on %s', (kind) => {
  let box: ComponentsGateway;
  let last = 0;

  beforeAll(async () => {
    box = await startComponents(kind);
  });
  afterAll(() => box.stop());

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    box.call(`${BASE}/${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  /** The path of a place that is there, with a name of its own. */
  const made = async (more: object = {}): Promise<string> => {
    const path = `places/N/${++last}`;
    const { status } = await send('PUT', path, { ...SHAPE, NAME: `p${last}`, ...more });
    expect(status).toBe(201);
    return path;
  };
  const fault = ({ status, text }: Reply): unknown[] => [status, JSON.parse(text).CODE];

  it('makes a record with POST: 201, its address, its ETag, and its defaults', async () => {
    const reply = await send('POST', 'places', { REGION: 'N', ID: 900, NAME: 'posted' });
    expect(reply.status).toBe(201);
    expect(reply.headers.etag).toBe('"1"');
    expect(JSON.parse(reply.text)).toEqual({ REGION: 'N', ID: 900, NAME: 'posted', STATUS: 'A', REVISION: 1 });
    const address = new URL(reply.headers.location as string);
    expect(address.pathname).toBe(`${BASE}/places/N/900`);
    expect((await box.call(address.pathname)).text).toBe(reply.text);
  });

  it('refuses to make a record that is there already', async () => {
    await made();
    expect(fault(await send('POST', 'places', { REGION: 'N', ID: last, NAME: 'other' }))).toEqual([409, 'CONFLICT']);
  });

  it('makes a record with PUT where there is none, and replaces all of it where there is one', async () => {
    const path = await made({ PRICE: 12.5 });
    const reply = await send('PUT', path, { NAME: `p${last}` });
    expect([reply.status, reply.headers.etag]).toEqual([200, '"2"']);
    expect(JSON.parse(reply.text)).toEqual({ REGION: 'N', ID: last, NAME: `p${last}`, STATUS: 'A', REVISION: 2 });
    const [row] = await box.rows(`select size, price from place where id = ${last}`);
    expect(row).toEqual({ size: 7, price: null });
  });

  it('changes what PATCH gives, takes away what is null in it, and leaves the rest', async () => {
    const path = await made({ PRICE: 12.5, OPENED: '2026-01-31' });
    const reply = await send('PATCH', path, { OPENED: null, CHECKED: 'Y' });
    expect(reply.status).toBe(200);
    const { PRICE, OPENED, CHECKED, STATUS, REVISION } = JSON.parse(reply.text);
    expect({ PRICE, OPENED, CHECKED, STATUS, REVISION }).toEqual({
      PRICE: 12.5,
      CHECKED: 'Y',
      STATUS: 'I',
      REVISION: 2,
    });
  });

  it('refuses a PATCH that takes away what is required, or that is none of its field', async () => {
    const path = await made();
    expect(fault(await send('PATCH', path, { NAME: null }))).toEqual([400, 'BAD_PARAMETER']);
    expect(fault(await send('PATCH', path, { OPENED: 'today' }))).toEqual([400, 'BAD_PARAMETER']);
    expect(fault(await send('PATCH', path, { NOWHERE: 1 }))).toEqual([400, 'BAD_PARAMETER']);
    expect(fault(await send('PATCH', path, { REGION: null }))).toEqual([400, 'BAD_PARAMETER']);
  });

  it('saves what was read as it came: keys in the body are those of the URI', async () => {
    const path = await made();
    const read = await box.call(`${BASE}/${path}`);
    const { REVISION, ...record } = JSON.parse(read.text);
    const put = await send('PUT', path, JSON.parse(read.text));
    expect([put.status, JSON.parse(put.text)]).toEqual([200, { ...record, REVISION: REVISION + 1 }]);
    const patched = await send('PATCH', path, JSON.parse(put.text));
    expect([patched.status, JSON.parse(patched.text)]).toEqual([200, { ...record, REVISION: REVISION + 2 }]);
    const alone = await send('PUT', `notes/k${last}`, { ID: `k${last}` });
    expect([alone.status, JSON.parse(alone.text)]).toEqual([201, { ID: `k${last}` }]);
  });

  it.each(['PUT', 'PATCH'])('refuses a %s whose body has another key than its URI, naming both', async (method) => {
    const path = await made();
    const wrong = await send(method, path, { ...SHAPE, REGION: 'N', ID: last + 1 });
    expect([wrong.status, JSON.parse(wrong.text)]).toEqual([
      400,
      { MESSAGE: `ID is ${last} in the URI and ${last + 1} in the body.`, CODE: 'BAD_PARAMETER' },
    ]);
    expect(JSON.parse((await box.call(`${BASE}/${path}`)).text)).toMatchObject({ ID: last, REVISION: 1 });
  });

  it('removes a record with DELETE: 204 without a body, and then 404', async () => {
    const path = await made();
    const reply = await send('DELETE', path);
    expect([reply.status, reply.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) expect(fault(await send(method, path))).toEqual([404, 'NOT_FOUND']);
    expect(fault(await send('PATCH', path, { CHECKED: 'Y' }))).toEqual([404, 'NOT_FOUND']);
  });

  it('gives every type back as it was given', async () => {
    const values =
      '{"PRICE":1234567890.10,"OPENED":"2026-02-28","SEEN":"2026-02-28T10:00:00.5Z","CLOSES":"17:30:00",' +
      '"BIG":9223372036854775807,"LISTED":false,"CHECKED":"N","TOKEN":"0f8fad5b-d9cb-469f-a165-70867728950e",' +
      '"LINK":"https://example.com/%C3%A9?a#b","MORE":{"a":[1,null,"é"]}}';
    const path = `places/N/${++last}`;
    const sent = `{"NAME":"日本\\"'","STATUS":"A",${values.slice(1)}`;
    const put = await box.call(`${BASE}/${path}`, { method: 'PUT', body: sent });
    const { text } = await send('GET', path);
    expect(text).toBe(put.text);
    expect(text).toBe(`{"REGION":"N","ID":${last},${sent.slice(1, -1)},"REVISION":1}`);
  });

  it('finds a record by a UUID in any letter case, and a URI as it is given', async () => {
    const path = (token: string, link: string): string => `tickets/${token}?LINK=${encodeURIComponent(link)}`;
    const record = { TOKEN: '0f8fad5b-d9cb-469f-a165-70867728950e', LINK: 'urn:A:b#c' };
    const put = await send('PUT', path(record.TOKEN.toUpperCase(), record.LINK));
    expect([put.status, JSON.parse(put.text)]).toEqual([201, record]);
    expect(JSON.parse((await send('GET', path(record.TOKEN, record.LINK))).text)).toEqual(record);
    expect(fault(await send('GET', path(record.TOKEN, 'urn:a:b#c')))).toEqual([404, 'NOT_FOUND']);
    expect(fault(await send('GET', path('7', record.LINK)))).toEqual([400, 'BAD_PARAMETER']);
  });

  it('refuses a save whose lock has moved on, naming both numbers', async () => {
    const path = await made();
    await send('PUT', path, { NAME: `p${last}`, REVISION: 1 });
    const reply = await send('PUT', path, { NAME: `p${last}`, REVISION: 1 });
    expect(fault(reply)).toEqual([409, 'CONFLICT']);
    expect(JSON.parse(reply.text).MESSAGE).toBe(
      `PLACES N/${last} has changed since it was read: its REVISION is 2, but the request has 1.`,
    );
    expect(fault(await send('DELETE', `${path}?REVISION=1`))).toEqual([409, 'CONFLICT']);
    expect((await send('DELETE', `${path}?REVISION=2`)).status).toBe(204);
  });

  it('saves what If-Match names, and refuses the rest with 412', async () => {
    const path = await made();
    const tags = ['"7"', 'W/"1"', '"01"', '"7", "8"'];
    for (const tag of tags)
      expect(fault(await send('PUT', path, SHAPE, { 'If-Match': tag }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(fault(await send('PUT', path, SHAPE, { 'If-None-Match': '*' }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(fault(await send('PUT', 'places/N/999', SHAPE, { 'If-Match': '*' }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(fault(await send('PUT', path, SHAPE, { 'If-Match': '1' }))).toEqual([400, 'BAD_PARAMETER']);
    const again = { NAME: `p${last}` };
    expect((await send('PUT', path, again, { 'If-Match': '"7", "1"' })).status).toBe(200);
    expect((await send('PATCH', path, again, { 'If-Match': '*' })).status).toBe(200);
    expect((await send('DELETE', path, undefined, { 'If-Match': '"3"' })).status).toBe(204);
    expect(fault(await send('DELETE', path, undefined, { 'If-Match': '*' }))).toEqual([404, 'NOT_FOUND']);
  });

  it('takes a record in XML, but a change of one in JSON alone', async () => {
    const path = await made();
    const sent = (method: string, content: string): Promise<Reply> => {
      const headers = { 'Content-Type': 'application/xml', Accept: 'application/json' };
      const body = `<PLACE xmlns="urn:test:Places.v1">${content}</PLACE>`;
      return box.call(`${BASE}/${path}`, { method, headers, body });
    };
    const put = await sent('PUT', `<NAME>x${last}</NAME>`);
    expect([put.status, JSON.parse(put.text).NAME]).toEqual([200, `x${last}`]);
    const patch = await sent('PATCH', '<NAME>y</NAME>');
    expect([fault(patch), patch.headers.accept]).toEqual([[415, 'UNSUPPORTED_MEDIA_TYPE'], 'application/json']);
  });

  it('answers 304 to a reader who has the record already', async () => {
    const path = await made();
    const reply = await send('GET', path, undefined, { 'If-None-Match': '"9", W/"1"' });
    expect([reply.status, reply.text, reply.headers.etag]).toEqual([304, '', '"1"']);
    expect((await send('GET', path, undefined, { 'If-None-Match': '"9"' })).status).toBe(200);
  });

  it('ignores an If-None-Match that names nothing, and refuses such an If-Match', async () => {
    const path = await made();
    for (const nothing of ['', ' , ,']) {
      const headers = { 'If-None-Match': nothing };
      expect((await send('GET', path, undefined, headers)).status).toBe(200);
      expect((await send('PUT', path, { NAME: `p${last}` }, headers)).status).toBe(200);
      expect(fault(await send('PUT', path, SHAPE, { 'If-Match': nothing }))).toEqual([400, 'BAD_PARAMETER']);
    }
  });

  it('gives each form of a record a tag of its own, and saves by any of them', async () => {
    const path = await made();
    const accept = { Accept: 'application/xml' };
    const xml = await box.call(`${BASE}/${path}`, { headers: accept });
    expect(xml.headers).toMatchObject({ etag: '"1.xml"', vary: 'Accept, Accept-Encoding' });
    const read = (tag: string, headers = {}) => send('GET', path, undefined, { ...headers, 'If-None-Match': tag });
    expect((await read('"1.xml"', accept)).status).toBe(304);
    expect((await read('"1.xml"')).status).toBe(200);
    expect((await read('"1"', accept)).status).toBe(200);
    const body = { NAME: `p${last}` };
    expect(fault(await send('PUT', path, body, { 'If-Match': '"2.xml"' }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await send('PUT', path, body, { 'If-Match': '"7", "1.xml"' })).headers.etag).toBe('"2"');
    const zipped = { ...accept, 'Accept-Encoding': 'gzip, identity;q=0' };
    const tag = (await box.call(`${BASE}/${path}`, { headers: zipped })).headers.etag as string;
    expect(tag).toBe('"2.xml-gzip"');
    expect((await read(tag, zipped)).status).toBe(304);
    expect((await send('PUT', path, body, { 'If-Match': tag })).headers.etag).toBe('"3"');
  });

  it('has no record of a key that its table can not hold', async () => {
    expect(fault(await send('GET', 'places/N/3000000000'))).toEqual([404, 'NOT_FOUND']);
  });

  it('tells records without a lock apart by their content', async () => {
    const first = await send('PUT', 'notes/a', { TEXT: 'one' });
    const second = await send('PUT', 'notes/a', { TEXT: 'two' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(first.headers.etag).not.toBe(second.headers.etag);
    expect((await send('GET', 'notes/a')).headers.etag).toBe(second.headers.etag);
    const stale = { 'If-Match': first.headers.etag as string };
    expect(fault(await send('PUT', 'notes/a', { TEXT: 'three' }, stale))).toEqual([412, 'PRECONDITION_FAILED']);
    const back = await send('PUT', 'notes/a', { TEXT: 'one' }, { 'If-Match': second.headers.etag as string });
    expect(back.headers.etag).toBe(first.headers.etag);
  });

  it('sends nothing but the ETag where the response is none', async () => {
    const reply = await send('PUT', 'quiet/q', { TEXT: 'hush' });
    expect([reply.status, reply.text]).toEqual([201, '']);
    expect(reply.headers.etag).toMatch(/^"[\w-]{43}"$/);
    expect((await send('PUT', 'quiet/q', { TEXT: 'hush' })).status).toBe(204);
  });

  it('lets one of many that save the same state at once through', async () => {
    const path = await made();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => send('PUT', path, { NAME: `p${last}`, REVISION: 1 })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(JSON.parse((await send('GET', path)).text).REVISION).toBe(2);
  });

  it('makes one record of many that are made at once', async () => {
    const id = ++last;
    const put = await Promise.all(Array.from({ length: 8 }, () => send('PUT', `places/N/${id}`, { NAME: `p${id}` })));
    expect(put.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 201]);
    expect(JSON.parse((await send('GET', `places/N/${id}`)).text).REVISION).toBe(8);
    const body = { REGION: 'S', ID: id, NAME: `s${id}` };
    const posted = await Promise.all(Array.from({ length: 8 }, () => send('POST', 'places', body)));
    expect(posted.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it('says what the table refuses without a word of its SQL', async () => {
    await made();
    const path = `places/N/${last + 500}`;
    const doubled = await send('PUT', path, { NAME: `p${last}` });
    const ruled = await send('PUT', path, { NAME: 'ruled', STATUS: 'X' });
    expect([fault(doubled), fault(ruled)]).toEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
    const large = await box.call(`${BASE}/${path}`, { method: 'PUT', body: '{"NAME":"large","BIG":1e30}' });
    expect(large.status).toBe(400);
    for (const { text } of [doubled, ruled, large]) expect(text).not.toMatch(/constraint|named|insert|int8|bigint/i);
  });

  it('needs the grant of the operation', async () => {
    const path = await made();
    expect((await send('PUT', path, SHAPE, { authorization: GUEST })).status).toBe(403);
    expect((await box.call(`${BASE}/${path}`, { anonymous: true })).status).toBe(401);
  });

  it('saves for code of the project', async () => {
    const code = (body: object): Promise<Reply> => send('POST', 'code/c1', body);
    const first = JSON.parse((await code({ TEXT: 'by code', HOW: 'create' })).text);
    expect(first).toMatchObject({ created: true, text: 'by code' });
    expect((await code({ HOW: 'create' })).status).toBe(409);
    expect((await code({ TEXT: 'x', HOW: 'put', TAG: '"other"' })).status).toBe(412);
    const changed = JSON.parse((await code({ TEXT: 'again', HOW: 'patch', TAG: first.etag })).text);
    expect(changed).toMatchObject({ created: false, text: 'again' });
    expect(JSON.parse((await code({ HOW: 'delete' })).text)).toEqual({ created: false, etag: '', text: '' });
    expect((await code({ HOW: 'delete' })).status).toBe(404);
  });
});
