import type { ConsumerOperation, RestConsumer, SoapConsumer } from '../model/consumer.ts';
import { formWords } from '../model/form.ts';
import type { MessageSigner, Node, NodeCredential, ReplySignature, UsernameToken } from '../model/node.ts';
import type { SoapForm } from '../model/service.ts';
import { duration } from '../wire/duration.ts';
import { hmacWords } from './access.ts';
import {
  type Comparison,
  compareAll,
  inside,
  type Pair,
  type Scope,
  type Sides,
  unseen,
  whenDifferent,
  whenMoved,
} from './changes.ts';
import { compareDocuments, messageScope } from './document.ts';
import {
  compareFaultTypes,
  compareForms,
  compareReply,
  compareRequests,
  overSoap,
  SOAP_MESSAGES,
  type SoapScope,
} from './messages.ts';
import { comparePlaces, compareUris, type Input } from './uris.ts';
import type { WireLanguage } from './verdict.ts';

export function calledLanguages(consumer: ConsumerOperation): readonly WireLanguage[] {
  if (consumer.kind === 'soap') return ['xml'];
  const isXml = consumer.responses.some(({ mediaType }) => /[/+]xml\b/.test(mediaType));
  return isXml ? ['json', 'xml'] : ['json'];
}

/** Compares what another system is asked for. What is not active is not called. */
export function compareConsumers(pair: Pair<ConsumerOperation>, scope: Scope): void {
  const { before, after } = pair;
  const isUsed = ({ active, service }: ConsumerOperation): boolean => active && service.active;
  if (!isUsed(before) || !isUsed(after)) {
    if (isUsed(before) !== isUsed(after))
      scope.changes.add(isUsed(after) ? 'call-added' : 'call-removed', scope, sidesOf(pair));
    return;
  }
  if (before.kind === 'rest' && after.kind === 'rest') compareAll(REST, { before, after }, scope);
  else if (before.kind === 'soap' && after.kind === 'soap') compareAll(SOAP, { before, after }, scope);
  else
    scope.changes.add(
      'call-protocol-changed',
      scope,
      sidesOf(pair, before.kind.toUpperCase(), after.kind.toUpperCase()),
    );
}

function sidesOf({ before, after }: Pair<ConsumerOperation>, old = '', now = ''): Sides {
  return { before: { text: old, at: before.at }, after: { text: now, at: after.at } };
}

/** Members of the types of which calls over REST and over SOAP both are. */
type Shared = keyof RestConsumer & keyof SoapConsumer;

const NODE: Comparison<Node> = {
  id: whenDifferent('target-changed', ({ id, base }) => `${id} (${base.map(({ source }) => source).join(', ')})`),
  credential: whenDifferent('credential-changed', credentialWords),
  // Compared with the id, and with the credential.
  base: unseen,
  certificate: unseen,
  // How this gateway reaches it, and what it does when that fails.
  description: unseen,
  caFile: unseen,
  resolve: unseen,
  timeouts: unseen,
  retry: unseen,
  circuit: unseen,
  rate: unseen,
  concurrency: unseen,
  redirects: unseen,
  redirectsPost: unseen,
  // Compared with the operation.
  lenient: unseen,
  at: unseen,
};

const SHARED: Pick<Comparison<ConsumerOperation>, Exclude<Shared, 'headers' | 'properties'>> = {
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  target: ({ before, after }, scope) => compareAll(NODE, { before: before.target, after: after.target }, scope),
  timeout: whenMoved(
    'call-timeout-lowered',
    'call-timeout-raised',
    ({ timeout }) => timeout,
    ({ timeout }) => (timeout === undefined ? 'the time of its node' : duration(timeout)),
  ),
  lenient: ({ before, after }, scope) => {
    const [was, is] = [before.lenient === true, after.lenient === true];
    if (was !== is) scope.changes.add(is ? 'call-lenient' : 'call-strict', scope, sidesOf({ before, after }));
  },
  fault: ({ before, after }, scope) => {
    const [old, now] = [before.fault, after.fault];
    if (old !== undefined && now !== undefined)
      compareDocuments({ before: old, after: now }, messageScope({ ...scope, role: 'received' }, 'fault', 'the fault'));
    else if (old !== now)
      scope.changes.add(
        now === undefined ? 'fault-removed' : 'fault-added',
        inside(scope, 'fault'),
        sidesOf({ before, after }),
      );
  },
  // See compareConsumers.
  kind: unseen,
  active: unseen,
  // Names and users of this gateway, which the other system does not see.
  id: unseen,
  name: unseen,
  service: unseen,
  permissions: unseen,
  grantedAt: unseen,
  public: unseen,
  routing: unseen,
  log: unseen,
  // A request that is repeated is the same request.
  retry: unseen,
  at: unseen,
};

