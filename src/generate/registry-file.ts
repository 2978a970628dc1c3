import { isDeepStrictEqual } from 'node:util';
import { segmentOf } from '../describe/scope.ts';
import type { Member, ThingOf } from '../kinds/kind.ts';
import { MEMBERS } from '../kinds/kinds.ts';
import {
  type AfterSave,
  type Component,
  type ComponentEventRegistration,
  type Publication,
  type RelatedContent,
  SAVE_EFFECTS,
  type SaveFilter,
} from '../model/component.ts';
import type {
  CallBody,
  ConsumerOperation,
  RestConsumer,
  RestProperties,
  SoapConsumer,
  SoapProperties,
} from '../model/consumer.ts';
import type { Document } from '../model/document.ts';
import { typeWords } from '../model/field.ts';
import type { Flow, FlowStep } from '../model/flow.ts';
import type { Console, Gateway, Tls } from '../model/gateway.ts';
import { type Conditions, codeOfSubscription, type MessageQueue, type Subscription } from '../model/message.ts';
import {
  type ClientCertificate,
  type MessageSigner,
  NODE_DEFAULTS,
  type Node,
  type NodeCredential,
  type ReplySignature,
} from '../model/node.ts';
import type { Process, Recurrence } from '../model/process.ts';
import type { Datasource, Query } from '../model/query.ts';
import type { Registry, Routing } from '../model/registry.ts';
import { DELIVERY_RETRY, type Retry } from '../model/retry.ts';
import {
  type ApiKeyScheme,
  BASIC,
  type BearerScheme,
  type ClientCertificateScheme,
  DIGEST_ALGORITHMS,
  type HmacScheme,
  type HmacSignature,
  type PermissionList,
  type Role,
  type SecurityScheme,
  SIGNATURE_ALGORITHMS,
  type SignatureScheme,
  type User,
  type UsernameTokenScheme,
  type WebhookScheme,
} from '../model/security.ts';
import type { MediaMessage, Operation, Service, SoapForm } from '../model/service.ts';
import type { SimpleType } from '../model/simple-type.ts';
import { ANSWER } from './answer-shape.ts';
import { HEADER } from './files.ts';
import { type JsonTree, jsonText } from './json-text.ts';
import { DOCUMENT, fieldsTree } from './registry-documents.ts';
import { byKind, entriesOf, inputTree, kebabCase, type Shape, shape, sortedIds, tree } from './registry-walk.ts';
import { sorted } from './vocabulary.ts';

const permissions = (thing: { readonly permissions: Iterable<PermissionList> }): JsonTree =>
  sortedIds(thing.permissions);
const responses = (thing: { readonly responses: readonly MediaMessage[] }): JsonTree =>
  entriesOf(thing.responses, 'mediaType', 'message');
const conditionsTree = (when: Conditions): JsonTree =>
  Object.fromEntries(when.map(({ field, values }) => [field, tree(values)]));
const templates = ({ uris }: Pick<RestConsumer, 'uris'>): JsonTree => uris.map(({ template }) => template.text);
/** Names of fields, with a question mark where they are optional. */
const input = (thing: { readonly input: Document }): JsonTree =>
  thing.input.fields.map(({ name, required }) => (required ? name : `${name}?`));
const action = ({ name, action: own }: SoapForm): JsonTree => (own.startsWith(`${name}.v`) ? undefined : own);
const soapForm = shape<SoapForm>()(
  'name action actions namespace reply-namespace reply-element addressing style request response faults',
  {
    action,
  },
);
const soap: Shape<{ readonly soap?: SoapForm }> = ({ soap: form }, registry) => form && soapForm(form, registry);
const retry = (thing: { readonly retry?: Retry | undefined }): JsonTree =>
  thing.retry &&
  tree({ ...thing.retry, on: typeof thing.retry.on === 'string' ? thing.retry.on : [...thing.retry.on] });

const flag = (value: boolean): string => (value ? 'Y' : 'N');

