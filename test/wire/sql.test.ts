import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanSql, splitSql } from '../../src/wire/sql.ts';

const prompts = (sql: string): string[] => scanSql(sql).flatMap((token) => (token.kind === 'prompt' ? token.name : []));
const kinds = (sql: string): string[] => scanSql(sql).map((token) => token.kind);
const foreign = (sql: string): string[] =>
  scanSql(sql).flatMap((token) => (token.kind === 'foreign' ? token.text : []));

describe('prompts', () => {
  it.each([
    ['select :A, :B_2', ['A', 'B_2']],
    ['select :A+:A', ['A', 'A']],
    ["select ':A'", []],
    ["select 'it''s :A', :B", ['B']],
    ['select ":A", `:B`, :C', ['C']],
    ['select "a"":A", :B', ['B']],
    ['select 1 -- :A\n, :B', ['B']],
    ['select 1 /* :A -- */ , :B', ['B']],
    ["select '--', :A", ['A']],
    ["select '/*', :A", ['A']],
    ['select a::integer, :B::text', ['B']],
    ['select $$ :A $$, $x$ :B $$ $x$, :C', ['C']],
    ["select E'it\\'s :A', :B", ['B']],
    ["select name'x', :B", ['B']],
    ['select a[1:2], :B', ['B']],
    ['select 12:A', ['A']],
    ['select :1', []],
  ])('of %s', (sql, expected) => {
    expect(prompts(sql)).toEqual(expected);
  });

  it('stand where their offsets say', () => {
    const sql = 'select :ONE from t where x = :TWO';
    const cut = scanSql(sql).flatMap((token) => (token.kind === 'prompt' ? sql.slice(token.offset, token.end) : []));
    expect(cut).toEqual([':ONE', ':TWO']);
  });

  it('are found wherever something quoted stands between them', () => {
    const quoted = fc.oneof(
      fc.string({ maxLength: 8 }).map((text) => `'${text.replaceAll("'", "''")}'`),
      fc.string({ maxLength: 8 }).map((text) => `"${text.replaceAll('"', '""')}"`),
      fc.string({ maxLength: 8 }).map((text) => `/*${text.replaceAll('*', '')}*/`),
      fc.string({ maxLength: 8 }).map((text) => `--${text.replaceAll(/[\r\n]/g, '')}\n`),
    );
    fc.assert(
      fc.property(fc.array(quoted, { maxLength: 5 }), (between) => {
        const sql = `select :FIRST, ${between.join(' , ')} , :LAST`;
        expect(prompts(sql)).toEqual(['FIRST', 'LAST']);
      }),
    );
  });
});

describe('other placeholders', () => {
  it.each([
    ['a = ?', ['?']],
    ['a = ?1', ['?1']],
    ['a = $1 and b = $name', ['$1', '$name']],
    ['a = @name', ['@name']],
    ["a @> '{}'", []],
    ['a ?| b and a ?& b', []],
    ["a #> '{x}'", []],
    ["a -> '$.x'", []],
  ])('in %s', (sql, expected) => {
    expect(foreign(`select 1 where ${sql}`)).toEqual(expected);
  });
});

describe('ends', () => {
  it.each([
    ["select 'a", 'a literal'],
    ["select 'a''", 'a literal'],
    ['select "a', 'a quoted name'],
    ['select /* a', 'a comment'],
    ['select $x$ a', 'a literal'],
    ['select (1', 'a parenthesis'],
  ])('inside something in %s', (sql, what) => {
    expect(scanSql(sql).at(-1)).toMatchObject({ kind: 'unterminated', what });
  });

  it('of statements are semicolons outside of quotes', () => {
    expect(kinds("select ';' /* ; */ ; -- ;")).toEqual(['word', 'other', 'semicolon']);
  });

  it('never with an exception', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (sql) => void scanSql(sql)));
    const unit = fc.constantFrom(...'\'"`-/*$:?@;()[] \na1E\\');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (sql) => void scanSql(sql)),
      { numRuns: 300 },
    );
  });
});

describe('words', () => {
  it('know their depth and whether a statement begins with them', () => {
    const words = scanSql('with a as (select 1) delete from b; update c').flatMap((token) =>
      token.kind === 'word' ? `${token.text} ${token.depth}${token.first ? ' first' : ''}` : [],
    );
    expect(words).toEqual([
      'with 0 first',
      'a 0',
      'as 0',
      'select 1 first',
      'delete 0',
      'from 0',
      'b 0',
      'update 0 first',
      'c 0',
    ]);
  });
});

describe('statements', () => {
  const split = (sql: string, dialect: 'sqlite' | 'postgres'): string[] =>
    splitSql(sql, dialect).map(({ offset, end }) => sql.slice(offset, end));

  it.each(['sqlite', 'postgres'] as const)('end at semicolons, without comments around them: %s', (dialect) => {
    const sql = "-- one;\n/* ; */ select 1 ;\n\n(select ';');; insert into \"a;b\" values ('it''s;') -- end;";
    expect(split(sql, dialect)).toEqual(['select 1', "(select ';')", "insert into \"a;b\" values ('it''s;') -- end;"]);
    expect(splitSql(sql, dialect)[2]?.words).toEqual(['insert', 'into', 'values']);
    expect(split(' -- nothing;\n', dialect)).toEqual([]);
  });

  const function1 = 'create function f() returns int language sql as $body$ select 1; select 2; $body$';
  const atomic =
    'CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END';
  const rule = 'create rule r as on insert to t do also (delete from u; delete from v)';
  const nested = 'select /* a; /* b; */ c; */ 1';
  it.each([
    function1,
    atomic,
    rule,
    nested,
    "do $$ begin perform ';'; end $$",
    "select E'\\';'",
  ])('of PostgreSQL keep their bodies: %s', (statement) => {
    expect(split(`select 0;${statement};\nselect 3`, 'postgres')).toEqual(['select 0', statement, 'select 3']);
  });

  const trigger =
    'CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET n = CASE WHEN 1 THEN 2 END; /* ; */ DELETE FROM b; -- x\n END';
  it.each([
    trigger,
    trigger.replace('TEMP ', ''),
    'create table [a;b] (`c;d` text)',
    'select 1 /* /* ; */',
  ])('of SQLite keep their bodies: %s', (statement) => {
    expect(split(`select 0;${statement};\nselect 3`, 'sqlite')).toEqual(['select 0', statement, 'select 3']);
  });

  it('begin after any number of comments', () => {
    expect(split(`${'-- line\n'.repeat(20_000)}select 1;`, 'postgres')).toEqual(['select 1']);
  });
});
