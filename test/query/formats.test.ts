import { afterAll, describe, expect, it } from 'vitest';
import type { QueryResult, ResultFormat, XmlNames } from '../../src/query/index.ts';
import { field } from '../support/registry.ts';
import { databaseOf, query, readersOf, textOf } from './support.ts';

const table = `
  create table t (id integer, name text, cost, at text, flag text);
  insert into t values
    (1, 'Ana & "Bob" <x> ]]> é', '12.340', '2026-07-01 10:00:00', 'Y'),
    (9007199254740993, null, null, null, null);`;
const columns = { ID: 'integer', NAME: 'string', COST: 'decimal', AT: 'datetime', FLAG: 'flag' } as const;
const all = query('select id, name, cost, at, flag from t order by id', columns);
const none = query('select id, name, cost, at, flag from t where id < 0', columns);
const xml: XmlNames = { root: 'REPLY', namespace: 'urn:x', list: 'rows', item: 'row' };

const port = readersOf(await databaseOf(table, afterAll), { timezone: 'Europe/Berlin' }, afterAll);

function run(format: ResultFormat, of = all): Promise<QueryResult> {
  return port.run({ query: of, prompts: {}, format, xml });
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

describe('json', () => {
  it('is the documented shape to the letter', async () => {
    const result = await run('json');
    expect(await textOf(result)).toBe(
      '{"status":"success","data":{"query":{"numrows":2,"queryname=":"A_QUERY","rows":[' +
        '{"attr:rownumber":1,"ID":1,"NAME":"Ana & \\"Bob\\" <x> ]]> é","COST":12.340,"AT":"2026-07-01T10:00:00+0200","FLAG":"Y"},' +
        '{"attr:rownumber":2,"ID":9007199254740993,"NAME":"","COST":"","AT":"","FLAG":""}]}}}',
    );
    expect(result).toMatchObject({ rows: 2, truncated: false, contentType: 'application/json' });
  });

  it('has an empty list where there are no rows', async () => {
    expect(await textOf(await run('json', none))).toBe(
      '{"status":"success","data":{"query":{"numrows":0,"queryname=":"A_QUERY","rows":[]}}}',
    );
  });
});

describe('xmlp', () => {
  it('has one element a column, texts in CDATA', async () => {
    const result = await run('xmlp');
    expect(await textOf(result)).toBe(
      `${declaration}<QAS_GETQUERYRESULTS_RESP_MSG><query numrows="2" queryname="A_QUERY">` +
        '<row rownumber="1"><ID>1</ID><NAME><![CDATA[Ana & "Bob" <x> ]]]]><![CDATA[> é]]></NAME><COST>12.340</COST>' +
        '<AT>2026-07-01T10:00:00+0200</AT><FLAG><![CDATA[Y]]></FLAG></row>' +
        '<row rownumber="2"><ID>9007199254740993</ID><NAME/><COST/><AT/><FLAG/></row></query></QAS_GETQUERYRESULTS_RESP_MSG>',
    );
    expect(result.contentType).toBe('application/xml');
  });

  it('is an empty query where there are no rows', async () => {
    expect(await textOf(await run('xmlp', none))).toBe(
      `${declaration}<QAS_GETQUERYRESULTS_RESP_MSG><query numrows="0" queryname="A_QUERY"></query></QAS_GETQUERYRESULTS_RESP_MSG>`,
    );
  });

  it('carries names with an alias, and replaces what XML has no place for', async () => {
    const odd = query(`select 'a' || char(1) || 'b' || char(13) || 'c' as "a.emplid"`, { 'A.EMPLID': 'string' });
    const text = await textOf(await port.run({ query: odd, prompts: {}, format: 'xmlp' }));
    expect(text).toContain('<A.EMPLID><![CDATA[a\uFFFDb]]>&#13;<![CDATA[c]]></A.EMPLID>');
  });
});

describe('webrowset', () => {
  it('describes the columns and holds the rows, an SQL NULL as an empty text in its place', async () => {
    const text = await textOf(await run('webrowset'));
    expect(text).toMatch(/^<\?xml [^>]*\?><webRowSet xmlns="http:\/\/java\.sun\.com\/xml\/ns\/jdbc"><properties>/);
    expect([...text.matchAll(/<column-name>([^<]*)</g)].map((match) => match[1])).toEqual(Object.keys(columns));
    expect([...text.matchAll(/<column-type-name>([^<]*)</g)].map((match) => match[1])).toEqual([
      'BIGINT',
      'VARCHAR',
      'DECIMAL',
      'TIMESTAMP',
      'CHAR',
    ]);
    expect(text.slice(text.indexOf('<data>'))).toBe(
      '<data><currentRow><columnValue>1</columnValue><columnValue>Ana &amp; "Bob" &lt;x&gt; ]]&gt; é</columnValue>' +
        '<columnValue>12.340</columnValue><columnValue>2026-07-01T10:00:00+0200</columnValue><columnValue>Y</columnValue></currentRow>' +
        '<currentRow><columnValue>9007199254740993</columnValue>' +
        '<columnValue></columnValue>'.repeat(4) +
        '</currentRow></data></webRowSet>',
    );
    expect(text).not.toContain('select');
  });

  it('has no rows where there are none', async () => {
    expect(await textOf(await run('webrowset', none))).toMatch(
      /<column-count>5<\/column-count>.*<data><\/data><\/webRowSet>$/,
    );
  });
});

describe('csv', () => {
  it('follows RFC 4180', async () => {
    const result = await run('csv');
    expect(await textOf(result)).toBe(
      'ID,NAME,COST,AT,FLAG\r\n1,"Ana & ""Bob"" <x> ]]> é",12.340,2026-07-01T10:00:00+0200,Y\r\n9007199254740993,,,,\r\n',
    );
    expect(result.contentType).toBe('text/csv; charset=utf-8; header=present');
  });

  it('quotes what needs it, and leaves values as they are', async () => {
    const odd = query(
      `select * from (values ('a,b'), ('c' || char(13) || 'd'), ('e' || char(10) || 'f'), ('=1+1'), (''))`,
      { COLUMN1: 'string' },
    );
    expect(await textOf(await port.run({ query: odd, prompts: {}, format: 'csv' }))).toBe(
      'COLUMN1\r\n"a,b"\r\n"c\rd"\r\n"e\nf"\r\n=1+1\r\n""\r\n',
    );
  });

  const formulas = query(
    `select * from (values ('=1+1', -5, '+41 79', 'x'), ('@sum', -0.5, char(9) || 'a', '-2'), ('-2+3', 7, char(13) || 'b', ' =1'))`,
    { COLUMN1: 'string', COLUMN2: 'decimal', COLUMN3: 'string', COLUMN4: 'string' },
  );

  it('neutralises what a spreadsheet calculates, where the query or the caller asks for it, and no number', async () => {
    const neutral =
      "COLUMN1,COLUMN2,COLUMN3,COLUMN4\r\n'=1+1,-5,'+41 79,x\r\n'@sum,-0.5,'\ta,-2\r\n'-2+3,7,\"'\rb\", =1\r\n";
    const call = { query: formulas, prompts: {}, format: 'csv' } as const;
    expect(await textOf(await port.run({ ...call, csv: { neutral: true } }))).toBe(neutral);
    const own = { ...formulas, csv: { neutral: true } };
    expect(await textOf(await port.run({ ...call, query: own }))).toBe(neutral);
    expect(await textOf(await port.run({ ...call, query: own, csv: { neutral: false } }))).toContain('\n@sum,');
  });

  it('begins with a byte order mark and has a file name, where they are asked for', async () => {
    const own = { ...formulas, csv: { bom: true, file: 'rows.csv' } };
    const result = await port.run({ query: own, prompts: {}, format: 'csv' });
    expect(result.headers).toEqual({ 'Content-Disposition': 'attachment; filename="rows.csv"' });
    const text = await textOf(result);
    expect(text.startsWith('\uFEFFCOLUMN1,')).toBe(true);
    expect(result.length).toBe(Buffer.byteLength(text));
    expect((await port.run({ query: own, prompts: {}, format: 'json' })).headers).toBeUndefined();
  });

  it('is its header where there are no rows', async () => {
    expect(await textOf(await run('csv', none))).toBe('ID,NAME,COST,AT,FLAG\r\n');
  });
});

describe('rows of a reply document', () => {
  it('leave out what is NULL, and have offsets with a colon', async () => {
    expect(await textOf(await run('rows-json'))).toBe(
      '{"rows":[{"ID":1,"NAME":"Ana & \\"Bob\\" <x> ]]> é","COST":12.340,"AT":"2026-07-01T10:00:00+02:00","FLAG":"Y"},' +
        '{"ID":9007199254740993}]}',
    );
    expect(await textOf(await run('rows-xml'))).toBe(
      '<REPLY xmlns="urn:x"><rows><row><ID>1</ID><NAME>Ana &amp; "Bob" &lt;x&gt; ]]&gt; é</NAME><COST>12.340</COST>' +
        '<AT>2026-07-01T10:00:00+02:00</AT><FLAG>Y</FLAG></row><row><ID>9007199254740993</ID></row></rows></REPLY>',
    );
  });

  it('are an empty list where there are none', async () => {
    expect(await textOf(await run('rows-json', none))).toBe('{"rows":[]}');
    expect(await textOf(await run('rows-xml', none))).toBe('<REPLY xmlns="urn:x"><rows/></REPLY>');
  });

  it('use the names, places and blanks of the columns', async () => {
    const shaped = query(
      `select 7 as id, null as name, null as cost, '[1.50,{"a":null}]' as more, 1 as yes, 'z' as other`,
      {
        ID: field('ID', 'integer', { jsonName: 'id', xmlName: 'Id', attribute: true }),
        NAME: field('NAME', 'string', { absent: 'blank' }),
        COST: field('COST', 'decimal', { absent: 'blank' }),
        MORE: 'json',
        YES: field('YES', 'boolean', { jsonName: '__proto__' }),
        OTHER: field('OTHER', 'string', { namespace: 'urn:o' }),
      },
    );
    const call = { query: shaped, prompts: {}, xml } as const;
    expect(await textOf(await port.run({ ...call, format: 'rows-json' }))).toBe(
      '{"rows":[{"id":7,"NAME":"","COST":null,"MORE":[1.50,{"a":null}],"__proto__":true,"OTHER":"z"}]}',
    );
    expect(await textOf(await port.run({ ...call, format: 'rows-xml' }))).toBe(
      '<REPLY xmlns="urn:x"><rows><row Id="7"><NAME/><MORE>[1.50,{"a":null}]</MORE><YES>true</YES>' +
        '<OTHER xmlns="urn:o">z</OTHER></row></rows></REPLY>',
    );
  });
});

describe('fields', () => {
  it('choose columns, which keep their declared order', async () => {
    const call = { query: all, prompts: {}, format: 'json' as const, maxrows: 1 };
    expect(await textOf(await port.run({ ...call, fields: ['AT', 'ID'] }))).toContain(
      '[{"attr:rownumber":1,"ID":1,"AT":"2026-07-01T10:00:00+0200"}]',
    );
    expect(await textOf(await port.run({ ...call, fields: [], format: 'csv' }))).toContain('ID,NAME,COST,AT,FLAG\r\n');
    await expect(port.run({ ...call, fields: ['ID', 'id'] })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'id is not a column of A_QUERY.',
    });
  });
});
