import { type JsonSchema, keys, reference } from './json-schema.ts';

/** The node that an operation calls. */
export const target: JsonSchema = {
  ...reference('node-id'),
  description: 'The node that is called: the operation is a call to another system, and nothing here answers it.',
  examples: ['WSDL_NODE'],
};

const method: JsonSchema = {
  type: 'string',
  enum: ['POST'],
  description: 'The HTTP method of the call. SOAP has one.',
  examples: ['POST'],
};

const flag = (description: string, otherwise: 'Y' | 'N'): JsonSchema => ({
  title: 'Y or N',
  type: ['string', 'boolean'],
  pattern: '^[YyNn]$',
  description,
  default: otherwise,
  examples: ['Y', 'N'],
});

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

/** Connector properties of a consumer, by the names of specification 4.4. */
export const properties: JsonSchema = keys(
  {
    description:
      'Connector properties of operations with a `target`. Those of the operation stand above those of its service.',
    examples: [{ METHOD: 'POST', MTOM: 'Y', SOAPUpContent: 'N' }],
  },
  {
    METHOD: method,
    Method: { ...method, description: 'As METHOD.' },
    MTOM: flag('Binary content of the request travels as attachments (MTOM), not as base64 in its place.', 'N'),
    SOAPUpContent: flag(
      "`Y`: the gateway writes the envelope around the request. `N`: the caller's text is the envelope, so the request is `xml` or `text`.",
      'Y',
    ),
    sendUncompressed: flag('`N`: the body of the request travels in gzip.', 'Y'),
    PRIMARYURL: {
      type: 'string',
      minLength: 1,
      description: "The address to call, in place of the node's. May refer to configuration.",
      examples: ['${env:PARTNER_URL}'],
    },
    SegmentContentType: {
      title: 'a media type',
      type: 'string',
      pattern: `^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))*$`,
      description: 'Media type of segments that name none of their own.',
      examples: ['application/xml'],
    },
    SegmentContentTransfer: {
      type: 'string',
      enum: ['binary', 'base64'],
      description: 'How segments travel (RFC 2045).',
      default: 'binary',
      examples: ['binary'],
    },
  },
);
