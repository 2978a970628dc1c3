import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayText, writeProject } from '../support/project.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { messageSchema } from './soap-schema.ts';
import { type Answer, demoSession, nodeSoap, php, runSessions, type SessionResult, zeep } from './soap-support.ts';
import { type Served, serve } from './support.ts';

const DEFINITIONS = `type: STATE
xml-type: StateType
base: string(1)
enum: [N, S]
labels: { N: New, S: Sent }
---
type: SIZE
base: integer
minimum: 1
maximum: 9
---
document: PARCEL
fields:
  STATE: { type: STATE, required: true }
  PAST: { type: list of STATE, maximum: 3 }
  SIZE: SIZE
  MARK: { type: STATE, attribute: true }
---
document: PET
fields: { NAME: { type: string(10), required: true }, LEGS: { type: integer, nullable: true } }
---
document: PRICES
fields:
  PRICES: { type: map of decimal(10.2), required: true, maximum: 3 }
  PETS: map of PET
  NOTE: { type: string(5), nullable: true, required: true }
---
document: CARD
fields: { NUMBER: { type: string, required: true } }
---
document: TRANSFER
fields: { IBAN: { type: string, required: true } }
---
document: PAYMENT
one-of: { card: CARD, transfer: TRANSFER }
by: kind
---
document: BILL
fields: { FIRST: { type: PAYMENT, required: true }, REST: list of PAYMENT }
---
service: Shapes.v1
permission: EVERYTHING
operations:
  LISTED: { soap: true, request: list of PET, response: list of PET, handler: back }
  NAMES: { soap: true, request: { fields: { MOST: integer } }, response: list of string, handler: names }
  COUNT: { soap: true, request: list of string, response: integer, handler: count }
  TOTALS: { soap: true, request: map of integer, response: map of integer, handler: back }
  PAID: { soap: true, request: PAYMENT, response: PAYMENT, handler: back }
  BILLED: { soap: true, request: BILL, response: BILL, handler: back }
  PRICED: { soap: true, request: PRICES, response: PRICES, handler: back }
  MOVED: { soap: true, request: PARCEL, response: PARCEL, handler: back }
`;

/** A project with those definitions, served. */
async function serveShapes(): Promise<{ readonly gateway: Served; readonly remove: () => void }> {
  const { root, remove } = writeProject({
    'definitions/gateway.yaml': gatewayText(),
    'definitions/shapes.yaml': DEFINITIONS,
    'src/handlers/back.ts': 'export default { onRequest: (given) => given.content ?? given };\n',
    'src/handlers/names.ts': "export default { onRequest: () => ['Rex', '<Nemo>'] };\n",
    'src/handlers/count.ts': 'export default { onRequest: ({ content }) => content.length };\n',
  });
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(process.cwd(), join(root, 'node_modules/signalbox'));
  return { gateway: await serve(root), remove };
}

