import { FORM_STYLES } from '../../model/form.ts';
import type { Method } from '../../model/service.ts';
import { retry } from '../value/retry.ts';
import { type JsonSchema, keys, matching, refersTo, TOKEN, text, time, word, yesNo } from './json-schema.ts';

type FlagDeclared = string | boolean;

export interface PropertiesDeclared {
  readonly METHOD?: Method;
  readonly Method?: Method;
  readonly MTOM?: FlagDeclared;
  readonly SOAPUpContent?: FlagDeclared;
  readonly sendUncompressed?: FlagDeclared;
  readonly Base64toBinary?: FlagDeclared;
  readonly Disable_URLEncodingBody?: string | boolean;
  readonly PRIMARYURL?: string;
  readonly SegmentContentType?: string;
  readonly SegmentContentTransfer?: 'binary' | 'base64';
}

/** Of nodes and of operations that call them. */
export const LENIENT =
  'Whether parts of a reply that its document does not have are ignored and counted: elements and attributes over SOAP, also in the detail of a fault, and members over REST. The record of the call has their number. Without it, such a part is an error over SOAP, and ignored without a count over REST.';

const target: JsonSchema = refersTo(
  'node-id',
  'The node that is called. The operation is a call to another system and is not answered here.',
  'WSDL_NODE',
);

const method: JsonSchema = word(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  'The HTTP method of the call. It must equal the method of the operation; over SOAP it is POST.',
  { examples: ['POST'] },
);

const flag = (description: string, otherwise?: boolean): JsonSchema => ({
  title: 'Y or N',
  type: ['string', 'boolean'],
  pattern: '^[YyNn]$',
  description,
  ...(otherwise === undefined ? {} : { default: otherwise ? 'Y' : 'N' }),
  examples: ['Y', 'N'],
});

/** Connector properties by the names of specification 4.3 and 4.4. `over`: the only protocol that the property is for. */
export const PROPERTIES: Readonly<
  Record<keyof PropertiesDeclared, { readonly over?: 'rest' | 'soap'; readonly schema: JsonSchema }>
> = {
  METHOD: { schema: method },
  Method: { schema: { ...method, description: 'The same as METHOD.' } },
  MTOM: {
    over: 'soap',
    schema: flag('SOAP only: sends binary content of the request as attachments (MTOM), not as inline base64.', false),
  },
  SOAPUpContent: {
    over: 'soap',
    schema: flag(
      'SOAP only. `Y`: the gateway writes the envelope around the request. `N`: the caller passes the whole envelope as text, so the request is `xml` or `text`.',
      true,
    ),
  },
  sendUncompressed: {
    schema: flag(
      '`N`: compresses the request body with gzip. `Y`: over REST, also asks for replies without Content-Encoding. Without it, the request is not compressed and replies may be.',
    ),
  },
  Base64toBinary: {
    over: 'rest',
    schema: flag(
      'REST only: decodes a body that is given as Base64 text and sends the bytes. A file or a stream is sent as it is. The body must be one binary field (`body: FIELD`), or the request `binary`.',
      false,
    ),
  },
  Disable_URLEncodingBody: {
    over: 'rest',
    schema: {
      title: 'true or false',
      type: ['string', 'boolean'],
      pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$',
      description:
        'REST only. `true`: sends a form body as it was built. Values of `form:` are encoded once, and never again. Otherwise the values of a `text` request that is a form are percent-encoded.',
      default: false,
      examples: [true],
    },
  },
  PRIMARYURL: {
    schema: text("The address to call, in place of the node's. May refer to configuration.", '${env:PARTNER_URL}'),
  },
  SegmentContentType: {
    schema: matching(
      'a media type or binary',
      `^(?:binary|${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))*)$`,
      'The media type of content whose own type is unknown and whose file name suggests none: segments over SOAP, a binary body over REST. Of other bodies over REST, the media type when no header sets it. Over REST, `binary` sets none.',
      'application/xml',
      'binary',
    ),
  },
  SegmentContentTransfer: {
    schema: word(
      ['binary', 'base64'],
      'Transfer encoding of segments (RFC 2045). A body over REST is always `binary`.',
      {
        default: 'binary',
        examples: ['binary'],
      },
    ),
  },
};

export const properties: JsonSchema = keys(
  {
    description:
      'Connector properties of operations with a `target`. Those of an operation override those of its service.',
    examples: [{ METHOD: 'POST', MTOM: 'Y', SOAPUpContent: 'N' }, { Base64toBinary: 'Y' }],
  },
  Object.fromEntries(Object.entries(PROPERTIES).map(([name, { schema }]) => [name, schema])),
);

const texts = (what: string, pattern: string, example: string): JsonSchema => ({
  type: 'object',
  propertyNames: { title: what, pattern, examples: [example] },
  additionalProperties: { type: 'string' },
});

/** Keys of operations with a `target`, which a service may set for all of them. */
export const callKeys: Readonly<
  Record<'target' | 'properties' | 'values' | 'timeout' | 'retry' | 'lenient', JsonSchema>
> = {
  target,
  properties,
  values: {
    ...texts("a field's name", '^(?!__proto__$)[^{}]+$', 'TenantID'),
    description:
      'REST calls only: values of fields that the caller leaves out, as texts that may refer to configuration. A name that is not a field of the request or of the document in `variables` becomes a field of type text.',
    examples: [{ TenantID: '${env:TENANT_ID}', ClientSecret: '${secret:CLIENT_SECRET}' }],
  },
  timeout: time('Calls only: the time limit of a call, including retries.'),
  retry,
  lenient: yesNo(`Calls only: overrides that of the node. ${LENIENT}`),
};

export const form: JsonSchema = {
  ...texts("a form field's name", '^.+$', 'grant_type'),
  title: 'multipart, urlencoded, or a map of texts',
  type: ['string', 'object'],
  pattern: '^(multipart|urlencoded)$',
  minProperties: 1,
  description:
    '`multipart`: the body over REST is `multipart/form-data` (RFC 7578), in both directions, with a part for each field: text for single values, JSON for documents, files for `binary`, and several parts for a list. `urlencoded`: it is `application/x-www-form-urlencoded` ([WHATWG URL](https://url.spec.whatwg.org/#application/x-www-form-urlencoded), section 5), with a field for each field: a list is repeated (`tag=a&tag=b`), documents and maps are JSON in one text, `binary` is base64, and `encoding` says otherwise. A map is for calls only: an `application/x-www-form-urlencoded` body of these texts, which may contain values of the call (`{FIELD}`) and configuration. Each is encoded once, separately.',
  examples: ['multipart', 'urlencoded', { grant_type: 'client_credentials', client_id: '{ClientID}@{TenantID}' }],
};

export const encoding: JsonSchema = {
  type: 'object',
  propertyNames: { title: "a field's name", pattern: '^(?!__proto__$).+$' },
  additionalProperties: {
    title: 'a style',
    type: 'string',
    enum: Object.keys(FORM_STYLES),
  },
  minProperties: 1,
  description: `How fields of \`form: urlencoded\` are written, by their names: ${Object.entries(FORM_STYLES)
    .map(([name, what]) => `\`${name}\`, ${what}`)
    .join(
      '; ',
    )}. Entries of a list that is one text can't contain what separates them. An empty list of \`repeat\` or \`brackets\` has no field: a call does not send a required one.`,
  examples: [{ tags: 'comma', address: 'brackets' }],
};
