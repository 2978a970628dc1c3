import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComponentsGateway, ENGINES, startComponents } from './components-project.ts';

// Values that a database has and a type has not.

describe.each(ENGINES)('a component on %s whose row has an odd value', (kind) => {
  let gateway: ComponentsGateway;
  beforeAll(async () => {
    gateway = await startComponents(kind);
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
  });
});
