import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownIds } from '../../src/generate/index.ts';
import { mocksSchema } from '../../src/generate/mocks-schema.ts';
import { editorSchema, loadProject, registryOf } from '../../src/load/index.ts';
import { LanguageServer } from '../support/language-server.ts';

/** A project whose ids are not those of the sample. */
const shop = `gateway: SHOP
namespace: urn:shop
---
permission-list: CLERKS
description: People at the counter.
---
role: CLERK
permission-lists: [CLERKS]
---
node: BANK
base: https://bank.example.org
---
document: ORDER
description: What a customer buys.
fields: { ID: integer, PRICE: decimal(10.2) }
---
query: OPEN_ORDERS
permission: CLERKS
columns: { ID: integer }
sql: select id from orders
---
service: Orders.v1
permission: CLERKS
operations:
  ORDERS_GET: { get: orders, query: OPEN_ORDERS }
`;

const settings = JSON.parse(
  readFileSync(new URL('../../examples/new/_vscode/settings.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

const kinds = ['gateway', 'service', 'document', 'query', 'permission-list', 'related-content'];
/** Ids of the sample and of the examples in the reference. */
const foreign = /LOCATION|LOC_|EMPLOYEES|EE_LIST|PARTNER|DOCLIB|REPORTING|SAMPLE|WSDL_NODE|TEST_PARTY|Locations\./;

const root = mkdtempSync(join(tmpdir(), 'signalbox-editor-'));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** What other editors do without settings: they only see the comment at the top of a document. */
let plain: LanguageServer;
let editor: LanguageServer;

beforeAll(async () => {
  write('definitions/shop.yaml', shop);
  const registry = registryOf(loadProject({ root, handlers: 'ignore-missing' }));
  write('generated/definitions.schema.json', JSON.stringify(editorSchema(knownIds(registry))));
  write('generated/mocks.schema.json', JSON.stringify(mocksSchema(knownIds(registry).operations ?? [])));
  [editor, plain] = await Promise.all([LanguageServer.start(root, settings), LanguageServer.start(root)]);
});
afterAll(async () => {
  await Promise.all([editor.stop(), plain.stop()]);
  rmSync(root, { recursive: true, force: true });
});

/** An operation with one more line, in the third document of a file. */
const operation = (line: string): string => `document: A
fields: { B: string }
---
role: C
permission-lists: [CLERKS]
---
service: D.v1
permission: CLERKS
operations:
  E_GET:
    get: e
    ${line}
`;

const proposed = async (text: string): Promise<string[]> => {
  const items = await editor.complete('definitions/x.yaml', text);
  expect(JSON.stringify(items)).not.toMatch(foreign);
  expect(JSON.stringify(items)).not.toContain('[object Object]');
  return items.map(({ label }) => label);
};

describe('completion in an editor with the settings of a new project', () => {
  it.each([
    ['an empty file', '^'],
    ['a file with a comment', '# Orders\n^'],
    ['the first letter of a document', 's^'],
    ['the first letter of a later document', 'document: A\nfields: { B: string }\n---\ns^'],
  ])('proposes the kinds in %s', async (_, text) => {
    expect(await proposed(text)).toEqual(expect.arrayContaining(kinds));
  });

  it('proposes operations, and the keys of answers, in files of mocks/', async () => {
    const labels = async (text: string) => (await editor.complete('mocks/x.yaml', text)).map(({ label }) => label);
    expect(await labels('mock: ^')).toContain('ORDERS_GET');
    expect(await labels('mock: ORDERS_GET\nanswers:\n  - ^')).toEqual(
      expect.arrayContaining(['when', 'times', 'delay', 'reply', 'fault']),
    );
  });

  it('inserts a kind with its colon', async () => {
    const [item] = await editor.complete('definitions/x.yaml', 'servi^');
    expect(item?.textEdit?.newText).toBe('gateway: ');
  });

  it('proposes the keys of its kind in each document of a file, and no second kind', async () => {
    const labels = await proposed('document: A\nfields: { B: string }\n---\nquery: C\n^');
    expect(labels).toEqual(expect.arrayContaining(['sql', 'columns', 'prompts', 'permission']));
    expect(labels).not.toContain('service');
    expect(await proposed(operation('^'))).toEqual(expect.arrayContaining(['request', 'query', 'permission']));
  });

  it.each([
    ['request: ^', ['ORDER', 'json', 'none']],
    ['response: ^', ['ORDER', 'binary', 'none']],
    ['response: { application/json: ^', ['ORDER']],
    ['fault: ^', ['ORDER', 'none']],
    ['query: ^', ['OPEN_ORDERS']],
    ['target: ^', ['BANK']],
    ['permission: ^', ['CLERKS']],
    ['permission: [^]', ['CLERKS']],
    ['permission:\n      - ^', ['CLERKS']],
    ['requires: ^', ['basic']],
    ['as: ^', ['CLERK']],
  ])("proposes the project's own ids for `%s`", async (line, ids) => {
    expect(await proposed(operation(line))).toEqual(expect.arrayContaining(ids));
  });

  it('proposes an entry of a list once, as its value', async () => {
    const labels = await proposed('role: A\npermission-lists: [ ^ ]');
    expect(labels).toEqual(['CLERKS']);
  });

  it.each(['B: ^', 'B: s^', 'B: { type: s^ }', 'B:\n    type: ^'])('proposes types for `%s`', async (line) => {
    const labels = await proposed(`document: A\nfields:\n  ${line}`);
    const types = ['string', 'decimal', 'string(10)', 'decimal(10.2)', 'list of string', 'ORDER', 'list of ORDER'];
    expect(labels).toEqual(expect.arrayContaining(types));
  });

  it('proposes the keys of a field and of a document in place', async () => {
    expect(await proposed('document: A\nfields:\n  B:\n    ^')).toEqual(expect.arrayContaining(['type', 'required']));
    expect(await proposed(operation('request:\n      f^'))).toEqual(expect.arrayContaining(['fields', 'open']));
  });
});

describe('hover in an editor', () => {
  const hover = (text: string): Promise<string> => editor.hover('definitions/x.yaml', text);

  it('describes a key in each document, whatever its value', async () => {
    for (const value of ['ORDER', 'json', '{ fields: { A: string } }', 'UNKNOWN'])
      expect(await hover(operation(`requ^est: ${value}`)), value).toContain('The input: ');
    expect(await hover(operation('permi^ssion: [CLERKS]'))).toContain('The permission list that grants it');
    expect(await hover(operation('response: { text/csv: text }').replace('serv', 'ser^v'))).toContain(
      'group of operations',
    );
  });

  it('says what a reference refers to', async () => {
    expect(await hover(operation('response: OR^DER'))).toMatch(/^#### document ORDER: What a customer buys\.\n/);
    expect(await hover(operation('permission: CLE^RKS'))).toContain('permission list CLERKS: People at the counter.');
    expect(await hover('document: A\nfields:\n  B: str^ing')).toContain('string: text, of at most so many characters');
  });

  it('is free of examples of the sample', async () => {
    for (const line of ['request: OR^DER', 'permission: CLE^RKS', 'que^ry: OPEN_ORDERS', 'g^et: x'])
      expect(await hover(operation(line))).not.toMatch(foreign);
  });
});

describe.concurrent('what an editor marks', () => {
  const marked = async (text: string): Promise<string[]> => {
    const lines = await editor.diagnostics('definitions/x.yaml', text);
    return lines.map((line) => line.slice(0, line.indexOf(': ', line.indexOf(': ') + 2)));
  };

  it('is nothing in valid definitions, with an empty document at the end', async () => {
    expect(await marked(`${shop}---\n`)).toEqual([]);
  });

  it('is a wrong type, in each form and in each document', async () => {
    const text = `document: A
fields:
  B: strng(3)
  C: { type: strng(3) }
  D: list of NOTHING
  E: decimal(10.2)
  F: { type: list of ORDER }
  G: list of string( 20 )
---
query: H
permission: CLERKS
columns: { I: strng }
sql: select i from h
`;
    expect(await marked(text)).toEqual(['3: strng(3)', '4: strng(3)', '5: list of NOTHING', '12: strng']);
  });

  it.each([
    ['request: NOTHING', 'NOTHING'],
    ['response: { text/csv: NOTHING }', 'NOTHING'],
    ['query: NOTHING', 'NOTHING'],
    ['permission: NOBODY', 'NOBODY'],
    ['permission: [CLERKS, NOBODY]', 'NOBODY'],
    ['target: NOWHERE', 'NOWHERE'],
    ['as: NOBODY', 'NOBODY'],
    ['requires: [basic]\n    as: NOBODY', 'NOBODY'],
    ['request: { fileds: {} }', 'fileds'],
    ['qery: OPEN_ORDERS', 'qery'],
  ])('is the unknown word in `%s`', async (line, word) => {
    const words = (await marked(operation(line))).map((each) => each.replace(/^\d+: /, ''));
    expect(words).toContain(word);
    expect(words.filter((each) => each !== word)).toEqual([]);
  });

  it('is a kind that does not exist, by its name', async () => {
    expect(await marked('document: A\nfields: { B: string }\n---\nservise: C.v1\n')).toEqual(['4: servise']);
  });

  it('is no wildcard, and no name with its service', async () => {
    const lists = 'permission-list: A\noperations: [Orders.*, ORDERS_*, Orders.v1.ORDERS_GET]\nqueries: [OPEN_*]\n';
    expect(await marked(lists)).toEqual([]);
    expect(await marked('permission-list: A\noperations: [ORDERS_PUT]\n')).toEqual(['2: ORDERS_PUT']);
  });
});

it('a comment at the top of a document has the same effect without settings, for this document', async () => {
  const modeline = '# yaml-language-server: $schema=../generated/definitions.schema.json\n';
  const complete = async (text: string): Promise<string[]> =>
    (await plain.complete('definitions/x.yaml', text)).map(({ label }) => label);
  expect(await complete(`${modeline}^`)).toEqual(expect.arrayContaining(kinds));
  expect(await complete(`${modeline}query: A\n---\nquery: B\n^`)).toEqual([]);
  expect(await complete(`${modeline}query: A\n---\n${modeline}query: B\n^`)).toContain('sql');
});
