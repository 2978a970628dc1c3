import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanSql } from '../../src/wire/sql.ts';

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
