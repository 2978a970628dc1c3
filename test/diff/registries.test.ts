import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareRegistries, compareVersions } from '../../src/diff/registries.ts';
import { catalogue, loadProject, registryOf } from '../../src/load/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import { projectOf } from '../load/project-text.ts';
import { diagnosticSample } from '../load/samples.ts';
import { compareTexts, linesOf, registryIn } from './sample.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of projects in the repository. */
const projects = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name === 'gateway.yaml' && !entry.parentPath.includes('node_modules'))
  .filter(({ parentPath }) => parentPath.endsWith('/definitions'))
  .map(({ parentPath }) => dirname(parentPath))
  // A template, whose definitions have marks in place of names.
  .filter((project) => !project.endsWith('examples/new'))
  .sort();

describe('definitions that are compared with themselves', () => {
  it('are those of every project of the repository', () => {
    expect(projects.length).toBeGreaterThan(3);
  });

  it.each(projects)('have no changes: %s', (project) => {
    const load = () => registryOf(loadProject({ root: project, handlers: 'ignore-missing' }));
    expect(linesOf(compareRegistries(load(), load()))).toBe('');
  });

  it('have no changes, in all right examples of the guide to diagnostics', () => {
    const load = (text: string) => loadFiles(projectOf(text), 'ignore-missing').registry;
    const texts = Object.keys(catalogue).map((code) => diagnosticSample(code).right);
    for (const text of texts) {
      const [before, after] = [load(text), load(text)];
      if (before !== undefined && after !== undefined) expect(linesOf(compareRegistries(before, after)), text).toBe('');
    }
  });

  it('have no changes for a different order of files and definitions', () => {
    const [one, other] = [
      'document: A\nfields: { X: integer }',
      'service: S.v1\npublic: true\noperations: { S_GET: { get: s, response: A } }',
    ];
    expect(compareTexts(`${one}\n---\n${other}`, `${other}\n---\n${one}`)).toEqual([]);
  });
});

const service = (version: string, operation: string): string =>
  `service: Orders.${version}\npublic: true\noperations:\n  ORDER_GET: ${operation}\n`;

describe('two versions of a service', () => {
  it('are compared by their operations, apart from what follows from their names', () => {
    const registry = registryIn(
      [
        service('v1', '{ get: "orders/{ID}", soap: true, request: { fields: { ID: integer } }, response: OLD }'),
        service('v2', '{ get: "orders/{ID}", soap: true, request: { fields: { ID: integer } }, response: NEW }'),
        'document: OLD\nfields: { ID: integer, NOTE: text }\n',
        'document: NEW\nfields: { ID: integer, REMARK: text }\n',
      ].join('---\n'),
    );
    const [v1, v2] = [registry.services.get('Orders.v1')!, registry.services.get('Orders.v2')!];
    expect(compareVersions(v1, v2, registry.gateway).map(({ rule, at }) => `${rule} ${at}`)).toEqual([
      'service-renamed Orders.v1',
      'field-added Orders.v1.ORDER_GET.reply.REMARK',
      'optional-field-removed Orders.v1.ORDER_GET.reply.NOTE',
      'document-renamed Orders.v1.ORDER_GET.reply',
      'root-element-changed Orders.v1.ORDER_GET.reply',
    ]);
    expect(compareVersions(v1, v1, registry.gateway)).toEqual([]);
  });
});

