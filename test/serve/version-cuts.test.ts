import { beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const DEFINITIONS = `service: Parts.v2
public: true
operations:
  PART_GET:
    get: "parts{?n}"
    handler: own
    request: { fields: { n: integer } }
    response: { fields: { name: string, weight: decimal, tags: list of string, codes: map of string, lines: list of LINE } }
---
service: Parts.v1
public: true
operations:
  PART_GET:
    get: "parts{?n}"
    call: Parts.v2
    request: { fields: { n: integer } }
    response: { fields: { NAME: string(3), WEIGHT: decimal(4.1), TAGS: { type: list of string(2), maximum: 2 }, CODES: map of string(2), LINES: { type: list of LINE, maximum: 2 }, SHORT: { type: list of SHORT_LINE, maximum: 1 } } }
    map:
      response:
        NAME: { from: name, cut: true }
        WEIGHT: { from: weight, cut: true, fault: true }
        TAGS: { from: tags, cut: true }
        CODES: { from: codes, cut: true }
        LINES: { from: lines, cut: true }
        SHORT: { from: lines, cut: true, map: { WORD: { from: word, cut: true } } }
---
document: LINE
fields: { word: string }
---
document: SHORT_LINE
fields: { WORD: string(2) }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/users.yaml': USERS,
      'definitions/parts.yaml': DEFINITIONS,
      'src/handlers/own.ts': `export default { onRequest: ({ n }) => [
  { name: 'a\u{1f600}bc', weight: '12.345', tags: ['one', 'a', 'three'], codes: { x: 'abc' }, lines: [{ word: 'one' }, { word: 'two' }, { word: 'three' }] },
  { name: 'ab', weight: '-0.05', tags: [], codes: {} },
  { name: 'ab', weight: '99999.9' },
][Number(n)] };\n`,
    },
  });
  return () => gateway.stop();
});

const get = async (n: number) => {
  const { status, text } = await gateway.call(`/gateway/RESTListeningConnector/Parts.v1/parts?n=${n}`, {
    anonymous: true,
  });
  return { status, body: JSON.parse(text) };
};

it('values that are too long are cut where `map` says so: by characters, by entries, by digits that are rounded', async () => {
  expect(await get(0)).toEqual({
    status: 200,
    body: {
      NAME: 'a\u{1f600}b',
      WEIGHT: 12.3,
      TAGS: ['on', 'a'],
      CODES: { x: 'ab' },
      LINES: [{ word: 'one' }, { word: 'two' }],
      SHORT: [{ WORD: 'on' }],
    },
  });
  expect(await get(1)).toEqual({ status: 200, body: { NAME: 'ab', WEIGHT: -0.1, TAGS: [], CODES: {} } });
});

it('what no cut makes fit is a fault, which names no value', async () => {
  const { status, body } = await get(2);
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('99999');
});
