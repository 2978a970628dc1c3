import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const OPERATIONS = `operations:
  FIND_GET: { get: ["find{?colour,seats}", "search?mode=full&make={MAKE}{&colour}"], request: { fields: { colour: string, seats: integer, MAKE: string } }, response: json, handler: echo }
  LIST_GET: { get: "list{?tag*}", request: { fields: { tag: list of string } }, response: json, handler: echo }
  BARE_POST: { post: bare, request: { fields: { A: integer } }, response: json, handler: echo }
  LAX_GET: { get: "lax{?colour}", request: { fields: { colour: string } }, response: json, handler: echo, strict: false }
`;

const files = (gateway: string, service: string) => ({
  'definitions/gateway.yaml': gatewayText(`${gateway}\ndelivered: [PROCESSREQUEST.v1]`),
  'definitions/users.yaml': USERS.replace(
    'permission-list: EVERYTHING\n',
    'permission-list: EVERYTHING\noperations: [PROCESSREQUEST.*]\n',
  ),
  'definitions/cars.yaml': `service: Cars.v1\npermission: EVERYTHING\n${service}${OPERATIONS}`,
  'src/handlers/echo.ts': 'export default { onRequest: (input) => input };\n',
});

const BASE = '/gateway/RESTListeningConnector/Cars.v1';

describe('strict', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: files('strict: true', '') });
  });
  afterAll(() => gateway.stop());
  const get = (path: string): Promise<Reply> => gateway.call(`${BASE}/${path}`);
  const errorsOf = ({ status, text }: Reply): unknown => [status, JSON.parse(text).errors];

  it('takes the parameters of the URI, those with a literal value and lists too', async () => {
    for (const path of [
      'find',
      'find?colour=red&seats=1',
      'search?mode=full&make=A&colour=',
      'list?tag=a&tag=b',
      'list?t%61g=a',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it('refuses others with 400, each by its name, and says what was probably meant', async () => {
    expect(errorsOf(await get('find?color=red&seats=x&zzz=1&color=blue'))).toEqual([
      400,
      [
        { parameter: 'seats', detail: 'seats is not an integer.' },
        { parameter: 'color', detail: 'color is not a query parameter of this operation (did you mean colour?).' },
        { parameter: 'zzz', detail: 'zzz is not a query parameter of this operation; it has colour, seats.' },
      ],
    ]);
    const { status, text } = await gateway.call(`${BASE}/bare?a%20b=1`, { method: 'POST', body: '{"A":1}' });
    expect([status, JSON.parse(text).detail]).toEqual([
      400,
      '"a b" is not a query parameter of this operation; it has none.',
    ]);
  });

  it('keeps a reply to very many or very long ones small', async () => {
    for (const query of [
      Array.from({ length: 900 }, (_, i) => `n${i}=1`).join('&'),
      Array.from({ length: 60 }, (_, i) => `${'n'.repeat(900)}${i}=1`).join('&'),
    ]) {
      const { status, text } = await get(`find?${query}`);
      expect([status, JSON.parse(text).errors.length]).toEqual([400, 32]);
      expect(text.length).toBeLessThan(16_384);
    }
  });

  it('gives way to an operation that says otherwise, and leaves delivered services as they are', async () => {
    expect((await get('lax?colour=red&other=1')).status).toBe(200);
    const listed = await gateway.call('/gateway/RESTListeningConnector/ProcessRequest.v1/requests?other=1');
    expect([listed.status, listed.text]).toEqual([200, expect.not.stringContaining('other')]);
  });
});

it('applies to a service alone too; without it unknown parameters are ignored', async () => {
  const strict = await startTestGateway({ files: files('', 'strict: true\n') });
  const lax = await startTestGateway({ files: files('', '') });
  try {
    expect((await strict.call(`${BASE}/find?other=1`)).status).toBe(400);
    expect((await lax.call(`${BASE}/find?other=1`)).status).toBe(200);
  } finally {
    await Promise.all([strict.stop(), lax.stop()]);
  }
});
