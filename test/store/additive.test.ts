import { describe, expect, it } from 'vitest';
import { migrations, planOf } from '../../src/store/schema/schema.ts';

/** Why the version before could not go on working after a statement of a step; `undefined` when it can. */
function breaking(statement: string): string | undefined {
  if (/^(?:drop|truncate)\b|\bdrop (?:column|table|constraint|default)\b/i.test(statement)) return 'it drops something';
  if (/\brename\b/i.test(statement)) return 'it renames something';
  if (/^create unique index/i.test(statement)) return 'it refuses rows that were accepted';
  if (!/^alter table\b/i.test(statement)) return undefined;
  const added = /^alter table \S+ add column (.*);/i.exec(statement)?.[1];
  if (added === undefined) return 'it changes something other than adding a column';
  if (/\bnot null\b/i.test(added) && !/\bdefault\b/i.test(added))
    return 'it adds a column that older inserts leave out';
  return /\b(?:unique|primary key|check|references)\b/i.test(added) ? 'it refuses rows that were accepted' : undefined;
}

/** What breaks the version before, by step. A table that a step itself creates is not known to any version before. */
async function breaksOf(kind: 'sqlite' | 'postgres'): Promise<string[]> {
  const plan = await planOf(migrations.slice(1), kind, [{ name: '0001-schema' }]);
  return plan.flatMap(({ name, statements }) => {
    const own = new Set(statements.flatMap((each) => /^create table (\S+)/i.exec(each)?.[1] ?? []));
    const others = statements.filter((each) => !own.has(/ (?:on|table) (\S+)/i.exec(each)?.[1] ?? ''));
    return others.flatMap((each) => (breaking(each) === undefined ? [] : `${name}: ${breaking(each)}: ${each}`));
  });
}

it.each([
  'sqlite',
  'postgres',
] as const)('each step after the first leaves the version before working: %s', async (kind) => {
  expect(await breaksOf(kind)).toEqual([]);
});

describe('a step is not additive', () => {
  it.each([
    'drop table "signalbox_job";',
    'drop index "signalbox_job_next";',
    'alter table "signalbox_job" drop column "mark";',
    'alter table "signalbox_job" rename to "signalbox_work";',
    'alter table "signalbox_job" rename column "mark" to "sign";',
    'alter table "signalbox_job" alter column "mark" type text;',
    'alter table "signalbox_job" alter column "mark" set not null;',
    'alter table "signalbox_job" add constraint "one" unique ("key");',
    'alter table "signalbox_job" add column "cause" text not null;',
    'alter table "signalbox_job" add column "cause" text unique;',
    'create unique index "signalbox_job_one" on "signalbox_job" ("key");',
  ])('%s', (statement) => {
    expect(breaking(statement)).toBeTypeOf('string');
  });

  it.each([
    'create table "signalbox_cause" ("id" text primary key);',
    'create index "signalbox_job_cause" on "signalbox_job" ("cause");',
    'create sequence "signalbox_process_instance";',
    'alter table "signalbox_job" add column "cause" text;',
    'alter table "signalbox_job" add column "cause" integer default 0 not null;',
    'insert into "signalbox_cause" ("id") values ($1); -- ["a"]',
  ])('but %s is', (statement) => {
    expect(breaking(statement)).toBeUndefined();
  });
});
