// What the tables of the documents name is there, and what they are tables of is in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { definitionsSchema, type JsonSchema, kindSchemas } from '../../src/load/index.ts';
import { METRICS } from '../../src/model/metrics.ts';
import { repository } from '../cli/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { proseOf, tableRows } from '../support/markdown.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const operating = read('docs/operating.md');
const migrating = read('docs/migrating.md');

const sources = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(join('src', name)));
const source = sources.join('\n');

const isInSource = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(source);

/** Words between backticks. */
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string);
/** Those of the first column. */
const firsts = (text: string, heading: string): string[] =>
  tableRows(text, heading).flatMap(([first = '']) => quoted(first));

test('every metric of ours is in the table, and no other', () => {
  expect(firsts(operating, 'metric')).toEqual(Object.keys(METRICS));
});

test('every environment variable that is read is in the table, and those of the table are known', () => {
  const named = firsts(operating, 'environment variable');
  const fromCode = [...source.matchAll(/\benv\.([A-Z][A-Z_]+)/g)].map(([, name]) => name as string);
  expect(named).toEqual(expect.arrayContaining([...new Set(fromCode)]));
  expect(named.filter((name) => !isInSource(name))).toEqual([]);
});

test('all that can be said of work behind requests is in the table', () => {
  const said = [...source.matchAll(/\berror(?: as Error)?, \{[^{}]*\bwhat: '([^']+)'/g)].map(([, what]) => what);
  expect(firsts(operating, '`what`').sort()).toEqual(said.sort());
});

/** A message without what differs from time to time. */
const pieces = (message: string, gap: RegExp | string): string[] =>
  message.split(gap).filter((piece) => piece.trim() !== '');

test('every message of the log is in the table, and those of the table are written', () => {
  const rows = firsts(operating, '`msg`');
  expect(rows.flatMap((row) => pieces(row, '...')).filter((piece) => !source.includes(piece))).toEqual([]);
  const calls = /\blog\.(?:info|warn|error)\((?:[^;]*?\s)?(?:'([^'\n]+)'|`([^`\n]+)`),?\s*\)/g;
  const written = [...source.matchAll(calls)].map(([, plain, template]) => plain ?? template ?? '');
  expect(written.length).toBeGreaterThan(10);
  for (const message of written) {
    const parts = pieces(message, /\$\{[^}]*\}/);
    expect(
      rows.filter((row) => parts.every((part) => row.includes(part))),
      message,
    ).not.toEqual([]);
  }
});

test('the table of the audit line has every field that real lines have', async () => {
  const gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('delivered: [QAS_QRY_SERVICE.v1]'),
      'definitions/users.yaml': USERS.replace('EVERYTHING\n', 'EVERYTHING\noperations: [QAS_QRY_SERVICE.*]\n'),
      'definitions/one.yaml': `query: ONE
permission: EVERYTHING
columns: { N: integer }
sql: select 1 as n
---
service: One.v1
permission: EVERYTHING
operations:
  ONE_GET: { get: One, query: ONE, as: ALL }
  ONE_POST: { post: One, query: ONE, writes: true, once: 1 h }
---
{ routing: ONE_LOGGED, operation: ONE_GET, log: full }
`,
    },
  });
  onTestFinished(() => gateway.stop());
  const connector = '/gateway/RESTListeningConnector';
  await gateway.call(`${connector}/One.v1/One`);
  await gateway.call(`${connector}/One.v1/One`, { anonymous: true });
  const once = { method: 'POST', headers: { 'idempotency-key': 'one' } };
  for (const _ of [1, 2]) await gateway.call(`${connector}/One.v1/One`, once);
  await gateway.call(`${connector}/ExecuteQueryPoll.v1/PUBLIC/ONE/JSON/NONFILE`);
  await eventually('the line of the polled query', () => gateway.log().find(({ work }) => work !== undefined));
  const lines = gateway.log().filter(({ decision }) => decision !== undefined);
  const written = new Set(lines.flatMap((line) => Object.keys(line)));
  for (const name of ['level', 'time']) written.delete(name);
  const named = firsts(operating, 'field');
  expect(named).toEqual(expect.arrayContaining([...written]));
  // It takes a user of the console who calls an operation, and a trusted proxy that breaks off.
  expect(named.filter((name) => !written.has(name))).toEqual(['via', 'proxy']);
});

/** The keys of a schema and of all that is inside it. */
function keysOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { properties } = schema as JsonSchema;
  if (typeof properties === 'object') for (const key of Object.keys(properties)) found.add(key);
  for (const inner of Object.values(schema)) keysOf(inner, found);
  return found;
}

test('every property of a connector and of the gateway is in the table, and no other', () => {
  const keys = [kindSchemas.service, kindSchemas.gateway].flatMap(({ properties }) =>
    Object.keys(properties?.properties?.properties ?? {}),
  );
  expect(keys).toHaveLength(13);
  expect(firsts(migrating, 'property').sort()).toEqual(keys.sort());
});

const NAMING_KEYS = ['fleet', 'migrating', 'operating', 'security'].map((page) => `docs/${page}.md`);

test.each([...NAMING_KEYS, 'CHANGELOG.md'])('every key that %s names is one', (file) => {
  const keys = keysOf(definitionsSchema());
  const words = quoted(proseOf(read(file)));
  // `cid:` begins a URL.
  const named = words.flatMap((word) => /^(?!cid:)([a-z][\w-]*):(?: .*)?$/.exec(word)?.[1] ?? []);
  const limits = words.flatMap((word) => /^limits\.([\w-]+)$/.exec(word)?.[1] ?? []);
  expect([...named, ...limits].filter((key) => !keys.has(key))).toEqual([]);
});

test.each(['docs/operating.md', 'docs/migrating.md'])('every name of code in %s is one', (file) => {
  const named = quoted(proseOf(read(file))).filter((word) => /^[A-Za-z]+[a-z][A-Z]\w+$/.test(word));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !isInSource(name))).toEqual([]);
});

test('the delivered operations that the documents name are there', () => {
  const delivered = read('src/delivered/qas-qry-service.yaml') + read('src/delivered/processrequest.yaml');
  const named = [migrating, read('docs/security.md'), read('docs/fleet.md')].join('\n').match(/\b(?:QAS|PRCS)_\w+/g);
  expect(named?.filter((name) => !delivered.includes(name))).toEqual([]);
});
