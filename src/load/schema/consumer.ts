import type { Method } from '../../model/service.ts';
import { retry } from '../value/retry.ts';
import { duration, type JsonSchema, keys, matching, refersTo, TOKEN, text, word } from './json-schema.ts';

/** `Y`, `n`, `true`. */
export type FlagDeclared = string | boolean;

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

/** The node that an operation calls. */
const target: JsonSchema = refersTo(
  'node-id',
  'The node that is called: the operation is a call to another system, and nothing here answers it.',
  'WSDL_NODE',
);

const method: JsonSchema = word(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  'The HTTP method of the call: that of the operation; over SOAP there is one, POST.',
  { examples: ['POST'] },
);

const flag = (description: string, otherwise?: 'Y' | 'N'): JsonSchema => ({
  title: 'Y or N',
  type: ['string', 'boolean'],
  pattern: '^[YyNn]$',
  description,
  ...(otherwise === undefined ? {} : { default: otherwise }),
  examples: ['Y', 'N'],
});

/** Connector properties of a consumer, by the names of specification 4.3 and 4.4. */
export const properties: JsonSchema = keys<keyof PropertiesDeclared>(
  {
    description:
      'Connector properties of operations with a `target`. Those of the operation stand above those of its service.',
    examples: [{ METHOD: 'POST', MTOM: 'Y', SOAPUpContent: 'N' }, { Base64toBinary: 'Y' }],
  },
  {
    METHOD: method,
    Method: { ...method, description: 'As METHOD.' },
    MTOM: flag(
      'Over SOAP: binary content of the request travels as attachments (MTOM), not as base64 in its place.',
      'N',
    ),
    SOAPUpContent: flag(
      "Over SOAP. `Y`: the gateway writes the envelope around the request. `N`: the caller's text is the envelope, so the request is `xml` or `text`.",
      'Y',
    ),
    sendUncompressed: flag(
      '`N`: the body of the request travels in gzip. `Y`: over REST replies are asked for without Content-Encoding too; where it is left out they may have one.',
    ),
    Base64toBinary: flag(
      'Over REST: a body that is given as Base64 text is sent as the bytes that it stands for; a file or a stream is sent as it is. The body is one binary field (`body: FIELD`), or the request is `binary`.',
      'N',
    ),
    Disable_URLEncodingBody: {
      title: 'true or false',
      type: ['string', 'boolean'],
      pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$',
      description:
        'Over REST. `true`: the form that is the body is sent as it was built. With `form:` each value is encoded once by itself, and nothing is encoded again. Without it, the values of a `text` request that is a form are percent-encoded.',
      default: false,
      examples: [true],
    },
    PRIMARYURL: text("The address to call, in place of the node's. May refer to configuration.", '${env:PARTNER_URL}'),
    SegmentContentType: matching(
      'a media type or binary',
      `^(?:binary|${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))*)$`,
      'Over SOAP the media type of segments that name none of their own. Over REST the media type of the body where no header says one; the word `binary` says nothing of it.',
      'application/xml',
      'binary',
    ),
    SegmentContentTransfer: word(
      ['binary', 'base64'],
      'How segments travel (RFC 2045); a body over REST is `binary`.',
      { default: 'binary', examples: ['binary'] },
    ),
  },
);

const texts = (what: string, pattern: string, example: string): JsonSchema => ({
  type: 'object',
  propertyNames: { title: what, pattern, examples: [example] },
  additionalProperties: { type: 'string' },
});

/** What operations with a `target` may say, and their service for all of them. */
export const callKeys: Readonly<Record<'target' | 'properties' | 'values' | 'timeout' | 'retry', JsonSchema>> = {
  target,
  properties,
  values: {
    ...texts("a field's name", '^(?!__proto__$)[^{}]+$', 'TenantID'),
    description:
      'Of operations with a `target`, over REST: what fields hold that the caller leaves out, as texts that may refer to configuration. A name that is no field of the request or the template document becomes one, of type text.',
    examples: [{ TenantID: '${env:TENANT_ID}', ClientSecret: '${secret:CLIENT_SECRET}' }],
  },
  timeout: {
    ...duration,
    description: 'Of operations with a `target`: the whole of a call, its repetitions with it.',
  },
  retry,
};

/** The body of a call as a form. */
export const form: JsonSchema = {
  ...texts("a form field's name", '^.+$', 'grant_type'),
  minProperties: 1,
  description:
    'Of an operation with a `target`: the body is `application/x-www-form-urlencoded`, of these texts. They may hold values of the call (`{FIELD}`) and configuration; each is encoded once, by itself.',
  examples: [{ grant_type: 'client_credentials', client_id: '{ClientID}@{TenantID}' }],
};
