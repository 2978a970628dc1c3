import { didYouMean } from '../suggest.ts';
import { error } from './entry.ts';

const consumer = (rest: string, base = 'https://example.org'): string =>
  `node: PARTNER\nbase: ${base}\n---\nservice: Partner.v1\npublic: true\ntarget: PARTNER\noperations:\n${rest}`;

const REQUEST = 'request: { fields: { REGION: string(1), TOKEN: text } }';

/** Mistakes in calls of other systems over REST. */
export const consumerEntries = {
  'unknown-value': error<{ name: string; known: readonly string[] }>({
    message: ({ name }) => `{${name}} is no field of the request, the template document or \`values:\`.`,
    hint: ({ name, known }) => didYouMean(name, known, 'Fields here:') ?? 'Name a document with `request:`.',
    explanation:
      'The texts of a call (`headers:`, `form:`, a default like `"{File.name}"`) may hold values of the call: `{FIELD}` for a field of the request, of the document that `template:` names, or of `values:`. Of binary content they may hold `{FIELD.name}`, `{FIELD.contentType}` and `{FIELD.length}`.',
    wrong: consumer(`  ORDER_GET: { get: Orders, ${REQUEST}, headers: { Authorization: "Bearer {TOKN}" } }`),
    right: consumer(`  ORDER_GET: { get: Orders, ${REQUEST}, headers: { Authorization: "Bearer {TOKEN}" } }`),
  }),
  'bad-call-value': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `The value ${name} ${reason}.`,
    hint: () => 'For example: TenantID: ${env:TENANT_ID}.',
    explanation:
      '`values:` says what fields hold that a caller leaves out: a text, which may refer to configuration, for a field that holds one value. What is made of other values of the call is a default of its field: `default: "{File.name}"`.',
    wrong: consumer(`  ORDER_GET: { get: "Orders/{KEY}", ${REQUEST}, values: { KEY: "{REGION}" } }`),
    right: consumer(`  ORDER_GET: { get: "Orders/{KEY}", ${REQUEST}, values: { KEY: "\${env:ORDER_KEY}" } }`),
  }),
  'unused-value': error<{ name: string; owner: string; known: readonly string[] }>({
    message: ({ name, owner }) => `The value ${name} fills nothing: no call of ${owner} uses a field of that name.`,
    hint: ({ name, owner, known }) => didYouMean(name, known, 'Fields there:') ?? `Take it out of ${owner}.`,
    explanation:
      'A value of `values:` stands for a field that a URI template, a header, a form or the body of a call uses. One that none of them uses is misspelt, or left over.',
    wrong: consumer(`  ORDER_GET: { get: "Orders/{REGION}", ${REQUEST}, values: { REGON: N } }`),
    right: consumer(`  ORDER_GET: { get: "Orders/{REGION}", ${REQUEST}, values: { REGION: N } }`),
  }),
  'circular-default': error<{ field: string; path: string }>({
    message: ({ field, path }) => `The default of ${field} is made of itself: ${path}.`,
    hint: () => 'Give one of them a default of its own, or none.',
    explanation:
      'A default may be made of other fields of the call, which may have such defaults too. It can never be made of itself.',
    wrong: consumer(
      '  ORDER_GET:\n    get: "Orders/{A}"\n    request: { fields: { A: { type: text, default: "{B}" }, B: { type: text, default: "{A}" } } }',
    ),
    right: consumer(
      '  ORDER_GET:\n    get: "Orders/{A}"\n    request: { fields: { A: { type: text, default: "{B}" }, B: text } }',
    ),
  }),
  'template-not-writable': error<{ reason: string }>({
    message: ({ reason }) => `No call can be written with this template: ${reason}.`,
    explanation:
      'The template of a call follows the base of its node, which has the scheme. What stands after `#` is a fragment, which is never sent. A field with `url: path` keeps its slashes, which `{/NAME}` and its like do not.',
    wrong: consumer(`  ORDER_GET: { get: "https://example.org/Orders/{REGION}", ${REQUEST} }`),
    right: consumer(`  ORDER_GET: { get: "Orders/{REGION}", ${REQUEST} }`),
  }),
  'bad-host': error<{ operation: string; reason: string }>({
    message: ({ operation, reason }) => `The template of ${operation} must begin with the host, and ${reason}.`,
    hint: () => 'For example: "{TENANT}.example.org/orders/{NUMBER}". Or write the host into the base of the node.',
    explanation:
      'Where the base of a node is `https://` alone, what stands before the first slash of a URI template is the host: letters, digits, dots, hyphens and variables, with a port at the end. It is checked and never percent-encoded.',
    wrong: consumer(`  ORDER_GET: { get: /Orders, ${REQUEST} }`, 'https://'),
    right: consumer(`  ORDER_GET: { get: "{REGION}.example.org/Orders", ${REQUEST} }`, 'https://'),
  }),
  'mixed-bases': error<{ node: string; operation: string }>({
    message: ({ node, operation }) =>
      `Some bases of ${node} have a host and some have none, so that the templates of ${operation} fit only a part of them.`,
    hint: () => 'Write the host into all of them or into none.',
    explanation:
      'Several bases are tried one after the other with the same URI template. Where one is `https://` alone, templates begin with the host, and so the others must be too.',
    wrong: consumer('  ORDER_GET: { get: a.example.org/Orders }', '[https://, "https://b.example.org"]'),
    right: consumer('  ORDER_GET: { get: Orders }', '["https://a.example.org", "https://b.example.org"]'),
  }),
};
