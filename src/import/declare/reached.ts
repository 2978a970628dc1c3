// The keys of services and operations that say how they are reached: over REST, over SOAP, and with which credentials.
import { foldedName } from '../../model/document.ts';
import { RAW_KINDS, type RawKind } from '../../model/service.ts';
import { isJsonType, isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { carriesCredential, isTaken } from '../../wire/request-headers.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import type { DraftMessage, DraftOperation, DraftRest, DraftSecurity, DraftService, DraftSoap } from '../draft.ts';
import { type DeclaredMap, type DeclaredValue, given } from './declared.ts';

/** The keys of an operation that say how it is reached over REST. @param encoding the styles of the fields of its form */
export function restKeys(
  { method, uris, headers, body, form, mediaType }: DraftRest,
  encoding: DeclaredValue | undefined,
  isCall: boolean,
): DeclaredMap {
  // A call sends application/json unless it says otherwise.
  const isOther = mediaType !== undefined && mediaType.toLowerCase() !== 'application/json';
  const type = isCall && isOther && form === undefined ? { 'Content-Type': mediaType } : {};
  const fields = Object.entries(headers).map(([name, field]) => [name, `{${field}}`] as const);
  const all = { ...type, ...Object.fromEntries(fields) };
  const templates = uris.map((each) => (each === '' ? '/' : each));
  return given({
    [method.toLowerCase()]: templates.length === 1 ? (templates[0] as string) : templates,
    headers: Object.keys(all).length === 0 ? undefined : all,
    body,
    form,
    encoding,
  });
}

/** Media types of a body that a service that is served takes anyway, and describes. */
const USUAL: Readonly<Record<'document' | RawKind, readonly string[]>> = {
  document: ['application/json', 'application/xml'],
  json: ['application/json'],
  xml: ['application/xml'],
  text: ['text/plain'],
  binary: ['application/octet-stream'],
};

/** The media types of a request that is served, where definitions have to name them: each one, the usual one first. */
export function servedTypes(rest: DraftRest | undefined, request: DraftMessage): readonly string[] {
  if (rest?.mediaType === undefined || rest.form !== undefined || BODILESS.has(rest.method)) return [];
  const kind = kindOf(rest, request);
  const fits = (essence: string): boolean => {
    if (kind === 'document') return /[/+](?:json|xml)$/.test(essence);
    return kind === 'text' || kind === 'binary' || (kind === 'json' ? isJsonType(essence) : isXmlType(essence));
  };
  const types = new Map<string, string>();
  for (const each of [rest.mediaType, ...(rest.otherTypes ?? [])]) {
    const type = parseMediaType(each);
    if (type !== undefined && fits(type.essence))
      types.set(type.parameters.size === 0 ? type.essence : each, type.essence);
  }
  return [...types.keys()].every((each) => USUAL[kind].includes(each)) ? [] : [...types.keys()];
}

const BODILESS: ReadonlySet<DraftRest['method']> = new Set(['GET', 'HEAD']);

/** What a body consists of: a document, or one value of a kind. */
function kindOf({ body }: DraftRest, request: DraftMessage): 'document' | RawKind {
  if (request.kind === 'raw') return request.raw;
  if (body === undefined || request.kind !== 'document') return 'document';
  const type = request.document.fields.find(({ name }) => name === body)?.type;
  if (type?.kind !== 'scalar') return 'json';
  return RAW_KINDS.find((each) => each === type.word) ?? 'text';
}

/**
 * The fault of a call: its document, with the media types of errors where replies have others, for which calls ask too. Errors
 * without the document are read as they come.
 */
export function faultValue(
  { responses, faultTypes = [] }: DraftOperation,
  document: string | undefined,
): DeclaredValue | undefined {
  const replies = responses.flatMap(({ mediaType, message }) => (message.kind === 'none' ? [] : [mediaType]));
  const known = new Set((replies.length === 0 ? [undefined] : replies).map(lowerType));
  const types = faultTypes.filter((each) => parseMediaType(each) !== undefined);
  if (types.every((each) => known.has(lowerType(each)))) return document;
  return Object.fromEntries(
    types.map((each) => [
      each,
      document !== undefined && (rawOf(each) === 'json' || rawOf(each) === 'xml') ? document : rawOf(each),
    ]),
  );
}

const lowerType = (mediaType = 'application/json'): string => mediaType.toLowerCase().replace(/\s+/g, '');

function rawOf(mediaType: string): RawKind {
  const essence = parseMediaType(mediaType)?.essence ?? '';
  if (/[/+]json$/.test(essence)) return 'json';
  if (isXmlType(essence)) return 'xml';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Whether an operation is called by an element that has its name over SOAP. */
export function hasOwnElement({ soap, uncallable }: DraftOperation): boolean {
  return soap !== undefined && soap.style !== 'bare' && uncallable === undefined;
}

/** The operations that are called whose name no other one has, and is one of XML. */
export function namedAlone(operations: readonly DraftOperation[]): ReadonlySet<DraftOperation> {
  const groups = Map.groupBy(operations, ({ name }) => foldedName(name));
  return new Set(
    [...groups.values()].flatMap((same) =>
      same.filter(({ name, uncallable }) => same.length === 1 && uncallable === undefined && isXmlName(name)),
    ),
  );
}

/** The keys of an operation that say how it is reached over SOAP. @param id its name in the definitions */
export function soapKeys(
  operation: DraftOperation,
  soap: DraftSoap,
  id: string,
  { namespace }: DraftService,
  { isCall, isAlone }: { readonly isCall: boolean; readonly isAlone: boolean },
): DeclaredMap {
  const { style, version, action, actions, request, response, mtom } = soap;
  const { uncallable } = operation;
  const isWrapped = style !== 'bare';
  const map = given({
    // What is served has no further names than those by which it is called, and the one that its WSDL gives it.
    name: request === id || !(isCall || hasOwnElement(operation) || isAlone) ? undefined : request,
    action: action ?? '',
    actions: isCall || uncallable !== undefined ? undefined : actions,
    namespace: isWrapped && soap.namespace !== namespace ? soap.namespace : undefined,
    'reply-namespace': soap.replyNamespace,
    addressing: isCall && soap.addressing === 'required' ? true : undefined,
    'reply-element': isWrapped && response !== undefined && response !== `${request}Response` ? response : undefined,
  });
  return given({
    soap: map,
    style: style === 'rpc' ? 'rpc' : undefined,
    // What can't be sent need not say how.
    wrapped: isWrapped || uncallable !== undefined ? undefined : false,
    headers: isCall && version === '1.2' ? { 'Content-Type': 'application/soap+xml' } : undefined,
    properties: isCall && mtom ? { MTOM: 'Y' } : undefined,
  });
}

/** The way of a service to authenticate calls; if it has none for all operations, the one that most of them have. */
export function securityOfCalls({ security, operations }: DraftService): readonly DraftSecurity[] {
  if (security !== undefined) return security;
  const counts = new Map<string, number>();
  for (const each of operations) {
    const key = JSON.stringify(each.security ?? []);
    if (key !== '[]') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? [] : (JSON.parse(most[0]) as readonly DraftSecurity[]);
}

export function securityWords(security: DraftSecurity): string {
  if (security.kind === 'timestamp' || security.kind === 'signature') return `a ${security.kind} in messages`;
  return security.kind === 'api-key' ? `an API key in the ${security.in}, ${security.name}` : security.kind;
}

const WS_SECURITY: ReadonlySet<DraftSecurity['kind']> = new Set(['username-token', 'timestamp', 'signature']);

/**
 * What calls of a service show of what its contract asks for, as the credential of a node: one credential of HTTP, or the parts of
 * a Security header together. Its values are settings.
 */
export function credentialOfCalls(
  asked: readonly DraftSecurity[],
  { operations }: DraftService,
  node: string,
): { readonly met: readonly DraftSecurity[]; readonly credential: DeclaredMap | undefined } {
  const isSoap = operations.every(({ soap }) => soap !== undefined);
  // What is beside the envelope can't be signed.
  const isWhole = operations.every(({ soap, request }) => soap?.mtom !== true && !hasAttachments(request));
  const parts = asked.filter(({ kind }) => isSoap && WS_SECURITY.has(kind) && (kind !== 'signature' || isWhole));
  const first = asked.find((each) => parts.includes(each) || credentialOf(each, node) !== undefined);
  if (first === undefined) return { met: [], credential: undefined };
  if (!parts.includes(first)) return { met: [first], credential: credentialOf(first, node) };
  const token = parts.find((each) => each.kind === 'username-token');
  const signature = parts.find((each) => each.kind === 'signature');
  return {
    met: parts,
    credential: given({
      'username-token':
        token &&
        given({
          user: `\${env:${node}_USER}`,
          password: token.password === 'none' ? undefined : `\${secret:${node}_PASSWORD}`,
          digest: token.password === 'digest' ? true : undefined,
        }),
      // By WS-SecurityPolicy 1.3, section 6.2, messages have one only where it is asked for.
      timestamp: parts.some(({ kind }) => kind === 'timestamp') ? '5 m' : signature && '0 s',
      signature:
        signature &&
        given({
          file: `\${env:${node}_CERTIFICATE_FILE}`,
          'key-file': `\${env:${node}_KEY_FILE}`,
          algorithm: signature.algorithm,
          digest: signature.digest,
          reference: signature.reference,
          token: signature.token,
        }),
      'reply-signature':
        signature?.replies &&
        given({
          certificate: `\${env:${node}_REPLY_CERTIFICATE_FILE}`,
          algorithms: signature.algorithm && [signature.algorithm],
          digests: signature.digest && [signature.digest],
          confirmation: signature.replies === 'confirmed' ? true : undefined,
        }),
    }),
  };
}

function hasAttachments(message: DraftOperation['request']): boolean {
  return message.kind === 'document' && message.document.fields.some(({ options }) => options.attachment !== undefined);
}

/** The certificate of connections, which is beside any credential. */
export function certificateOfCalls(asked: readonly DraftSecurity[], node: string): DeclaredMap | undefined {
  if (!asked.some(({ kind }) => kind === 'client-certificate')) return undefined;
  return { file: `\${env:${node}_TLS_CERTIFICATE_FILE}`, 'key-file': `\${env:${node}_TLS_KEY_FILE}` };
}

/** The credential of calls that is not in the message. */
function credentialOf(security: DraftSecurity, node: string): DeclaredMap | undefined {
  switch (security.kind) {
    case 'basic':
      return { basic: { user: `\${env:${node}_USER}`, password: `\${secret:${node}_PASSWORD}` } };
    case 'bearer':
      return { bearer: `\${secret:${node}_TOKEN}` };
    case 'api-key':
      if (security.in !== 'header' || !carriesCredential(security.name.toLowerCase())) return undefined;
      return { 'api-key': { header: security.name, value: `\${secret:${node}_KEY}` } };
    case 'client-credentials':
      return {
        'client-credentials': given({
          // One that is relative is so to an address that may differ from where the calls go.
          'token-url': /^https?:\/\//i.test(security.tokenUrl) ? security.tokenUrl : `\${env:${node}_TOKEN_URL}`,
          'client-id': `\${env:${node}_CLIENT_ID}`,
          'client-secret': `\${secret:${node}_CLIENT_SECRET}`,
          scope: security.scopes.length === 0 ? undefined : security.scopes.join(' '),
        }),
      };
    default:
      return undefined;
  }
}

export const SCHEME_WORDS: Readonly<Record<DraftSecurity['kind'], string>> = {
  basic: 'BASIC',
  bearer: 'LOGIN',
  'api-key': 'KEY',
  'client-credentials': 'LOGIN',
  'username-token': 'TOKEN',
  timestamp: 'TIMESTAMP',
  signature: 'SIGNED',
  'client-certificate': 'CERTIFICATE',
};

/** The keys of a scheme. What a contract does not say, as the issuer of tokens, is a setting. */
export function schemeKeys(security: DraftSecurity, name: string): DeclaredMap | undefined {
  switch (security.kind) {
    case 'basic':
      return undefined;
    case 'api-key':
      return security.in === 'header' && holdsKey(security.name) ? { 'api-key': { header: security.name } } : undefined;
    case 'bearer':
    case 'client-credentials':
      return {
        bearer: {
          issuer: `\${env:${name}_ISSUER}`,
          audience: `\${env:${name}_AUDIENCE}`,
          jwks: `\${env:${name}_JWKS}`,
        },
      };
    case 'username-token':
      if (security.password === 'none') return undefined;
      return { 'username-token': security.password === 'digest' ? { passwords: ['digest'] } : {} };
    case 'timestamp':
    case 'signature':
      return undefined;
    case 'client-certificate':
      return { 'client-certificate': {} };
  }
}

/** Whether a header may hold an API key of a caller. */
function holdsKey(header: string): boolean {
  const name = header.toLowerCase();
  return name === 'authorization' || !isTaken(name);
}