function credentialWords({ credential, certificate }: Node): string {
  const words = credential === undefined ? 'none' : wordsOf(credential);
  return certificate === undefined ? words : `${words}, with a certificate`;
}

function wordsOf(credential: NodeCredential): string {
  switch (credential.kind) {
    case 'basic':
    case 'bearer':
    case 'client-credentials':
    case 'webhook':
      return credential.kind;
    case 'api-key':
      return `the header ${credential.header}`;
    case 'hmac':
      return `HMAC with ${hmacWords(credential).join(', ')}`;
    case 'ws-security':
      return securityWords(credential);
  }
}

/** What a partner must sign with so that its replies are accepted. */
function replyWords({ certificateFile, subject, algorithms, digests, maxAge, confirmation }: ReplySignature): string {
  const by = certificateFile === undefined ? (subject ?? 'an authority') : `the certificate ${certificateFile.source}`;
  const words = [...algorithms, ...digests].map(algorithmWord);
  const confirmed = confirmation ? ', which confirm the signature of the request' : '';
  return `replies signed by ${by} (${words.join(', ')}) within ${duration(maxAge)}${confirmed}`;
}

const algorithmWord = (uri: string): string => uri.slice(uri.lastIndexOf('#') + 1);

/** What receivers see of a signature, beside its certificate. */
function signerWords({ algorithm, digest, reference, token }: MessageSigner): string {
  const words = [algorithm, digest].filter((uri) => uri !== undefined).map(algorithmWord);
  if (reference !== undefined) words.push(`its certificate by ${reference}`);
  if (token !== undefined) words.push(`its certificate ${token}`);
  return words.length === 0 ? 'a signature' : `a signature (${words.join(', ')})`;
}

function passwordWords({ password, digest }: UsernameToken): string {
  if (password === undefined) return 'without a password';
  return digest ? 'with a digest' : 'with the password';
}

function securityWords({
  usernameToken,
  timestamp,
  signature,
  replySignature,
}: Extract<NodeCredential, { readonly kind: 'ws-security' }>): string {
  const words = [
    usernameToken && `a UsernameToken ${passwordWords(usernameToken)}`,
    timestamp !== undefined && `a Timestamp of ${duration(timestamp)}`,
    signature && signerWords(signature),
    replySignature && replyWords(replySignature),
  ].filter((each) => each);
  return `WS-Security with ${words.join(', ')}`;
}

/** Where a comparison of a call's forms over SOAP is. */
interface CalledScope extends SoapScope {
  readonly consumers: Pair<SoapConsumer>;
}

const SOAP_FORM: Comparison<SoapForm, CalledScope> = {
  ...SOAP_MESSAGES,
  name: ({ before, after }, scope) => {
    if (before.name !== after.name)
      scope.changes.add('call-name-changed', scope, sidesOf(scope.consumers, before.name, after.name));
  },
  action: ({ before, after }, scope) => {
    if (before.action !== after.action)
      scope.changes.add('call-action-changed', scope, sidesOf(scope.consumers, before.action, after.action));
  },
  // Only of what is provided.
  actions: unseen,
  request: ({ before, after }, scope) => {
    const sent = messageScope({ ...scope, role: 'sent' }, 'request', 'the request');
    const messages = { before: before.request, after: after.request };
    compareRequests(messages, overSoap(sent, { before, after }), scope.positions);
  },
  response: ({ before, after }, scope) => {
    const received = messageScope({ ...scope, role: 'received' }, 'reply', 'the reply');
    const messages = { before: before.response, after: after.response };
    compareReply(messages, overSoap(received, { before, after }), scope.positions);
  },
  addressing: ({ before, after }, scope) => {
    const [was, is] = [before.addressing === true, after.addressing === true];
    if (was === is) return;
    const sides = sidesOf(scope.consumers, was ? 'had' : 'did not have', is ? 'has' : 'does not have');
    scope.changes.add('call-addressing-changed', scope, sides);
  },
};

const SOAP: Comparison<SoapConsumer> = {
  ...SHARED,
  soap: ({ before, after }, scope) => {
    const within = { ...scope, consumers: { before, after }, positions: { before: before.at, after: after.at } };
    compareAll(SOAP_FORM, { before: before.soap, after: after.soap }, within);
  },
  headers: (pair, scope) => {
    const texts = ({ headers }: SoapConsumer) => headers.map(({ name, value }): [string, string] => [name, value]);
    compareHeaders(texts(pair.before), texts(pair.after), pair, scope);
  },
  properties: (pair, scope) => compareProperties(pair.before.properties, pair.after.properties, pair, scope),
};