describe('a change', () => {
  it('over REST and SOAP is one, with the languages that it concerns', () => {
    const text = (field: string): string =>
      `${service('v1', '{ post: orders, soap: true, request: A, response: A }')}---\ndocument: A\nfields: { X: ${field} }`;
    const [request, reply, ...more] = compareTexts(text('text'), text('integer'));
    expect(more).toEqual([]);
    expect(request).toMatchObject({ rule: 'type-changed', at: 'Orders.v1.ORDER_GET.request.X' });
    expect(reply?.verdicts).toEqual({ json: 'breaking', xml: 'breaking', clients: 'breaking' });
  });

  it('of a document that contains itself ends', () => {
    const text = (more: string): string =>
      `${service('v1', '{ get: orders, response: A }')}---\ndocument: A\nfields: { NEXT: A, ALL: list of A${more} }`;
    expect(compareTexts(text(''), text(', X: text')).map(({ at }) => at)).toEqual(['Orders.v1.ORDER_GET.reply.X']);
  });

  it('of a service that is not served concerns no one', () => {
    const text = (response: string): string =>
      `${service('v1', `{ get: orders, response: ${response} }`)}active: false\n`;
    expect(compareTexts(text('text'), text('json'))).toEqual([]);
  });

  it('of a field that only a URL has is judged where it is', () => {
    const text = (get: string, fields: string): string =>
      service('v1', `{ get: "orders${get}", request: { fields: { ${fields} } }, response: text }`);
    const before = text('{?A,B}', 'A: integer, B: integer');
    expect(compareTexts(before, text('{?A}', 'A: integer')).map(({ rule }) => rule)).toEqual([
      'query-parameter-removed',
    ]);
    expect(compareTexts(before, text('{?A,B}', 'A: integer, B: { type: integer, json: b }'))).toEqual([]);
  });

  it('of what each URL has to have anyway is not seen, neither there nor over SOAP', () => {
    const text = (soap: string, id: string): string =>
      service(
        'v1',
        `{ get: "orders/{ID}", ${soap}request: { fields: { ID: ${id} } }, response: { fields: { X: text } } }`,
      );
    const required = '{ type: integer, required: true }';
    expect(compareTexts(text('', 'integer'), text('', required))).toEqual([]);
    expect(compareTexts(text('soap: true, ', 'integer'), text('soap: true, ', required))).toEqual([]);
  });

  it('of a stored query concerns callers of the delivered service, if it is switched on', () => {
    const text = (delivered: string, columns: string): string =>
      `gateway: LOCAL\ndelivered: [${delivered}]\n---\npermission-list: ASKERS\n---\nquery: ORDERS\npermission: ASKERS\ncolumns: { ${columns} }\nsql: select 1\n`;
    const columns = 'NUMBER: integer, NOTE: text';
    expect(compareTexts(text('', columns), text('', 'NUMBER: integer'))).toEqual([]);
    const on = compareTexts(text('QAS_QRY_SERVICE.v1', columns), text('QAS_QRY_SERVICE.v1', 'NUMBER: integer'));
    expect(on.map(({ rule, at }) => `${rule} ${at}`)).toEqual(['optional-field-removed query.ORDERS.reply.NOTE']);
  });

  it('of a later reply concerns callers that wait for it', () => {
    const text = (response: string): string =>
      `queue: INBOX\n---\nsubscription: TAKEN\noperation: ORDER_POST\nhandler: taken\ngives-reply: true\n---\n${service('v1', '{ get: orders, response: text }')}  ORDER_POST: { post: orders, request: { fields: { X: text } }, response: { fields: ${response} }, queue: INBOX }\n`;
    expect(compareTexts(text('{ A: text }'), text('{ A: integer }')).map(({ rule, at }) => `${rule} ${at}`)).toEqual([
      'type-changed Orders.v1.ORDER_POST.later.A',
    ]);
  });

  it.each([
    ['integer, above: 0', 'integer, minimum: 1', []],
    ['decimal, minimum: "1.50"', 'decimal, minimum: 1.5', []],
    ['decimal, minimum: 1', 'decimal, above: 1', ['minimum-raised: above 1']],
    ['decimal, below: 1', 'decimal, maximum: 2', ['maximum-raised: 2']],
    ['decimal(6.2)', 'decimal, digits: 6, fraction: 2', ['digits-raised: 6 digits, and 2 after the point']],
    ['integer, digits: 3', 'integer', ['digits-raised: any number of digits']],
    ['date, maximum: "2026-12-31"', 'date, maximum: "2025-12-31"', ['maximum-lowered: 2025-12-31']],
    [
      'datetime, minimum: "2026-01-01T00:00:00"',
      'datetime, minimum: "2026-01-01T00:00:00Z"',
      ['minimum-raised: 2026-01-01T00:00:00Z', 'minimum-lowered: 2026-01-01T00:00:00Z'],
    ],
    ['list of text, entry: { minimum: 1 }', 'list of text, entry: { minimum: 2 }', ['minimum-raised: 2']],
    ['text, pattern: [a+, a*]', 'text, pattern: a+', ['pattern-removed: ']],
  ])('of a bound from %s to %s is that of its values', (before, after, expected) => {
    const text = (field: string): string =>
      `${service('v1', '{ get: orders, response: A }')}---\ndocument: A\nfields: { X: { type: ${field} } }`;
    const changes = compareTexts(text(before), text(after));
    expect(changes.map(({ rule, after }) => `${rule}: ${after?.text}`)).toEqual(expected);
  });

  it('of what a message over SOAP is in does not concern REST', () => {
    const text = (more: string, fields: string): string =>
      `${service('v1', `{ post: orders, soap: true${more}, request: A, response: A }`)}---\ndocument: A\nxml: a\nfields: { ${fields} }`;
    const rules = (before: string, after: string) =>
      compareTexts(before, after).map(({ rule, verdicts }) => `${rule} ${Object.keys(verdicts).join()}`);
    const field = 'X: integer, Y: text';
    expect(rules(text('', field), text(', wrapped: false', field))).toEqual(['soap-style-changed xml,clients']);
    const bare = text(', wrapped: false', field);
    expect(rules(bare, bare.replace('xml: a', 'xml: b'))).toContain('root-element-changed xml,clients');
    expect(rules(text('', field), text('', 'X: integer, Y: { type: text, header: true }'))).toEqual([
      'header-block-changed xml,clients',
      'header-block-changed xml,clients',
    ]);
  });

  it('of an order of elements does not break what speaks JSON only', () => {
    const text = (fields: string): string =>
      `${service('v1', '{ get: orders, response: { application/json: A } }')}---\ndocument: A\nfields: { ${fields} }`;
    expect(compareTexts(text('X: text, Y: text'), text('Y: text, X: text'))).toMatchObject([
      { rule: 'field-order-changed', verdict: 'compatible', verdicts: { json: 'compatible' } },
    ]);
  });
});
