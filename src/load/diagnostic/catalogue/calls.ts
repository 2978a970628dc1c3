import { didYouMean, didYouMeanSaved } from '../suggest.ts';
import { error, warning } from './entry.ts';

/** Mistakes in calls of other systems over REST. */
export const consumerEntries = {
  'unknown-value': error<{ name: string; known: readonly string[]; of?: string }>({
    message: ({ name, of = 'the request, of `variables:` or of `values:`' }) => `{${name}} is not a field of ${of}.`,
    hint: ({ name, known }) => didYouMeanSaved(name, known, 'Fields here:') ?? 'Add a document with `request:`.',
    explanation:
      'The texts of a call (`headers:`, `form:`, a default such as `"{File.name}"`) may contain values of the call: `{FIELD}` stands for a field of the request, of the document in `variables:`, or of `values:`; in `map:` of a subscription, for a field of the message; in `map:` of a component, for a field of the record, for its value before the save (`{before.FIELD}`) or for what the save did (`{save.action}`). For binary content, use `{FIELD.name}`, `{FIELD.contentType}` or `{FIELD.length}`.',
  }),
  'bad-call-value': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `The value ${name} ${reason}.`,
    hint: () => 'For example: TenantID: ${env:TENANT_ID}.',
    explanation:
      '`values:` supplies fields that the caller leaves out. Each value is a text, which may refer to configuration, for a field that holds a single value. To build a field from other values of the call, use its default: `default: "{File.name}"`.',
  }),
  'unused-value': error<{ name: string; owner: string; known: readonly string[] }>({
    message: ({ name, owner }) => `The value ${name} is not used: no call of ${owner} has a field of that name.`,
    hint: ({ name, owner, known }) => didYouMean(name, known, 'Fields there:') ?? `Remove it from ${owner}.`,
    explanation:
      'Each value in `values:` fills a field that a URI template, a header, a form or the body of a call uses. A value that fills no field is misspelled or left over.',
  }),
  'circular-default': error<{ field: string; path: string }>({
    message: ({ field, path }) => `The default of ${field} refers to itself: ${path}.`,
    hint: () => 'Remove the default of one of these fields, or make it a constant.',
    explanation:
      'A default may refer to other fields of the call, which may have such defaults too, but not to its own field.',
  }),
  'template-not-writable': error<{ reason: string }>({
    message: ({ reason }) => `No call can be built from this template: ${reason}.`,
    explanation:
      'The template of a call is appended to the base of its node, which has the scheme. Anything after `#` is a fragment, which is never sent. A field with `url: path` keeps its slashes, which operators such as `{/NAME}` do not.',
  }),
  'bad-host': error<{ operation: string; reason: string }>({
    message: ({ operation, reason }) => `The template of ${operation} must begin with a host, but ${reason}.`,
    hint: () => 'For example: "{TENANT}.example.org/orders/{NUMBER}". Or write the host in the base of the node.',
    explanation:
      'When the base of a node is only `https://`, the part of a URI template before its first slash is the host: letters, digits, dots, hyphens and variables, and optionally a port. It is validated and never percent-encoded.',
  }),
  'mixed-bases': error<{ node: string; operation: string }>({
    message: ({ node, operation }) =>
      `Only some bases of node ${node} have a host, so the templates of ${operation} do not fit all of them.`,
    hint: () => 'Give all bases a host, or none.',
    explanation:
      'The bases of a node are tried in turn with the same URI template. If one is only `https://`, templates begin with the host, so the others must be the same.',
  }),
};