/** By the names of specification 4.4. */
const SOAP_PROPERTIES = shape<SoapProperties>()(
  'MTOM SOAPUpContent sendUncompressed PRIMARYURL SegmentContentType SegmentContentTransfer',
  {
    MTOM: ({ mtom }) => flag(mtom),
    SOAPUpContent: ({ upContent }) => flag(upContent),
    sendUncompressed: ({ compress }) => flag(!compress),
    PRIMARYURL: ({ primaryUrl }) => tree(primaryUrl),
    SegmentContentType: ({ segmentContentType }) => segmentContentType,
    SegmentContentTransfer: ({ segmentContentTransfer }) => segmentContentTransfer,
  },
  {
    compress: '`sendUncompressed`',
    mtom: '`MTOM`',
    primaryUrl: '`PRIMARYURL`',
    segmentContentTransfer: '`SegmentContentTransfer`',
    segmentContentType: '`SegmentContentType`',
    upContent: '`SOAPUpContent`',
  },
);

/** By the names of specification 4.3; only those that were declared. */
const REST_PROPERTIES = shape<RestProperties>()(
  'Base64toBinary Disable_URLEncodingBody sendUncompressed PRIMARYURL SegmentContentType',
  {
    Base64toBinary: ({ base64ToBinary }) => base64ToBinary && 'Y',
    Disable_URLEncodingBody: ({ bodyAsBuilt }) => bodyAsBuilt,
    sendUncompressed: ({ compress, acceptCompressed }) => (compress ? 'N' : !acceptCompressed && 'Y'),
    PRIMARYURL: ({ primaryUrl }) => tree(primaryUrl),
    SegmentContentType: ({ segmentContentType }) => segmentContentType,
  },
  {
    acceptCompressed: '`sendUncompressed`',
    base64ToBinary: '`Base64toBinary`',
    bodyAsBuilt: '`Disable_URLEncodingBody`',
    compress: '`sendUncompressed`',
    primaryUrl: '`PRIMARYURL`',
    segmentContentType: '`SegmentContentType`',
  },
);

type Hmac = Extract<NodeCredential, { readonly kind: 'hmac' }>;
type ClientCredentials = Extract<NodeCredential, { readonly kind: 'client-credentials' }>;

const CREDENTIAL = byKind<NodeCredential>({
  basic: ({ user, password }) => tree({ basic: { user, password } }),
  bearer: ({ token }) => tree({ bearer: token }),
  'api-key': ({ header, value }) => tree({ 'api-key': { header, value } }),
  webhook: ({ secrets }) => tree({ webhook: secrets }),
  hmac: (credential, registry) => ({ hmac: HMAC(credential, registry) }),
  'ws-security': ({ usernameToken, timestamp, signature, replySignature }, registry) => ({
    'username-token': tree(usernameToken),
    // Without the key a signature would have one of the default.
    timestamp: timestamp ?? (signature && 0),
    signature: signature && SIGNER(signature, registry),
    'reply-signature': replySignature && REPLY_SIGNATURE(replySignature, registry),
  }),
  'client-credentials': (credential, registry) => ({ 'client-credentials': CLIENT_CREDENTIALS(credential, registry) }),
});
const HMAC_KEYS = 'secrets! secret-encoding=text header algorithm form signed timestamp id';
const HMAC_VALUES = {
  secrets: ({ secrets }: HmacSignature) => tree(secrets),
  'secret-encoding': ({ encoding }: HmacSignature) => encoding,
  id: ({ webhookId }: HmacSignature) => webhookId,
};
const HMAC_MEMBERS = { encoding: '`secret-encoding`', webhookId: '`id`' } as const;
const HMAC = shape<Omit<Hmac, 'kind'>>()(HMAC_KEYS, HMAC_VALUES, HMAC_MEMBERS);
const SIGNER = shape<MessageSigner>()('file key-file passphrase algorithm digest reference token', {
  algorithm: ({ algorithm }) => algorithm && wordsOf([algorithm], SIGNATURE_ALGORITHMS)[0],
  digest: ({ digest }) => digest && wordsOf([digest], DIGEST_ALGORITHMS)[0],
});
const REPLY_SIGNATURE = shape<ReplySignature>()(
  'max-age algorithms! digests! certificate ca subject confirmation',
  {
    algorithms: ({ algorithms }) => wordsOf(algorithms, SIGNATURE_ALGORITHMS),
    digests: ({ digests }) => wordsOf(digests, DIGEST_ALGORITHMS),
    certificate: ({ certificateFile }) => tree(certificateFile),
    ca: ({ caFile }) => tree(caFile),
  },
  { caFile: '`ca`', certificateFile: '`certificate`' },
);
const CLIENT_CREDENTIALS = shape<ClientCredentials>()(
  'token-url client-id client-secret scope parameters authentication=basic',
  {},
);
const BODY = byKind<CallBody>({
  none: () => 'none',
  form: ({ fields }) => ({ form: entriesOf(fields, 'name', 'text') }),
  document: ({ document, form, formStyles }) =>
    form === undefined
      ? document.id
      : { [form]: document.id, ...(formStyles === undefined ? {} : { encoding: formStyles }) },
  field: ({ field }) => ({ field: field.name }),
  raw: ({ raw }) => raw,
});

