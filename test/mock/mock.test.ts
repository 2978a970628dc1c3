import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { exampleDocument } from '../../src/describe/example/value.ts';
import { madeField } from '../../src/load/document/field.ts';
import { mockAnswerer } from '../../src/mock/answer.ts';
import { Answers, EVERY_OPERATION } from '../../src/mock/answers.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import type { MockAnswers } from '../../src/mock/mock-port.ts';
import { startMock } from '../../src/mock/serve.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { load } from '../load/linked.ts';
import { atFileEnd } from '../support/file-end.ts';
import { registryIn } from './project.ts';

// No handler file exists, and no database.
const { registry } = registryIn();

async function mock(settings: MockAnswers = {}): Promise<string> {
  const replaced = (operation: Parameters<typeof mockAnswerer>[0]) => ({ answerer: mockAnswerer(operation, settings) });
  const running = await startMock({ registry, replaced, port: 0, log: { level: 'silent' } });
  atFileEnd(running.close);
  return `${running.address}/gateway`;
}

/** The JSON of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: what it is, the test says
const json = async (response: Response): Promise<any> => response.json();

const base = await mock();
const VEHICLE = `${base}/RESTListeningConnector/Vehicles.v1/Vehicles`;

describe('a mock', () => {
  it('answers from examples, enums and types, without credentials', async () => {
    const response = await fetch(`${VEHICLE}/M%20AB%201`);
    expect(response.status).toBe(200);
    const vehicle = await json(response);
    expect(vehicle).toMatchObject({
      PLATE: 'M AB 1',
      STATUS: expect.stringMatching(/^(ready|rented|repair)$/),
      BOUGHT: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      VIN: expect.stringMatching(/^[A-HJ-NPR-Z0-9]{17}$/),
      ELECTRIC: expect.any(Boolean),
      OWNER: { NAME: expect.any(String) },
    });
    expect(vehicle.NOTES.length).toBeGreaterThan(0);
  });

  it('answers with lists and maps', async () => {
    const list = await json(await fetch(VEHICLE.replace(/Vehicles$/, 'Notes')));
    expect(list[0]).toEqual({ TEXT: expect.any(String), REPLIES: [] });
    const { COUNTS } = await json(await fetch(VEHICLE.replace('/Vehicles.v1/Vehicles', '/Vehicles.v1/Stock')));
    expect(COUNTS).toMatchObject({ key1: expect.any(Number), key2: expect.any(Number) });
  });

  it('answers with each document of a choice, and with one that ends', async () => {
    const { PAID, TREE } = await json(await fetch(VEHICLE.replace('/Vehicles.v1/Vehicles', '/Vehicles.v1/Stock')));
    const card = { kind: 'card', NUMBER: expect.any(String) };
    expect(PAID).toContainEqual(card);
    expect(PAID).toContainEqual({ kind: 'transfer', IBAN: expect.any(String) });
    expect(TREE).toEqual({ NUMBER: expect.any(String) });
  });

  it('answers with each document that derives from another one', async () => {
    const { OWNED } = await json(await fetch(VEHICLE.replace('/Vehicles.v1/Vehicles', '/Vehicles.v1/Stock')));
    expect(OWNED).toContainEqual({ type: 'BOAT', LENGTH: expect.any(Number) });
    expect(OWNED).toContainEqual({ type: 'FLEET' });
    expect((OWNED as { type: string }[]).filter(({ type }) => type === 'OWNED')).toEqual([]);
  });

  it('takes a message, and delivers it to nobody', async () => {
    const response = await fetch(VEHICLE.replace(/Vehicles$/, 'sold'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ PLATE: 'M AB 1', STATUS: 'ready', SEATS: 4 }),
    });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ message: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('gives the same reply to the same request, and others to another request or with another seed', async () => {
    const of = async (url: string): Promise<unknown> => (await fetch(url)).json();
    const first = await of(`${VEHICLE}/A1`);
    expect(await of(`${VEHICLE}/A1`)).toEqual(first);
    expect(await of(`${VEHICLE}/A2`)).not.toEqual(first);
    const other = await mock({ seed: 7 });
    expect(await of(`${other}/RESTListeningConnector/Vehicles.v1/Vehicles/A1`)).not.toEqual(first);
  });

  it('checks requests as the gateway does', async () => {
    const wrong = await fetch(`${VEHICLE}/lower%20case`);
    expect([wrong.status, (await json(wrong)).code]).toEqual([400, 'BAD_PARAMETER']);
    const init = { method: 'POST', body: '{"SEATS":12}', headers: { 'Content-Type': 'application/json' } };
    expect((await fetch(VEHICLE, init)).status).toBe(400);
    expect((await fetch(`${VEHICLE}/A1`, { method: 'DELETE' })).status).toBe(405);
  });

  it.each([
    ['code=404', 404, 'NOT_FOUND'],
    ['handling=lenient, code=503;x=y', 503, 'UNAVAILABLE'],
    ['code=418', 418, 'STATUS_418'],
    ['code=700', 400, 'BAD_REQUEST'],
    ['code=302', 400, 'BAD_REQUEST'],
    ['wait=soon', 400, 'BAD_REQUEST'],
  ])('replies the fault that Prefer: %s chooses', async (prefer, status, code) => {
    const response = await fetch(`${VEHICLE}/A1`, { headers: { prefer } });
    expect([response.status, (await json(response)).code]).toEqual([status, code]);
    if (status !== 400) expect(response.headers.get('preference-applied')).toBe(`code=${status}`);
  });

  it('replies the success status that Prefer chooses', async () => {
    const response = await fetch(`${VEHICLE}/A1`, { headers: { Prefer: 'code=202' } });
    expect([response.status, (await json(response)).PLATE]).toEqual([202, 'M AB 1']);
  });

  it.each([
    ['code=304', 'code=304 in Prefer is not a status from 200 to 299, or from 400 to 599'],
    ['code=200.5', 'code=200.5 in Prefer is not a status from 200'],
    ['code=x', 'code=x in Prefer is not a status from 200'],
    ['wait=301', 'wait=301 in Prefer is not a number of seconds from 0 to 300'],
  ])('refuses Prefer: %s, and says what there is', async (prefer, detail) => {
    const response = await fetch(`${VEHICLE}/A1`, { headers: { Prefer: prefer } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining(detail) });
  });

  it('waits as long as Prefer or a delay of its answers says', async () => {
    const answers = new Answers();
    answers.add(EVERY_OPERATION, { delay: 60 });
    const slow = await mock({ answers: [answers] });
    for (const [url, prefer] of [
      [`${slow}/RESTListeningConnector/Vehicles.v1/Vehicles/A1`, 'x=y'],
      [`${VEHICLE}/A1`, 'wait=0.06'],
    ] as const) {
      const start = performance.now();
      await fetch(url, { headers: { prefer } });
      expect(performance.now() - start).toBeGreaterThanOrEqual(58);
    }
  });

  it('answers over SOAP, with faults too', async () => {
    const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><VEHICLE_GET xmlns="urn:test:Vehicles.v1"><PLATE>A1</PLATE></VEHICLE_GET></e:Body></e:Envelope>`;
    const headers = { 'Content-Type': 'text/xml', SOAPAction: '"VEHICLE_GET.v1"' };
    const post = (more: Record<string, string> = {}): Promise<Response> =>
      fetch(`${base}/PeopleSoftServiceListeningConnector`, { method: 'POST', body, headers: { ...headers, ...more } });
    const good = await post();
    expect([good.status, await good.text()]).toEqual([200, expect.stringContaining('<PLATE>M AB 1</PLATE>')]);
    const bad = await post({ Prefer: 'code=404' });
    expect([bad.status, await bad.text()]).toEqual([
      500,
      expect.stringContaining('VEHICLE_GET was asked for this fault'),
    ]);
  });

  it('replies lists and single values that have no document', async () => {
    const list = await json(await fetch(VEHICLE));
    expect(list[0]).toMatchObject({ PLATE: 'M AB 1' });
    expect(await json(await fetch(`${base}/RESTListeningConnector/Vehicles.v1/Count`))).toEqual(expect.any(Number));
  });

  it('serves the contracts', async () => {
    const contract = await json(await fetch(`${base}/RESTListeningConnector/Vehicles.v1.openapi.json`));
    expect(Object.keys(contract.paths).join(' ')).toContain('Vehicles/{PLATE}');
  });
});

describe('the value of a document', () => {
  const document = registry.documents.get('VEHICLE') as Document;

  it('fits the document, whatever the seed', () => {
    const codec = compileDocument(document, { namespace: '' });
    for (let seed = 0; seed < 200; seed++) {
      const value = instanceOf(document, seeded(String(seed)));
      expect(codec.fromJson(codec.toJson(value))).toEqual(value);
    }
  });

  it('has entries without spaces where spaces separate them', () => {
    const type: Field['type'] = { kind: 'list', item: { kind: 'string' }, flat: false, spaced: true };
    const words = madeField('FIRST_NAMES', type, document.at, { required: true });
    for (const field of [words, { ...words, entry: { minimum: 40 } }]) {
      const listed: Document = { ...document, fields: [field] };
      const codec = compileDocument(listed, { namespace: '' });
      for (let seed = 0; seed < 20; seed++) {
        const value = instanceOf(listed, seeded(String(seed)));
        expect(codec.fromXml(readXml(codec.toXml(value)))).toEqual(value);
      }
    }
  });

  it('has no optional part that no value can be made for, in a mock as in contracts', () => {
    const { documents } = load(`document: ORDER
fields: { ID: integer, PARENT: CHILD, ODD: { fields: { CODE: { type: string(3), pattern: "y{40}", required: true } } } }
---
document: CHILD
fields: { OF: { type: ORDER, required: true } }
`);
    const order = documents.get('ORDER') as Document;
    expect(exampleDocument(order)).toEqual({ ID: 1 });
    for (const seed of ['a', 'b', 'c']) expect(Object.keys(instanceOf(order, seeded(seed)))).toEqual(['ID']);
  });

  it('is null where only null ends it', () => {
    const { documents } = load(
      'document: STEP\nfields: { ID: integer, NEXT: { type: STEP, required: true, nullable: true } }',
    );
    const step = documents.get('STEP') as Document;
    expect(exampleDocument(step)).toEqual({ ID: 1, NEXT: null });
    const value = instanceOf(step, seeded('a'));
    expect(value).toEqual({ ID: expect.anything(), NEXT: null });
    const codec = compileDocument(step, { namespace: '' });
    expect(codec.fromXml(readXml(codec.toXml(value)))).toEqual(value);
  });

  it('has no entry in a list that may have none', () => {
    const none = { ...(document.fields.find(({ name }) => name === 'NOTES') as Field), maximum: 0, required: true };
    const emptied: Document = { ...document, fields: [none] };
    expect(exampleDocument(emptied)).toEqual({ NOTES: [] });
    expect(instanceOf(emptied, seeded(''))).toEqual({ NOTES: [] });
  });

  it('names the required field that no value can be made for', () => {
    const field = document.fields.find(({ name }) => name === 'VIN') as Document['fields'][number];
    const odd = { ...document, fields: [{ ...field, required: true, patterns: ['y{40}'] }] };
    expect(() => instanceOf(odd as Document, seeded(''))).toThrow(/^VIN needs an example in VEHICLE/);
  });
});