/** Mistakes in flows, and where calls answer operations. */
export const flowEntries = {
  'not-a-call': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be called: ${reason}.`,
    hint: () => 'Use an operation that has a `target`.',
    explanation:
      "A step of a flow calls one operation of another system: one with a `target`. `call:` of a subscription names such an operation too, or a flow with its service: `N_DOCLIB.upload`. Operations that this gateway answers itself can't be called there; `call:` of an operation may name one.",
  }),
  'reply-path': error<{
    path: string;
    reason: string;
    meant?: { readonly given: string; readonly known: readonly string[] };
    instead?: string;
  }>({
    message: ({ path, reason }) => `${path} can't be read from the reply: ${reason}.`,
    hint: ({ meant, instead }) => instead ?? (meant && didYouMean(meant.given, meant.known, 'Fields there:')),
    explanation:
      'The values that a step keeps, and the time for which it keeps them, come from fields of the reply: `access_token`, or `result.token` for a field of an inner document. Each is a single value; `for:` names a number of seconds.',
  }),
  'bad-keep': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be kept here: ${reason}.`,
    explanation:
      'A value that a step keeps fills the field of that name in every later step, so its type must fit that field. Only one step may keep it, and no earlier step may use it, because it has no value before that step.',
  }),
  'unused-keep': error<{ name: string }>({
    message: ({ name }) => `The kept value ${name} is not used: no later step has a field of that name.`,
    hint: () => 'Use the name of the field of a later step that it fills, or remove it.',
    explanation:
      'A step keeps values of its reply for later steps, each under the name of the field that it fills. An unused one is probably misspelled; the field that it was meant for would become an input of the flow.',
  }),
  'flow-input': error<{ name: string; first: string; second: string }>({
    message: ({ name, first, second }) => `The input ${name} would be both ${first} and ${second}.`,
    hint: () => 'Give these fields the same type, or rename one of them.',
    explanation:
      'The input of a flow consists of the fields that its steps use and no step keeps. Fields of the same name are one input, which goes to each of these steps, so they must have the same type.',
  }),
  'bad-call-answer': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'With `call:` another system answers. The input of the call is taken from the request and the reply from its reply, by the names of fields. So every field that the call requires must always be present in the request, every field that the response requires must be in the reply, and their types must fit. A message without a document fits one of the same kind. The caller also needs a grant for the call, and the call must be active.',
  }),
  'answer-may-not-fit': warning<{ reason: string }>({
    message: ({ reason }) => `With \`call:\`, ${reason}.`,
    hint: () => 'Bound both fields alike, or answer in code (`handler:`).',
    explanation:
      'A request may have a value that the input of the call does not take, or a reply one that the response does not: one that is longer, or beyond its bounds. The caller gets an error then. The types, lengths, digits, bounds, numbers of entries, patterns and listed values of both fields are compared.',
  }),
};

/** Mistakes in nodes: where calls go, and what they show there. */
export const nodeEntries = {
  'two-credentials': error<{ node: string; first: string; second: string }>({
    message: ({ node, first, second }) => `Node ${node} has two credentials: ${first} and ${second}.`,
    hint: () => 'Remove one of them.',
    explanation:
      'Calls to a node use one credential: a user with a password, a bearer token, an API key, or a token from the client-credentials grant. The keys of WS-Security, `username-token`, `timestamp` and `signature`, are one credential together. If a partner requires a key in addition, send it as a header of the operations.',
  }),
  'security-over-rest': error<{ operation: string; node: string }>({
    message: ({ operation, node }) =>
      `The credential of node ${node} is a header of SOAP messages, and ${operation} is called over REST.`,
    hint: ({ node }) => `Give calls over REST a node of their own, or use another credential for ${node}.`,
    explanation:
      'WS-Security (`username-token`, `timestamp` and `signature` of a credential) is a header block of a SOAP envelope. A call over REST has no envelope, so it would be sent without a credential.',
  }),
  'unsigned-attachments': error<{ operation: string; node: string; what: string }>({
    message: ({ operation, node, what }) =>
      `Node ${node} signs its messages, and ${operation} has ${what}, which can't be signed.`,
    hint: () => 'Send the content as Base64 in the Body, or use a node without `signature`.',
    explanation:
      'A signature of WS-Security covers parts of the envelope. Content that is sent as parts beside it, by MTOM or as attachments, would not be covered, so such calls are refused.',
  }),
  'credential-header': error<{ header: string }>({
    message: ({ header }) =>
      `The header ${header} belongs to the protocol or to the gateway, and can't carry a credential.`,
    hint: () => 'Ask the partner which header carries it, for example X-Api-Key.',
    explanation:
      'An API key or a signature is sent in a header that the partner chooses. Headers that the protocol needs, such as Host, Content-Length or Cookie, and those that identify a request, such as X-Request-Id and Idempotency-Key, are written by the gateway. Authorization may carry a key after a scheme, or a signature.',
  }),
  'bad-resolve': error<{ host: string; reason: string }>({
    message: ({ host, reason }) => `The address of ${host} is not valid: ${reason}.`,
    hint: () => 'Write an address such as 192.0.2.1, 192.0.2.1:8443 or "[2001:db8::1]:8443".',
    explanation:
      '`resolve` of a node maps host names to the addresses to connect to, instead of DNS: an IPv4 address, or an IPv6 address in brackets, with or without a port. The request and TLS keep the name.',
  }),
  'host-twice': error<{ host: string; other: string }>({
    message: ({ host, other }) => `resolve contains ${host} twice; the other is ${other}.`,
    hint: () => 'Remove one of them: host names are not case-sensitive.',
    explanation: '`resolve` may contain each host once. Host names that differ only in letter case are the same name.',
  }),
};
