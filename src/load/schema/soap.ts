import { type JsonSchema, keys, mapOr, matching, namespaceUri, reference, word, yesNo } from './json-schema.ts';

/** Keys about messages over SOAP that a service may set for all of its operations. */
export interface SoapStyleDeclared {
  readonly faults?: Readonly<Record<string, string>>;
  readonly wrapped?: boolean;
  readonly style?: 'rpc' | 'document';
}

export interface SoapDeclared {
  readonly name?: string;
  readonly action?: string;
  readonly actions?: readonly string[];
  readonly namespace?: string;
  readonly 'reply-namespace'?: string;
  readonly 'reply-element'?: string;
  readonly addressing?: boolean;
}

export const soapKeys: Readonly<Record<keyof SoapStyleDeclared, JsonSchema>> = {
  faults: {
    type: 'object',
    minProperties: 1,
    propertyNames: {
      title: 'the name of a fault',
      pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$',
      examples: ['OutOfStock'],
    },
    additionalProperties: reference('document-id'),
    description:
      'Over SOAP, faults with documents of their own, by names. Code raises one by its name: `Fault.custom("OutOfStock", 409, "...", { document })`. With a `target`, a detail that is such a document becomes the error, with its name.',
    examples: [{ OutOfStock: 'OUT_OF_STOCK', NotAllowed: 'NOT_ALLOWED' }],
  },
  wrapped: {
    type: 'boolean',
    description:
      'Over SOAP, whether an element with the name of the operation is around the fields of a message (document/literal wrapped). Otherwise the root elements of the documents are in the Body themselves (document/literal bare), and a message without a document is an empty Body, as is one whose fields are all header blocks or attachments, and a reply of `{ fields: {} }`, unless its `xml` names an element.',
    default: true,
    examples: [false],
  },
  style: word(
    ['rpc', 'document'],
    "The style of the operation's messages over SOAP. `rpc` is rpc/literal: in the element of the operation, each field is an element without a namespace, which WSDL describes as a part with a type.",
    { default: 'document', examples: ['rpc'] },
  ),
};

const NAME = '[\\p{L}_][\\p{L}\\p{N}_.-]*';

const map = keys<keyof SoapDeclared>(
  {
    title: 'a map',
    description: 'The names that a contract prescribes.',
    minProperties: 1,
    examples: [{ name: 'GetStock', action: 'http://shop.example.org/GetStock' }],
  },
  {
    name: matching(
      'a name',
      `^${NAME}$`,
      'Its name over SOAP, and that of the element of a request. By default its id.',
      'GetStock',
    ),
    action: matching(
      'an action',
      '^[ !#-[\\]-~]*$',
      'SOAPAction in SOAP 1.1, `action=` in SOAP 1.2: sent with a call, or accepted from callers as well as the usual ones and stated in WSDL. By default it is `<NAME>.<version>`; an empty text is an empty action.',
      'http://shop.example.org/GetStock',
      '',
    ),
    actions: {
      type: 'array',
      items: { title: 'an action', type: 'string', pattern: '^[ !#-[\\]-~]+$' },
      minItems: 1,
      uniqueItems: true,
      description:
        'Further actions that are accepted from callers, such as that of another binding of the same contract. WSDL states `action` alone.',
      examples: [['http://shop.example.org/soap12/GetStock']],
    },
    namespace: {
      ...namespaceUri,
      title: 'a namespace URI, or an empty text',
      pattern: `^(?:${namespaceUri.pattern?.slice(1, -1)})?$`,
      description:
        'The namespace of the elements around its messages. By default it is that of the service. With `style: rpc`, an empty text means none: so it is where the `soap:body` of a contract names none (WSDL 1.1, section 3.5).',
      examples: ['http://shop.example.org/stock', ''],
    },
    'reply-namespace': {
      ...namespaceUri,
      title: 'a namespace URI, or an empty text',
      pattern: `^(?:${namespaceUri.pattern?.slice(1, -1)})?$`,
      description:
        'With `style: rpc`, the namespace of the element around a reply, where it is not that of the request: the `soap:body` of input and output of a contract may name two. An empty text means none.',
      examples: ['http://shop.example.org/stock/replies', ''],
    },
    'reply-element': matching(
      'a name',
      `^${NAME}$`,
      'The name of the element around a reply. By default it is `<NAME>Response`.',
      'GetStockResult',
    ),
    addressing: yesNo(
      'Whether a call has the header blocks To, Action, MessageID and ReplyTo of WS-Addressing 1.0. `To` is the first address of the node, without user information, and the action is that of the operation. A reply that relates to another message is refused.',
      false,
    ),
  },
);

/** What is neither a boolean nor a map. */
const operationName: JsonSchema = {
  title: 'true or an operation name',
  examples: [true, 'QAS_EXECUTEQRYSYNC_OPER'],
  pattern: '^(?!([Yy]([Ee][Ss])?|[Nn][Oo]?|[Oo][Nn]|[Oo][Ff][Ff])$)[\\p{L}_][\\p{L}\\p{N}_.-]*$',
};

/** `soap:` of an operation. */
export const soapKey: JsonSchema = {
  title: 'true, an operation name or a map',
  type: ['boolean', 'string', 'object'],
  description:
    'Offers it over SOAP 1.1 and 1.2 under its own id, or under that of its SOAP twin, which is the same operation with the same grants. Over SOAP all input is in the body. Without a response it is one-way. A map sets the names that a contract prescribes.',
  ...mapOr(map, operationName),
  default: false,
  examples: [true, 'QAS_EXECUTEQRYSYNC_OPER', { name: 'GetStock', action: 'http://shop.example.org/GetStock' }],
};