/** A scheme without what is written for all of them. */
type Own<T extends SecurityScheme> = Omit<T, 'description'>;

/** In full, since a reader wants to see what is checked of a caller. Times in milliseconds. */
const SCHEME = byKind<SecurityScheme>({
  basic: () => ({}),
  'api-key': shape<Own<ApiKeyScheme>>()('header', {}),
  'client-certificate': shape<Own<ClientCertificateScheme>>()('header', {}),
  bearer: shape<Own<BearerScheme>>()('issuer audience! jwks algorithms! scopes! tolerance user users claim roles!', {
    roles: ({ roles }) => new Map([...roles].map(([value, granted]) => [value, tree(granted)])),
  }),
  'username-token': shape<Own<UsernameTokenScheme>>()('passwords! max-age', {}),
  signature: shape<Own<SignatureScheme>>()(
    'max-age algorithms! digests! ca certificates',
    {
      algorithms: ({ algorithms }) => wordsOf(algorithms, SIGNATURE_ALGORITHMS),
      digests: ({ digests }) => wordsOf(digests, DIGEST_ALGORITHMS),
      ca: ({ caFile }) => tree(caFile),
      certificates: ({ certificatesFile }) => tree(certificatesFile),
    },
    { caFile: '`ca`', certificatesFile: '`certificates`' },
  ),
  hmac: shape<Own<HmacScheme>>()(`user ${HMAC_KEYS} tolerance`, HMAC_VALUES, HMAC_MEMBERS),
  webhook: shape<Own<WebhookScheme>>()('secrets! user tolerance', { secrets: ({ secrets }) => tree(secrets) }),
});

/** URIs in the words of the definitions. */
function wordsOf(uris: readonly string[], words: Readonly<Record<string, string>>): string[] {
  return uris.map((uri) => Object.keys(words).find((word) => words[word] === uri) ?? uri);
}

/** A member that only an operation over REST has. */
function overRest(read: Shape<Operation>): Shape<Operation> {
  return (operation, registry) => (operation.method === undefined ? undefined : read(operation, registry));
}

/** What its method and its answer do not imply: that a GET writes, and when. */
function writesTree({ method, writes }: Operation): JsonTree {
  if (typeof writes === 'object') return Object.fromEntries(writes.map(({ field, value }) => [field.name, value]));
  return (method === 'GET' || method === 'HEAD') && writes;
}

/** Things whose use a permission list grants. */
type GrantedKind = 'operations' | 'consumers' | 'queries' | 'relatedContent' | 'processes' | 'components';

function grantedBy(kind: GrantedKind): Shape<PermissionList> {
  return (list, registry) => sortedIds([...registry[kind].values()].filter((each) => each.permissions.includes(list)));
}

function usersOf({ users }: Registry, has: (user: User) => boolean): string[] {
  return sortedIds([...users.values()].filter(has));
}