const REST: Comparison<RestConsumer> = {
  ...SHARED,
  method: whenDifferent('call-method-changed', ({ method }) => method),
  uris: ({ before, after }, scope) => {
    const rules = { path: 'call-path-changed', strict: false, variables: 'sent' } as const;
    const input = ({ input, headers }: RestConsumer): Input => ({
      fields: input.fields,
      headers: headers.flatMap(({ text }) =>
        text.parts.flatMap((part) => (part.kind === 'value' ? part.field.name : [])),
      ),
    });
    for (const pair of compareUris(before.uris, after.uris, scope, rules))
      comparePlaces(pair, { before: input(before), after: input(after) }, { ...scope, role: 'sent' });
  },
  // Seen in the URIs.
  host: unseen,
  input: compareInputs,
  // What fills a field is a matter of this gateway, like code that calls.
  filled: unseen,
  headers: (pair, scope) => {
    const texts = ({ headers }: RestConsumer) => headers.map(({ name, text }): [string, string] => [name, text.source]);
    compareHeaders(texts(pair.before), texts(pair.after), pair, scope);
  },
  body: whenDifferent('call-body-changed', bodyWords),
  // See responses and faultTypes.
  accepts: unseen,
  faultTypes: (pair, scope) => compareFaultTypes(pair, { ...scope, role: 'received' }),
  responses: ({ before, after }, scope) => {
    const positions = { before: before.at, after: after.at };
    compareForms(
      { before: before.responses, after: after.responses },
      { ...scope, role: 'received' },
      positions,
      'accepted-type-added',
    );
  },
  properties: (pair, scope) => compareProperties(pair.before.properties, pair.after.properties, pair, scope),
};

/** Compares the document of the body, if there is one, and fields that are sent in another place. */
function compareInputs({ before, after }: Pair<RestConsumer>, scope: Scope): void {
  const inBody = new Set([...before.uris, ...after.uris].flatMap(({ body }) => body.map(({ name }) => name)));
  const elsewhere = [before, after]
    .flatMap(({ input }) => input.fields.map(({ name }) => name))
    .filter((name) => !inBody.has(name));
  const sent = messageScope({ ...scope, role: 'sent' }, 'request', 'the request', elsewhere);
  const [old, now] = [before.body, after.body];
  const both = old.kind === 'document' && now.kind === 'document';
  if (both) compareDocuments({ before: old.document, after: now.document }, sent);
  const compared = new Set(both ? [old, now].flatMap(({ document }) => document.fields.map(({ name }) => name)) : []);
  // The input is a document of this gateway, which is not sent as such.
  const rest = ({ input }: RestConsumer) => ({
    ...{ id: '', xmlName: '', root: false, open: false, inPlace: true, at: input.at },
    fields: input.fields.filter(({ name }) => !compared.has(name)),
  });
  compareDocuments({ before: rest(before), after: rest(after) }, sent);
}

function bodyWords({ body }: RestConsumer): string {
  switch (body.kind) {
    case 'none':
      return 'empty';
    case 'form':
      return `a form with ${body.fields.map(({ name }) => name).join(', ')}`;
    case 'document':
      return body.form === undefined ? 'a document' : formWords(body.form, body.formStyles);
    case 'field':
      return `the field ${body.field.name} alone`;
    case 'raw':
      return body.raw;
  }
}

function compareHeaders(
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[],
  pair: Pair<ConsumerOperation>,
  scope: Scope,
): void {
  // Names of headers are not case-sensitive.
  const [old, now] = [before, after].map((each) => new Map(each.map(([name, text]) => [name.toLowerCase(), text])));
  const names = new Map([...before, ...after].map(([name]) => [name.toLowerCase(), name]));
  for (const [key, name] of names) {
    const [was, is] = [old?.get(key), now?.get(key)];
    if (was !== is)
      scope.changes.add(
        'call-header-changed',
        inside(scope, `request.${name}`, name),
        sidesOf(pair, was ?? 'absent', is ?? 'absent'),
      );
  }
}

/** Compares connector properties, whose names are those of the model. */
function compareProperties(before: object, after: object, pair: Pair<ConsumerOperation>, scope: Scope): void {
  const words = (value: unknown): string =>
    typeof value === 'object' && value !== null && 'source' in value ? String(value.source) : String(value ?? 'none');
  const [old, now] = [before, after].map((each) => new Map(Object.entries(each)));
  for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [was, is] = [words(old?.get(name)), words(now?.get(name))];
    if (was !== is)
      scope.changes.add('call-property-changed', inside(scope, `properties.${name}`, name), sidesOf(pair, was, is));
  }
}
