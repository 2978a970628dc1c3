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

const partner = (rest: string, more = ''): string =>
  `node: PARTNER\nbase: https://example.org\n---\ndocument: LOGIN\nfields: { token: text, seconds: integer, roles: list of string }\n---\nservice: Partner.v1\npublic: true\ntarget: PARTNER\noperations:\n  LOGIN_PUT: { soap: true, request: { fields: { USER: text } }, response: LOGIN }\n  ORDER_PUT: { soap: true, request: { fields: { TOKEN: text, NUMBER: integer } }, response: { fields: { STATUS: text } } }\n${rest}${more}`;

const flow = (...steps: readonly string[]): string =>
  partner(`flows:\n  order:\n${steps.map((step) => `    - { ${step} }\n`).join('')}`);

const answered = (rest: string): string =>
  partner('', `---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_POST: { ${rest} }`);

const LOGIN = 'call: LOGIN_PUT, keep: { TOKEN: token }';
const ORDER = 'call: ORDER_PUT';

/** Mistakes in flows, and where calls answer operations. */
export const flowEntries = {
  'not-a-call': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be called: ${reason}.`,
    hint: () => 'Name an operation that has a `target`.',
    explanation:
      'A step of a flow calls one operation of another system: one with a `target`. `call:` of an operation names such a one too, or a flow with its service: `N_DOCLIB.upload`. What is answered here is no call to another system.',
    wrong: `${flow(LOGIN, ORDER)}---\nservice: Orders.v1\npublic: true\noperations:\n  HERE_PUT: { soap: true, response: text }\n  ORDERS_POST: { soap: true, response: text, call: HERE_PUT }`,
    right: flow(LOGIN, ORDER),
  }),
  'reply-path': error<{
    path: string;
    reason: string;
    meant?: { readonly given: string; readonly known: readonly string[] };
    instead?: string;
  }>({
    message: ({ path, reason }) => `${path} can't be taken from the reply: ${reason}.`,
    hint: ({ meant, instead }) => instead ?? (meant && didYouMean(meant.given, meant.known, 'Fields there:')),
    explanation:
      'What a step keeps, and for how long, stands in a field of the document that the operation answers: `access_token`, or `result.token` for the field of an inner document. It is a single value. `for:` names a number of seconds.',
    wrong: flow('call: LOGIN_PUT, keep: { TOKEN: tokn }', ORDER),
    right: flow(LOGIN, ORDER),
  }),
  'bad-keep': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be kept here: ${reason}.`,
    explanation:
      'What a step keeps fills the field of that name in every later step, so it must have a type that the field can take. One step keeps it, and no earlier one uses it: from there on it comes from the reply, and before that there is nothing that it could come from.',
    wrong: flow('call: LOGIN_PUT, keep: { NUMBER: token }', ORDER),
    right: flow('call: LOGIN_PUT, keep: { NUMBER: seconds }', ORDER),
  }),
  'unused-keep': error<{ name: string }>({
    message: ({ name }) => `${name} is kept for nothing: no later step has a field of that name.`,
    hint: () => 'Name the field of a later step that it fills, or leave it out.',
    explanation:
      'A step keeps values of its reply for later steps, each under the name of the field that it fills. One that none of them uses is probably misspelt, and the field that it was meant for would be an input of the flow.',
    wrong: flow('call: LOGIN_PUT, keep: { TOKN: token }', ORDER),
    right: flow(LOGIN, ORDER),
  }),
  'flow-input': error<{ name: string; first: string; second: string }>({
    message: ({ name, first, second }) => `The input ${name} would be ${first} and ${second}.`,
    hint: () => 'Give the fields one type, or one of them another name.',
    explanation:
      'The input of a flow is what its steps use and none keeps. Fields of one name are one input, which goes to each of these steps, so they have one type.',
    wrong: partner(
      '  NOTE_PUT: { soap: true, request: { fields: { NUMBER: text } } }\nflows:\n  order: [{ call: NOTE_PUT }, { call: ORDER_PUT }]',
    ),
    right: partner(
      '  NOTE_PUT: { soap: true, request: { fields: { NUMBER: integer } } }\nflows:\n  order: [{ call: NOTE_PUT }, { call: ORDER_PUT }]',
    ),
  }),
  'bad-call-answer': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'With `call:` another system answers: the input of the call is taken from the request, and the reply from its own, by the names of fields. So what the call requires is a field of the request that is always there, what the response requires is a field of its reply, and their types fit. A message without a document fills one of the same kind. The caller needs a grant for the call too, and what is not active answers nothing.',
    wrong: answered('soap: true, request: { fields: { NUMBER: text } }, response: text, call: ORDER_PUT'),
    right: answered(
      'soap: true, request: { fields: { NUMBER: integer } }, response: { fields: { STATUS: text } }, call: ORDER_PUT',
    ),
  }),
};

const node = (rest: string): string => `node: PARTNER\nbase: https://example.org\n${rest}`;

/** Mistakes in nodes: where calls go, and what they show there. */
export const nodeEntries = {
  'two-credentials': error<{ node: string; first: string; second: string }>({
    message: ({ node, first, second }) => `Calls to ${node} would show two credentials: ${first} and ${second}.`,
    hint: () => 'Leave one of them.',
    explanation:
      'What calls to a node show is one credential: a user with a password, a bearer token, an API key, or a token by the client-credentials grant. A partner that wants a key beside it can take that as a header of its operations.',
    wrong: node('credential: { basic: { user: a, password: "${secret:B}" }, bearer: "${secret:C}" }'),
    right: node('credential: { bearer: "${secret:C}" }'),
  }),
  'credential-header': error<{ header: string }>({
    message: ({ header }) => `The header ${header} belongs to the protocol and can't carry a key.`,
    hint: () => 'Ask the partner which header carries it, for example X-Api-Key.',
    explanation:
      "An API key travels in a header of the partner's choice. Those that the protocol needs, such as Host, Content-Length or Cookie, are written by the gateway. In Authorization a key may stand, behind a scheme.",
    wrong: node('credential: { api-key: { header: Host, value: "${secret:PARTNER_KEY}" } }'),
    right: node('credential: { api-key: { header: Authorization, value: "ApiKey ${secret:PARTNER_KEY}" } }'),
  }),
  'bad-resolve': error<{ host: string; reason: string }>({
    message: ({ host, reason }) => `Connections to ${host} ${reason}.`,
    hint: () => 'Write an address as in 192.0.2.1, 192.0.2.1:8443 or "[2001:db8::1]:8443".',
    explanation:
      'Under `resolve` a node says where connections to a host go, in place of what DNS says: to an IPv4 address, or to an IPv6 address in brackets, each with a port or without. The request and TLS keep the name.',
    wrong: node('resolve: { example.org: localhost }'),
    right: node('resolve: { example.org: "127.0.0.1:8443" }'),
  }),
  'host-twice': error<{ host: string; other: string }>({
    message: ({ host, other }) => `resolve names ${host} already, as ${other}.`,
    hint: () => 'Leave one of them: letter case makes no difference in host names.',
    explanation: 'Under `resolve` each host stands once. Host names that differ by letter case are the same name.',
    wrong: node('resolve: { example.org: "127.0.0.1", Example.org: "127.0.0.2" }'),
    right: node('resolve: { example.org: "127.0.0.1" }'),
  }),
};