const GATEWAY = shape<Gateway>()(
  'gateway context listen database publicUrl migrations sample-data settings handlers namespace timezone requires! tls proxies audit delivered! contracts metrics cors! strict compress limits once retention console properties',
  {
    gateway: ({ id }) => id,
    publicUrl: ({ publicUrl }) => tree(publicUrl),
    database: ({ database }) => database.url.source,
    migrations: ({ migrations }) => migrations?.folder,
    settings: ({ settings }) =>
      settings.length === 0
        ? undefined
        : Object.fromEntries(
            settings.map(({ name, field, value }) => [name, { value: value.source, type: typeWords(field.type) }]),
          ),
    tls: ({ tls }, registry) => tls && TLS(tls, registry),
    console: ({ console: open }, registry) => (open ? CONSOLE(open, registry) : 'off'),
    metrics: ({ metrics }) => (metrics.length === 0 ? undefined : { permission: sortedIds(metrics) }),
    properties: ({ mtom, domainNames }) => ({
      'ig.MTOM.enablePeopleSoftServiceListeningConnector': mtom.services,
      'ig.MTOM.enableHttpListeningConnector': mtom.http,
      'ig.UseDomainName.ExternalOperationNames': domainNames.length === 0 ? undefined : domainNames,
    }),
  },
  {
    acceptedBreaks: 'read by `signalbox diff` only',
    domainNames: '`properties`',
    drain: 'how it stops',
    mtom: '`properties`',
    requestEncodings: 'how bodies are read',
  },
);
const CONSOLE = shape<Console>()('listen idle session sign-in', {
  'sign-in': ({ signIn }) => signIn.map(({ kind, ...rest }) => (kind === 'password' ? kind : tree(rest))),
});
const TLS = shape<Tls>()('certificate key passphrase client-ca minimum', {});
const CERTIFICATE = shape<ClientCertificate>()('file key-file passphrase', {});
const STEP = shape<FlowStep>()(
  'call keep for renew-on timeout',
  {
    call: ({ operation }) => operation.id,
    keep: ({ keep }) => Object.fromEntries(keep.map(({ name, from }) => [name, from.path.join('.')])),
    for: ({ holds }) => holds?.path.join('.'),
  },
  { holds: '`for`', operation: '`call`' },
);
const EVENT = shape<ComponentEventRegistration>()('event service sequence processing enabled=true as retry', {
  as: ({ as }) => as?.id,
  retry,
});
/** Which saves something is for; all of them are left out. */
const SAVES = {
  on: ({ on }: SaveFilter) => (on.length === SAVE_EFFECTS.length ? undefined : tree(on)),
  when: ({ when }: SaveFilter) => conditionsTree(when),
};
const AFTER_SAVE = shape<AfterSave>()(
  'handler on when as',
  { ...SAVES, handler: ({ file }) => file, as: ({ as }) => as?.id },
  { file: '`handler`' },
);
const PUBLICATION = shape<Publication>()(
  'operation on when map!',
  { ...SAVES, operation: ({ operation }) => operation.id, map: ({ input }) => inputTree(input) },
  { input: '`map`' },
);

