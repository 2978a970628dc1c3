import { expect, it } from 'vitest';
import { loadTexts } from '../../src/load/index.ts';

/** The errors about elements of a service that is served, with its documents. */
function errorsOf(operations: string, documents: string): readonly string[] {
  const text = `permission-list: P\n---\nservice: S.v1\npermission: P\noperations:\n${operations}\n---\n${documents}\n`;
  const files = new Map([
    ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
    ['definitions/s.yaml', text],
  ]);
  const errors = loadTexts(files).diagnostics.filter(
    ({ severity, code }) => severity === 'error' && code !== 'missing-handler',
  );
  return errors.map(({ code, message }) => `${code}: ${message}`);
}

const ORDER = 'document: ORDER\nfields: { N: { type: integer, required: true }, LINES: list of LINE }';
const LINE = 'document: LINE\nfields: { CODE: string(5) }';

it.each([
  ['a request and a fault', 'ORDER: { soap: true, request: ORDER, response: text, faults: { Bad: BAD } }'],
  [
    'a request with header blocks, and its header block',
    'A: { soap: true, wrapped: false, request: { xml: ORDER, fields: { N: { type: integer, required: true }, LINES: list of LINE, ORDER: { type: ORDER, header: true } } }, response: text }',
  ],
  [
    'requests of several operations, one of which has header blocks',
    `A: { soap: true, wrapped: false, request: ORDER, response: LINE }
  B: { soap: true, wrapped: false, request: { xml: ORDER, fields: { N: { type: integer, required: true }, LINES: list of LINE, H: { type: LINE, header: true } } }, response: LINE }`,
  ],
  [
    'the reply of an operation and the request of another',
    `A: { soap: { reply-element: B }, request: LINE, response: ORDER }
  B: { soap: true, request: BAD, response: text }`,
  ],
])('%s may have one element that is the same', (_, operations) => {
  const documents = `${ORDER}\n---\n${LINE}\n---\n${ORDER.replace('ORDER', 'BAD\nxml: ORDER')}`;
  expect(errorsOf(`  ${operations}`, documents)).toEqual([]);
});

it.each([
  ['a field less', 'fields: { N: { type: integer, required: true } }'],
  ['another facet', 'fields: { N: { type: integer, required: true, maximum: 5 }, LINES: list of LINE }'],
  ['another namespace', 'namespace: urn:other\nfields: { N: { type: integer, required: true }, LINES: list of LINE }'],
  ['another order', 'fields: { LINES: list of LINE, N: { type: integer, required: true } }'],
  ['another document inside', 'fields: { N: { type: integer, required: true }, LINES: list of OTHER }'],
  ['undeclared fields', 'open: true\nfields: { N: { type: integer, required: true }, LINES: list of LINE }'],
])('a request and a header block of its name with %s are refused', (_, other) => {
  const documents = [
    ORDER,
    LINE,
    `document: BLOCK\n${other}`,
    'document: OTHER\nxml: LINE\nfields: { CODE: string(6) }',
  ];
  const request = `{ xml: ORDER, ${ORDER.slice(ORDER.indexOf('fields'), -2)}, BLOCK: { type: BLOCK, header: true, xml: ORDER } } }`;
  const operations = `  A: { soap: true, wrapped: false, request: ${request}, response: text }`;
  const same = documents.with(2, ORDER.replace('ORDER', 'BLOCK'));
  expect(errorsOf(operations, same.join('\n---\n'))).toEqual([]);
  expect(errorsOf(operations, documents.join('\n---\n'))).toEqual([
    'element-name: The XML element ORDER would be both the request of A and the header block BLOCK of A.',
  ]);
});

it('documents that contain themselves are compared, too', () => {
  const tree = (id: string): string =>
    `document: ${id}\nxml: TREE\nnamespace: urn:t\nfields: { NAME: string, TREE: { type: list of ${id}, flat: true } }`;
  const operations = `  A: { soap: true, wrapped: false, request: { namespace: "urn:t", xml: TREE, fields: { NAME: string, TREE: { type: list of ONE, flat: true }, H: { type: TWO, header: true, namespace: "urn:t", xml: TREE } } }, response: text }`;
  expect(errorsOf(operations, `${tree('ONE')}\n---\n${tree('TWO')}`)).toEqual([]);
  expect(errorsOf(operations, `${tree('ONE')}\n---\n${tree('TWO').replace('NAME', 'OTHER')}`)).toHaveLength(1);
});

it('what is not served has no elements', () => {
  const operations = `  A: { soap: true, request: ORDER, response: text }
  B: { soap: { reply-element: A }, request: LINE, response: LINE, active: false }`;
  expect(errorsOf(operations, `${ORDER}\n---\n${LINE}`)).toEqual([]);
});
