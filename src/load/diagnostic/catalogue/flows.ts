import { didYouMean } from '../suggest.ts';
import { error } from './entry.ts';

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