/** The members of `registry.json`, in order. */
const SHAPES: { readonly [M in Member]: Shape<ThingOf<M>> } = {
  nodes: shape<Node>()(
    'description base! credential ca-file certificate resolve timeouts retry circuit rate concurrency redirects lenient',
    {
      credential: ({ credential }, registry) => credential && CREDENTIAL(credential, registry),
      certificate: ({ certificate }, registry) => certificate && CERTIFICATE(certificate, registry),
      retry,
      rate: ({ rate }) => tree(rate),
      circuit: ({ circuit }) => !isDeepStrictEqual(circuit, NODE_DEFAULTS.circuit) && tree(circuit),
      redirects: ({ redirects }) => redirects !== NODE_DEFAULTS.redirects && redirects,
    },
    { redirectsPost: 'how redirects are followed' },
  ),
  services: shape<Service>()(
    'description default active=true deprecated! cors! addressing wsdl delivered operations! consumers flows',
    {
      flows: ({ flows }) => flows.map(({ name }) => name),
      wsdl: ({ wsdl }) =>
        wsdl &&
        tree({
          ...wsdl,
          faults: wsdl.faults && Object.fromEntries([...wsdl.faults].map(([{ id }, name]) => [name, id])),
        }),
    },
    { namespace: 'follows from its id', version: 'its id' },
  ),
  // `uris` are in the order of their index, which must never change.
  operations: shape<Operation>()(
    'service description method path uris! request request-headers body form encoding request-types response wrapper status soap fault fault-types answer writes permissions! public as requires! limits once strict tags! active=true',
    {
      path: overRest(segmentOf),
      uris: overRest(templates),
      request: overRest(({ request }) => tree(request)),
      'request-headers': overRest(({ requestHeaders }) =>
        Object.fromEntries(requestHeaders.map(({ header, field }) => [header, field.name])),
      ),
      body: overRest(({ body }) => body),
      encoding: overRest(({ formStyles }) => formStyles),
      response: overRest(responses),
      wrapper: overRest(({ wrapper }) => wrapper),
      status: overRest(({ status }) => status),
      soap,
      answer: ({ answer }, registry) => ANSWER(answer, registry),
      writes: writesTree,
      permissions,
      requires: (operation) => (operation.public ? undefined : tree(operation.requires)),
    },
    { exactStatus: '`status`', formStyles: '`encoding`', pathName: '`path`', responses: '`response`' },
  ),
  consumers: byKind<ConsumerOperation>({
    soap: shape<SoapConsumer>()(
      'service description target routing log soap headers properties fault timeout retry lenient permissions! public active=true',
      {
        soap,
        headers: ({ headers }) => entriesOf(headers, 'name', 'value'),
        properties: ({ properties }, registry) => SOAP_PROPERTIES(properties, registry),
        retry,
        permissions,
      },
    ),
    rest: shape<RestConsumer>()(
      'service description target routing log method uris! input! filled headers body response properties fault fault-types timeout retry lenient permissions! public active=true',
      {
        uris: templates,
        input,
        headers: ({ headers }) => entriesOf(headers, 'name', 'text'),
        body: ({ body }, registry) => BODY(body, registry),
        response: responses,
        properties: ({ properties }, registry) => REST_PROPERTIES(properties, registry),
        retry,
        permissions,
      },
      { accepts: '`response`', host: '`uris`', responses: '`response`' },
    ),
  }),
  flows: shape<Flow>()('service description input! steps! active=true', {
    input,
    steps: ({ steps }, registry) => steps.map((each) => STEP(each, registry)),
  }),
  types: shape<SimpleType>()(
    'description base xml-type namespace enum labels any-case=false patterns space minimum maximum range digits fraction example',
    { base: ({ base }) => typeWords(base) },
  ),
  documents: DOCUMENT,
  datasources: shape<Datasource>()(
    'description url password replicas',
    {},
    { engine: '`url`', infinity: 'how odd values are read' },
  ),
  queries: shape<Query>()(
    'description permissions! public datasource rows timeout prompts! columns! sql',
    {
      permissions,
      prompts: ({ prompts }, registry) => fieldsTree(prompts, registry),
      columns: ({ columns }, registry) => fieldsTree(columns, registry),
      sql: ({ sql }) => sql.trimEnd().split(/\r?\n/),
    },
    {
      children: 'queries nested in it',
      csv: 'how results look',
      explains: 'queries of the console only',
      infinity: 'how odd values are read',
      owner: 'private queries only',
      page: 'queries of the gateway only',
      sqlAt: 'its place',
      statement: '`sql`',
    },
  ),
  components: shape<Component>()(
    'description table columns shape keys! lock permissions events after-save publish',
    {
      columns: ({ columns }) => columns && Object.fromEntries(columns),
      keys: ({ keys }) => keys.map(({ name }) => name),
      lock: ({ lock }) => lock?.name,
      permissions,
      events: ({ events }, registry) => events.map((each) => EVENT(each, registry)),
      'after-save': ({ afterSave }, registry) => afterSave && AFTER_SAVE(afterSave, registry),
      publish: ({ publications }, registry) => publications.map((each) => PUBLICATION(each, registry)),
    },
    { infinity: 'how odd values are read', public: 'no `permissions`', publications: '`publish`' },
  ),
  relatedContent: shape<RelatedContent>()(
    'description class permissions! public',
    {
      class: ({ file }) => file,
      permissions,
    },
    { file: '`class`' },
  ),
  processes: shape<Process>()(
    'description type handler query parameters! retry timeout recurs run-as permissions! public',
    {
      handler: ({ answer }) => answer.kind === 'handler' && answer.file,
      query: ({ answer }) => answer.kind === 'query' && answer.query.id,
      parameters: ({ answer, parameters }, registry) =>
        answer.kind === 'handler' ? fieldsTree(parameters, registry) : undefined,
      retry,
      permissions,
    },
    { answer: '`handler` or `query`' },
  ),
  recurrences: shape<Recurrence>()('description cron zone', {}),
  messageQueues: shape<MessageQueue>()('description order search! size retention', {}),
  subscriptions: shape<Subscription>()(
    'description operation when! handler call map awaits-reply node retry as concurrency=4 active=true gives-reply=false within',
    {
      when: ({ when }) => conditionsTree(when),
      handler: (subscription) => codeOfSubscription(subscription)[0],
      'awaits-reply': ({ target: to }) =>
        to.kind === 'call' &&
        to.awaitsReply && {
          within: to.awaitsReply.within,
          ...(to.awaitsReply.to && { to: to.awaitsReply.to.name }),
        },
      call: ({ target }) => target.kind === 'call' && target.call.id,
      map: ({ target }) => target.kind === 'call' && inputTree(target.input),
      node: ({ target }) => target.kind === 'caller' && target.node.id,
      retry: (subscription) =>
        isDeepStrictEqual(subscription.retry, DELIVERY_RETRY) ? undefined : retry(subscription),
      as: ({ as }) => as?.id,
    },
    { target: '`handler`, `call` or `node`' },
  ),
  schemes: (scheme, registry) => ({ description: scheme.description, [scheme.kind]: SCHEME(scheme, registry) }),
  permissionLists: shape<PermissionList>()(
    'description adds adds-queries adds-processes adds-components process-requests console operations! consumers queries! related-content processes components users!',
    {
      adds: ({ operations }) => tree(operations),
      'adds-queries': ({ queries }) => tree(queries),
      'adds-processes': ({ processes }) => tree(processes),
      'adds-components': ({ components }) => tree(components),
      console: ({ console: held }) => held && [...held.keys()],
      operations: grantedBy('operations'),
      consumers: grantedBy('consumers'),
      queries: grantedBy('queries'),
      'related-content': grantedBy('relatedContent'),
      processes: grantedBy('processes'),
      components: grantedBy('components'),
      users: (list, registry) => usersOf(registry, ({ permissionLists }) => permissionLists.has(list)),
    },
  ),
  roles: shape<Role>()('description permission-lists! users!', {
    'permission-lists': ({ permissionLists }) => sortedIds(permissionLists),
    users: (role, registry) => usersOf(registry, ({ roles }) => roles.includes(role)),
  }),
  // No more of a hash than identifies it.
  users: shape<User>()(
    'description password api-keys certificates shared-secret roles! sample',
    {
      password: ({ password }) => password && (/^\$([a-z0-9-]+)\$/.exec(password)?.[1] ?? 'unknown'),
      'api-keys': ({ apiKeys }) => apiKeys.map((hash) => `${hash.slice(0, 'sha256:'.length + 12)}...`),
      roles: ({ roles }) => sortedIds(roles),
    },
    { origin: 'always the definitions', permissionLists: '`roles`' },
  ),
  routings: shape<Routing>()('operation sender receiver generated active=true log=failures', {}),
};

/**
 * Text of `registry.json`: everything that results from the definitions, in the words of the definitions, so that a change of
 * one line of YAML shows its full effect in a diff. What is left out has its default. References to configuration are as
 * written; there are no password hashes, and no line numbers, which would change with every edit.
 */
export function registryFile(registry: Registry): string {
  const members = (Object.keys(SHAPES) as Member[]).flatMap((member) => {
    // `basic` is no one's definition.
    const all = sorted<{ readonly id: string }>(registry[member]);
    const things = member === 'schemes' ? all.filter(({ id }) => id !== BASIC.id) : all;
    if (things.length === 0 && MEMBERS[member].optional) return [];
    const write = SHAPES[member] as Shape<object>;
    return [[kebabCase(member), new Map(things.map((each) => [each.id, write(each, registry)]))] as const];
  });
  return jsonText({ '//': HEADER, gateway: GATEWAY(registry.gateway, registry), ...Object.fromEntries(members) });
}
