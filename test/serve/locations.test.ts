import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';

const BASE = '/gateway/RESTListeningConnector/LOCAL/Locations.v1/Locations';
const JSON_ONLY = { headers: { accept: 'application/json' } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** The JSON inside the psnonxml wrapper. */
function unwrap(reply: Reply): unknown {
  const found = /^<data psnonxml='Yes'><!\[CDATA\[([\s\S]*)\]\]><\/data>$/.exec(reply.text);
  expect(found, reply.text).not.toBeNull();
  return JSON.parse((found as RegExpExecArray)[1] as string);
}

const BLANK = { DEPTNAME: '', EMAIL_ADDR: '', NAME: '', PHONE: '', TITLE: '' };
const LOCATION_FIELDS = [
  'ADDRESS1',
  'CITY',
  'DESCR',
  'DESCRSHORT',
  'EFFDT',
  'EFF_STATUS',
  'EXTENSION',
  'FAX',
  'LOCATION',
  'MESSAGE_TEXT2',
  'PHONE',
  'POSTAL',
  'STATE',
];

describe('a location lookup (specification 2.3)', () => {
  it('answers LOC_DATA, with one empty EMP_DATA object, in the psnonxml wrapper', async () => {
    const reply = await gateway.call(`${BASE}/?region=N`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers['content-type']).toBe('application/xml');
    const body = unwrap(reply) as { LOC_RESPONSE: { LOC_DATA: Record<string, string>[]; EMP_DATA: unknown } };
    expect(Object.keys(body)).toEqual(['LOC_RESPONSE']);
    expect(Object.keys(body.LOC_RESPONSE)).toEqual(['LOC_DATA', 'EMP_DATA']);
    expect(body.LOC_RESPONSE.EMP_DATA).toEqual(BLANK);
    expect(body.LOC_RESPONSE.LOC_DATA.length).toBeGreaterThan(1);
    for (const location of body.LOC_RESPONSE.LOC_DATA) {
      for (const [name, value] of Object.entries(location)) {
        expect(LOCATION_FIELDS).toContain(name);
        expect(value).toEqual(expect.any(String));
      }
      expect(location.EFFDT).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
    expect(body.LOC_RESPONSE.LOC_DATA.map((each) => each.LOCATION)).toContain('NYC01');
  });

  it('reaches the same without the node, the version, the slash before the query, or with HEAD', async () => {
    const expected = await gateway.call(`${BASE}/?region=N`);
    for (const path of [
      `${BASE}?region=N`,
      '/gateway/RESTListeningConnector/Locations.v1/Locations/?region=N',
      '/gateway/RESTListeningConnector/Locations/Locations/?region=N',
    ]) {
      expect((await gateway.call(path)).text).toBe(expected.text);
    }
    const head = await gateway.call(`${BASE}/?region=N`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(expected.headers['content-length']);
  });

  it('answers an empty list where a region has no locations', async () => {
    const reply = await gateway.call(`${BASE}/?region=9`, JSON_ONLY);
    expect(JSON.parse(reply.text)).toEqual({ LOC_RESPONSE: { LOC_DATA: [], EMP_DATA: BLANK } });
  });
});

describe('an employee lookup', () => {
  it('answers EMP_DATA alone', async () => {
    const body = unwrap(await gateway.call(`${BASE}/N/?location=NYC01`)) as {
      LOC_RESPONSE: { EMP_DATA: Record<string, string>[] };
    };
    expect(Object.keys(body.LOC_RESPONSE)).toEqual(['EMP_DATA']);
    expect(body.LOC_RESPONSE.EMP_DATA.length).toBeGreaterThan(1);
    for (const employee of body.LOC_RESPONSE.EMP_DATA)
      expect(Object.keys(employee).toSorted()).toEqual(Object.keys(BLANK));
  });
});

describe('the form of the reply (field notes 7)', () => {
  it.each([
    ['application/json', 'application/json'],
    ['application/json;q=0.5, text/html', 'application/json'],
    ['*/*', 'application/xml'],
    ['application/xml', 'application/xml'],
    ['text/xml', 'text/xml; charset=utf-8'],
  ])('Accept: %s gets %s', async (accept, contentType) => {
    const reply = await gateway.call(`${BASE}/?region=N`, { headers: { accept } });
    expect(reply.headers['content-type']).toBe(contentType);
    expect(reply.headers.vary).toBe('Accept, Accept-Encoding');
    if (contentType === 'application/json') expect(Object.keys(JSON.parse(reply.text))).toEqual(['LOC_RESPONSE']);
    else unwrap(reply);
  });

  it('Accept: image/png is 406, which names what there is', async () => {
    const reply = await gateway.call(`${BASE}/?region=N`, { headers: { accept: 'image/png' } });
    expect(reply.status).toBe(406);
    expect(unwrap(reply)).toEqual({ MESSAGE: expect.stringContaining('application/json') });
  });
});

describe('wrong input (specification 2.2)', () => {
  it.each([
    ['/?region=NN', 400, 'region (REGION) is longer than 1 character'],
    ['/?region=', 400, 'region (REGION) is empty'],
    ['/', 400, 'Query parameter region is missing'],
    ['/?regoin=N', 400, 'Query parameter region is missing'],
    ['/N/', 400, 'Query parameter location is missing'],
    ['/N/?location=12345678901', 400, 'location (LOCATION) is longer than 10 characters'],
    ['/NN/?location=NYC01', 400, 'REGION is longer than 1 character'],
    ['/%00/?location=NYC01', 400, 'REGION'],
    ['/%c0%af/?location=NYC01', 400, 'REGION'],
    ['/?region=N&region=S', 400, 'region (REGION) is given more than once'],
  ])('%s is %i with the fault document', async (path, status, words) => {
    const reply = await gateway.call(`${BASE}${path}`);
    expect(reply.status).toBe(status);
    expect(unwrap(reply)).toEqual({ MESSAGE: expect.stringContaining(words) });
    const asJson = await gateway.call(`${BASE}${path}`, JSON_ONLY);
    expect(JSON.parse(asJson.text)).toEqual({ MESSAGE: expect.stringContaining(words) });
  });

  it('a body on GET is 400', async () => {
    const reply = await gateway.call(`${BASE}/?region=N`, {
      body: 'hello',
      headers: { ...JSON_ONLY.headers, 'content-length': '5' },
    });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: expect.stringContaining('GET LOCATIONS_GET takes none') });
  });

  it('another method is 405 with Allow', async () => {
    for (const method of ['POST', 'DELETE', 'PATCH', 'PROPFIND']) {
      const reply = await gateway.call(`${BASE}/?region=N`, { method, ...JSON_ONLY });
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(JSON.parse(reply.text).MESSAGE).toContain(method);
    }
    const options = await gateway.call(`${BASE}/?region=N`, { method: 'OPTIONS', anonymous: true });
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it.each([
    ['/gateway/RESTListeningConnector/Locations.v2/Locations/?region=N', 'there is Locations.v1'],
    ['/gateway/RESTListeningConnector/Nope.v1/x', 'service "Nope.v1"'],
    ['/gateway/RESTListeningConnector/Locations.v1/Nope', 'resource "Nope" in service Locations.v1'],
    ['/gateway/RESTListeningConnector/OTHER/Locations.v1/Locations/?region=N', 'service "OTHER"'],
    ['/nowhere', 'such path'],
  ])('%s is 404', async (path, words) => {
    const reply = await gateway.call(path);
    expect(reply.status).toBe(404);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(reply.text)).toMatchObject({
      status: 404,
      title: 'Not Found',
      code: 'NOT_FOUND',
      detail: expect.stringContaining(words),
      requestId: reply.headers['x-request-id'],
    });
  });

  it('401 and 403 carry the fault document', async () => {
    const without = await gateway.call(`${BASE}/?region=N`, { anonymous: true });
    expect(without.status).toBe(401);
    expect(unwrap(without)).toEqual({ MESSAGE: 'Credentials are missing or wrong.' });
    const guest = await gateway.call(`${BASE}/?region=N`, { headers: { authorization: GUEST } });
    expect(guest.status).toBe(403);
    expect(unwrap(guest)).toEqual({ MESSAGE: 'User guest may not use operation LOCATIONS_GET.' });
  });
});
