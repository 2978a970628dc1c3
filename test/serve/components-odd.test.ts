import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComponentsGateway, ENGINES, startComponents } from './components-project.ts';

// Values that a database has and a type has not.

const ODD = `component: ODD_PLACES
table: place
shape: ODD_PLACE
keys: [REGION, ID]
infinity: null
---
document: ODD_PLACE
fields:
  REGION: { type: string(1), required: true }
  ID: { type: integer, required: true }
  NAME: { type: string(10), required: true }
  STATUS: { type: string(1), required: true }
  PRICE: decimal(12.2)
  OPENED: date
  SEEN: { type: datetime, nullable: true }
  BIG: integer
---
component: REQUIRED_PLACES
table: place
shape: REQUIRED_PLACE
keys: [REGION, ID]
infinity: null
---
document: REQUIRED_PLACE
fields: { REGION: { type: string(1), required: true }, ID: { type: integer, required: true }, OPENED: { type: date, required: true } }
---
component: ONLY_PLACES
table: place
shape: ONLY_PLACE
keys: [REGION, ID]
infinity: null
---
document: ONLY_PLACE
fields: { REGION: { type: string(1), required: true }, ID: { type: integer, required: true }, OPENED: date }
---
service: OddPlaces.v1
permission: EVERYTHING
operations:
  ODD_GET: { get: "places/{REGION}/{ID}", soap: true, read: ODD_PLACES }
  ODD_PATCH: { patch: "places/{REGION}/{ID}", save: ODD_PLACES }
  ODD_PUT: { put: "places/{REGION}/{ID}", save: ODD_PLACES }
  REQUIRED_GET: { get: "required/{REGION}/{ID}", read: REQUIRED_PLACES }
  ONLY_PATCH: { patch: "only/{REGION}/{ID}", save: ONLY_PLACES }
`;

describe.each(ENGINES)('a component on %s whose row has an odd value', (kind) => {
  let gateway: ComponentsGateway;
  beforeAll(async () => {
    gateway = await startComponents(kind, { 'definitions/odd.yaml': ODD });
  });
  afterAll(() => gateway.stop());

  const columns =
    kind === 'sqlite'
      ? [
          ['SEEN', "'infinity'"],
          ['OPENED', "'0044-03-15 BC'"],
          ['PRICE', "'NaN'"],
          ['BIG', '9e999'],
        ]
      : [
          ['SEEN', "'infinity'"],
          ['SEEN', "'-infinity'"],
          ['OPENED', "'0044-03-15 BC'"],
          ['PRICE', "'NaN'"],
        ];

  it.each(columns)('names row and column: %s is %s', async (column, value) => {
    await gateway.rows("delete from place where region = 'O'");
    await gateway.rows(`insert into place (region, id, name, status, ${column}) values ('O', 7, 'odd', 'A', ${value})`);
    const place = `Component PLACES O/7 (column ${column})`;
    const path = '/gateway/RESTListeningConnector/Places.v1/places/O/7';
    const read = await gateway.call(path);
    expect([read.status, read.text]).toEqual([500, expect.stringContaining(place)]);
    const saved = await gateway.call(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"NAME":"new"}',
    });
    expect([saved.status, saved.text]).toEqual([500, expect.stringContaining(place)]);
    expect(JSON.stringify(gateway.log())).toContain(`the column ${column} of PLACES O/7 holds a value that is not a`);
    expect(JSON.stringify(gateway.log())).toContain('`infinity: null` of the component reads such values as absent');
  });

  describe('where the component has infinity: null', () => {
    const path = '/gateway/RESTListeningConnector/OddPlaces.v1/places/O/7';
    const COMMON = { REGION: 'O', ID: 7, NAME: 'odd', STATUS: 'A' };
    const save = (method: string, address: string, body: object) =>
      gateway.call(address, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const stored = async (column: string): Promise<unknown> =>
      (await gateway.rows(`select cast(${column} as text) as found from place where region = 'O'`))[0]!.found;

    it.each(
      columns,
    )('%s that is %s is absent, stays in a PATCH of others, and is replaced by name', async (column, value) => {
      await gateway.rows("delete from place where region = 'O'");
      await gateway.rows(
        `insert into place (region, id, name, status, ${column}) values ('O', 7, 'odd', 'A', ${value})`,
      );
      const before = await stored(column);
      const read = await gateway.call(path);
      expect([read.status, JSON.parse(read.text)]).toEqual([200, { ...COMMON, SEEN: null }]);
      const saved = await save('PATCH', path, { NAME: 'new' });
      expect([saved.status, JSON.parse(saved.text)]).toEqual([200, { ...COMMON, NAME: 'new', SEEN: null }]);
      expect(await stored(column)).toBe(before);
      expect((await save('PATCH', path, { [column]: null })).status).toBe(200);
      expect(await stored(column)).toBeNull();
    });

    it('a PUT replaces it, as the record that it names has none', async () => {
      await gateway.rows("delete from place where region = 'O'");
      await gateway.rows(
        "insert into place (region, id, name, status, opened) values ('O', 7, 'odd', 'A', 'infinity')",
      );
      expect((await save('PUT', path, { NAME: 'new', STATUS: 'A' })).status).toBe(200);
      expect(await stored('opened')).toBeNull();
    });

    it('a PATCH of nothing leaves the row as it is', async () => {
      await gateway.rows("delete from place where region = 'O'");
      await gateway.rows(
        "insert into place (region, id, name, status, opened) values ('O', 7, 'odd', 'A', 'infinity')",
      );
      const only = path.replace('/places/', '/only/');
      expect(await save('PATCH', only, {})).toMatchObject({ status: 200, text: '{"REGION":"O","ID":7}' });
      expect(await stored('opened')).toBe('infinity');
    });

    it('a required field is an error, as without it', async () => {
      await gateway.rows("delete from place where region = 'O'");
      await gateway.rows(
        "insert into place (region, id, name, status, opened) values ('O', 7, 'odd', 'A', 'infinity')",
      );
      const read = await gateway.call(path.replace('/places/', '/required/'));
      expect([read.status, read.text]).toEqual([500, expect.stringContaining('REQUIRED_PLACES O/7 (column OPENED)')]);
    });

    it('a value that is merely wrong is still an error', async () => {
      if (kind === 'postgres') return;
      await gateway.rows("delete from place where region = 'O'");
      await gateway.rows("insert into place (region, id, name, status, opened) values ('O', 7, 'odd', 'A', 'soon')");
      expect((await gateway.call(path)).status).toBe(500);
    });
  });
});