/** Lists, single values, maps and null over SOAP, as a program of another maker calls them. */
describe.skipIf(!zeep.isHere)('the shapes of JSON over SOAP, with zeep', () => {
  let gateway: Served;
  let remove: () => void;
  let calls: SessionResult;
  let wsdl: string;
  beforeAll(async () => {
    ({ gateway, remove } = await serveShapes());
    const entry = (key: string, value: unknown) => ({ attributes: { key }, _value_1: value });
    const session = demoSession(gateway, 'Shapes.v1', '1.1', {
      listed: { operation: 'LISTED', argument: { PET: [{ NAME: 'Rex', LEGS: 4 }, { NAME: 'Nemo' }] } },
      empty: { operation: 'LISTED', argument: {} },
      names: { operation: 'NAMES', argument: {} },
      count: { operation: 'COUNT', argument: { item: ['a', 'b', 'c'] } },
      totals: { operation: 'TOTALS', argument: { content: { entry: [entry('a', 1), entry('__proto__', 2)] } } },
      priced: {
        operation: 'PRICED',
        argument: {
          PRICES: { entry: [entry('EUR', '1.50'), entry('', '2')] },
          PETS: { entry: [{ NAME: 'Rex', attributes: { key: 'first' } }] },
          NOTE: null,
        },
      },
      paid: { operation: 'PAID', argument: { transfer: { IBAN: 'x' } } },
      billed: {
        operation: 'BILLED',
        argument: {
          FIRST: { card: { NUMBER: '1' } },
          REST: { PAYMENT: [{ transfer: { IBAN: 'x' } }, { card: { NUMBER: '2' } }] },
        },
      },
      refused: {
        operation: 'PRICED',
        argument: { PRICES: { entry: [entry('EUR', '1'), entry('EUR', '2')] }, NOTE: 'text' },
      },
    });
    wsdl = session.wsdl;
    calls = (await runSessions(zeep, { shapes: { ...session, trace: true } })).shapes;
  });
  afterAll(async () => {
    await gateway?.stop();
    remove?.();
  });
  const answer = (call: string): Answer => calls.answers[call] as Answer;

  test('a list or a single value is what the operation returns', () => {
    expect(answer('listed').reply).toEqual([
      { NAME: 'Rex', LEGS: 4 },
      { NAME: 'Nemo', LEGS: null },
    ]);
    expect(answer('empty')).toMatchObject({ reply: [] });
    expect(answer('names').reply).toEqual(['Rex', '<Nemo>']);
    expect(answer('count').reply).toBe(3);
  });

  test('a map is its entries with their keys, and null an element that is nil', () => {
    expect(answer('totals').reply).toEqual([
      { _value_1: 1, key: 'a' },
      { _value_1: 2, key: '__proto__' },
    ]);
    expect(answer('priced').reply).toEqual({
      PRICES: {
        entry: [
          { _value_1: '1.50', key: 'EUR' },
          { _value_1: '2', key: '' },
        ],
      },
      PETS: { entry: [{ NAME: 'Rex', LEGS: null, key: 'first' }] },
      NOTE: null,
    });
    expect(answer('priced').received).toMatch(/<NOTE [^>]*xsi:nil="true"\/>/);
    expect(answer('refused').fault).toMatchObject({ reason: expect.stringContaining('EUR is given more than once') });
  });

  test('a choice is an element that one of its documents is in', () => {
    expect(answer('paid').reply).toEqual({ card: null, transfer: { IBAN: 'x' } });
    expect(answer('billed').reply).toEqual({
      FIRST: { card: { NUMBER: '1' }, transfer: null },
      REST: {
        PAYMENT: [
          { card: null, transfer: { IBAN: 'x' } },
          { card: { NUMBER: '2' }, transfer: null },
        ],
      },
    });
  });

  test.skipIf(!hasXmllint)(
    'what is sent and received is what the schemas of the WSDL allow (needs xmllint)',
    async () => {
      const messages = Object.entries(calls.answers).flatMap(([name, { sent, received }]) =>
        name === 'refused' ? [] : [sent, received],
      );
      const known = messages.filter((each) => each !== undefined);
      expect(known.length).toBe(16);
      expect(validateXml(messageSchema('1.1', await (await fetch(wsdl)).text()), known)).toBe('');
    },
  );
});

/** Named simple types, which a WSDL has as types of its schemas, as programs of other makers read them. */
describe('named types over SOAP', () => {
  let gateway: Served;
  let remove: () => void;
  beforeAll(async () => {
    ({ gateway, remove } = await serveShapes());
  });
  afterAll(async () => {
    await gateway?.stop();
    remove?.();
  });

  const clients = Object.entries({ zeep, php, nodeSoap }).filter(([, { isHere }]) => isHere);
  test.each(clients)('%s writes and reads their values', async (_, client) => {
    const session = demoSession(gateway, 'Shapes.v1', '1.1', {
      moved: { operation: 'MOVED', argument: { STATE: 'N', PAST: { item: ['S', 'N'] }, SIZE: 7 } },
      refused: { operation: 'MOVED', argument: { STATE: 'X' } },
    });
    const { shapes } = await runSessions(client, { shapes: { ...session, trace: true } });
    expect(shapes.answers.moved).toMatchObject({ reply: { STATE: 'N' } });
    expect(JSON.stringify(shapes.answers.moved?.reply)).toMatch(/"S","N".*"SIZE":"?7/);
    expect(shapes.answers.refused?.fault).toMatchObject({ reason: expect.stringContaining('STATE') });
    const { sent, received } = shapes.answers.moved as Answer;
    if (!hasXmllint) return;
    const known = [sent, received].filter((each) => each !== undefined);
    expect(validateXml(messageSchema('1.1', await (await fetch(session.wsdl)).text()), known)).toBe('');
  });
});
