import type { Rules } from './entry.ts';

const FIELDS = 'fields: { NUMBER: integer }';
const CARD = 'document: CARD\nfields: { PAN: { type: text, required: true } }';
const TRANSFER = 'document: TRANSFER\nfields: { IBAN: { type: text, required: true } }';
const CASH = 'document: CASH\nfields: { TILL: { type: text, required: true } }';
const choice = (branches: string, more = ''): string =>
  `document: ORDER\none-of: { ${branches} }\n${more}---\n${CARD}\n---\n${TRANSFER}\n---\n${CASH}`;
const family = (...more: readonly string[]): string =>
  [`document: ORDER\n${FIELDS}`, 'document: PARTIAL\nextends: ORDER\nfields: { PART: integer }', ...more].join(
    '\n---\n',
  );

/** Changes of documents as such. */
export const documentRules = {
  'document-renamed': {
    sentence: 'The document of {what} is called {after}, no longer {before}.',
    reason: 'The name of a document is that of a class in generated code, and is not sent.',
    verdicts: { request: 'CCM', reply: 'CCM' },
    sample: 'fields',
    before: 'LINE: { fields: { TEXT: text } }',
    after: 'LINE: ORDER_DETAIL\n---\ndocument: ORDER_DETAIL\nfields: { TEXT: text }',
  },
  'xml-type-changed': {
    sentence: 'The type of {what} is named {after} in XML Schema, no longer {before}.',
    reason: 'The name of a type is that of a class in code that is generated from XML Schema, and of `xsi:type`.',
    verdicts: { request: 'CMM', reply: 'CMM' },
    sample: 'document',
    before: `document: ORDER\n${FIELDS}`,
    after: `document: ORDER\nxml-type: OrderType\n${FIELDS}`,
  },
  'root-element-changed': {
    sentence: 'The root element of {what} is {after}, no longer {before}.',
    reason:
      'Readers of XML expect the root element that they know. Over SOAP it has the name of the operation in any case.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'document',
    before: `document: ORDER\n${FIELDS}`,
    after: `document: ORDER\nxml: order\n${FIELDS}`,
  },
  'namespace-changed': {
    sentence: 'The elements of {what} are in the XML namespace {after}, no longer {before}.',
    reason: 'An element in another namespace is another element.',
    verdicts: { callers: 'CBC', request: 'CBC', reply: 'CBC', called: 'CBC' },
    sample: 'document',
    before: `document: ORDER\n${FIELDS}`,
    after: `document: ORDER\nnamespace: urn:example:orders\n${FIELDS}`,
  },
  'root-label-added': {
    sentence: '{what} has the root label {after} in JSON.',
    reason:
      'The gateway reads a document with and without its label. Other readers look for the members where they were.',
    verdicts: { request: 'CCM', reply: 'BCC' },
    sample: 'document',
    before: `document: ORDER\n${FIELDS}`,
    after: `document: ORDER\nroot: true\n${FIELDS}`,
  },
  'root-label-removed': {
    sentence: '{what} has no root label in JSON; it was {before}.',
    reason: 'A label that is not declared is an unknown member, and readers look for the members below it.',
    verdicts: { request: 'BCC', reply: 'BCC' },
    sample: 'document',
    before: `document: ORDER\nroot: true\n${FIELDS}`,
    after: `document: ORDER\n${FIELDS}`,
  },
  'root-label-changed': {
    sentence: '{what} has the root label {after} in JSON, no longer {before}.',
    reason: 'Under another label nothing is found.',
    verdicts: { request: 'BCC', reply: 'BCC' },
    sample: 'definitions',
    before:
      'document: ORDER\nroot: true\nfields: { NUMBER: integer }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDER_POST: { post: orders, request: ORDER, response: ORDER }',
    after:
      'document: SALE\nroot: true\nxml: ORDER\nfields: { NUMBER: integer }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDER_POST: { post: orders, request: SALE, response: SALE }',
  },
  'document-opened': {
    sentence: '{what} may have fields that are not declared.',
    reason: 'More is accepted than before. Readers of a reply may get fields that they do not know.',
    verdicts: { request: 'CCC', reply: 'CMM' },
    sample: 'document',
    before: `document: ORDER\n${FIELDS}`,
    after: `document: ORDER\nopen: true\n${FIELDS}`,
  },
  'document-closed': {
    sentence: '{what} has no fields other than those that are declared.',
    reason:
      'Requests with further fields were accepted, and are rejected. In what a system that is called replies they are ignored, except over SOAP (`undeclared-refused`).',
    verdicts: { request: 'BBB', reply: 'CCC', received: 'CCC' },
    sample: 'document',
    before: `document: ORDER\nopen: true\n${FIELDS}`,
    after: `document: ORDER\n${FIELDS}`,
  },
  'choice-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'One of several documents has another form than a document with fields.',
    verdicts: { request: 'BBB', reply: 'BBB' },
    sample: 'document',
    before: CARD.replace('CARD', 'ORDER'),
    after: choice('card: CARD, transfer: TRANSFER'),
  },
  'branch-added': {
    sentence: '{what} is a further choice.',
    reason: 'One more document is accepted. Readers of a reply may get one that they do not know.',
    verdicts: { request: 'CCC', reply: 'MMM' },
    sample: 'document',
    before: choice('card: CARD, transfer: TRANSFER'),
    after: choice('card: CARD, transfer: TRANSFER, cash: CASH'),
  },
  'branch-removed': {
    sentence: '{what} can no longer be chosen.',
    reason: 'A document that was accepted is rejected. Readers of a reply get fewer than they know.',
    verdicts: { request: 'BBB', reply: 'CCC' },
    sample: 'document',
    before: choice('card: CARD, transfer: TRANSFER, cash: CASH'),
    after: choice('card: CARD, transfer: TRANSFER'),
  },
  'tag-changed': {
    sentence: 'In JSON, the choices of {what} are distinguished by {after}, no longer by {before}.',
    reason: 'The member that says which document it is has another name.',
    verdicts: { request: 'BCC', reply: 'BCC' },
    sample: 'document',
    before: choice('card: CARD, transfer: TRANSFER'),
    after: choice('card: CARD, transfer: TRANSFER', 'by: kind\n'),
  },
  'patch-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason:
      'In a change, null clears a field and an absent field stays; in a record, both mean that there is no value.',
    verdicts: { request: 'BBB', reply: 'BBB' },
    sample: 'definitions',
    before:
      'document: PLACE\nfields: { ID: { type: string(5), required: true }, NAME: string(30) }\n---\ncomponent: PLACES\ntable: place\nshape: PLACE\nkeys: [ID]\n---\nservice: Places.v1\npublic: true\noperations:\n  PLACE_SAVE: { put: "places/{ID}", save: PLACES }',
    after:
      'document: PLACE\nfields: { ID: { type: string(5), required: true }, NAME: string(30) }\n---\ncomponent: PLACES\ntable: place\nshape: PLACE\nkeys: [ID]\n---\nservice: Places.v1\npublic: true\noperations:\n  PLACE_SAVE: { patch: "places/{ID}", save: PLACES }',
  },
  'message-kind-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'A document, a list, a text and bytes have different forms.',
    verdicts: { request: 'BBB', reply: 'BBB' },
    sample: 'operation',
    before: 'post: orders\nrequest: json\nresponse: text',
    after: 'post: orders\nrequest: json\nresponse: binary',
  },
  'message-begun': {
    sentence: '{what} is no longer empty.',
    reason: 'Callers ignore a reply that they do not expect. A request that has to be sent is a new duty.',
    verdicts: { request: 'BBB', reply: 'CCC', sent: 'MMM', received: 'MMM' },
    sample: 'operation',
    before: 'post: orders\nrequest: json\nresponse: none',
    after: 'post: orders\nrequest: json\nresponse: text',
  },
  'message-ended': {
    sentence: '{what} is empty.',
    reason: 'Readers of a reply rely on what it contained. A request with a body that has no meaning is rejected.',
    verdicts: { request: 'BBB', reply: 'BBB', received: 'CCC' },
    sample: 'operation',
    before: 'post: orders\nrequest: json\nresponse: text',
    after: 'post: orders\nrequest: json\nresponse: none',
  },
} as const satisfies Rules;

/** Changes of documents that derive from others. */
export const kindRules = {
  'base-changed': {
    sentence: 'The base of {what} is {after}, no longer {before}.',
    reason: 'XML Schema and generated code have the base; in messages its fields are those of the document.',
    verdicts: { request: 'CMM', reply: 'CMM' },
    sample: 'document',
    before: `document: BASE\n${FIELDS}\n---\ndocument: ORDER\n${FIELDS}`,
    after: `document: BASE\n${FIELDS}\n---\ndocument: ORDER\nextends: BASE\nfields: {}`,
  },
  'kind-added': {
    sentence: '{what} may also be {after}.',
    reason: 'Who reads it may not know the document.',
    verdicts: { request: 'CCC', reply: 'MMM' },
    sample: 'document',
    before: family(),
    after: family('document: EXPRESS\nextends: ORDER\nfields: { HOURS: integer }'),
  },
  'kind-removed': {
    sentence: '{what} may no longer be {before}.',
    reason: 'A message with this document is rejected.',
    verdicts: { request: 'BBB', reply: 'CCC' },
    sample: 'document',
    before: family('document: EXPRESS\nextends: ORDER\nfields: { HOURS: integer }'),
    after: family(),
  },
  'kind-member-changed': {
    sentence: 'The member of JSON that names the document of {what} is {after}, no longer {before}.',
    reason: 'Readers find the document by this member. XML has `xsi:type` in either case.',
    verdicts: { request: 'BCB', reply: 'BCB' },
    sample: 'document',
    before: family(),
    after: family().replace('fields', 'by: kind\nfields'),
  },
  'request-type-added': {
    sentence: 'The request is also accepted as {after}.',
    reason: 'Callers send what they sent before.',
    verdicts: { request: 'CCC' },
    sample: 'operation',
    before: 'post: orders\nrequest: { text/csv: text }\nresponse: text',
    after: 'post: orders\nrequest: { text/csv: text, text/plain: text }\nresponse: text',
  },
  'request-type-removed': {
    sentence: 'The request is no longer accepted as {before}.',
    reason: 'A request with this media type is answered by 415.',
    verdicts: { request: 'BBB' },
    sample: 'operation',
    before: 'post: orders\nrequest: { text/csv: text, text/plain: text }\nresponse: text',
    after: 'post: orders\nrequest: { text/csv: text }\nresponse: text',
  },
  'fault-type-changed': {
    sentence: 'Errors are {after}, no longer {before}.',
    reason:
      'Callers that look at the media type of an error take it for another one. A call also asks for the types of errors.',
    verdicts: { reply: 'MMM', received: 'CCC' },
    sample: 'operation',
    before: 'get: orders\nresponse: text\nfault: { fields: { error: { type: text, default: "{fault.message}" } } }',
    after:
      'get: orders\nresponse: text\nfault: { application/problem+json: { fields: { error: { type: text, default: "{fault.message}" } } } }',
  },
} as const satisfies Rules;

const pets = (operation: string): string =>
  `openapi: 3.0.3\ninfo: { title: Pets, version: "1" }\npaths:\n  /pets:\n    get:\n      operationId: listPets\n${operation.replace(/^(?=.)/gm, '      ')}\n`;
const error = (member: string): string =>
  `responses:\n  "204": { description: Done. }\n  "404":\n    description: None.\n    content:\n      application/json:\n        schema: { type: object, properties: { ${member}: { type: string } } }`;
const DONE = 'responses:\n  "204": { description: Done. }';
const page = (more: string): string =>
  `parameters:\n  - { name: page, in: query, schema: { type: integer${more} } }\n${DONE}`;

const shop = (soap: 'soap' | 'soap12'): string =>
  `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/${soap}/" xmlns:t="urn:shop"
    targetNamespace="urn:shop">
  <types>
    <schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:shop">
      <element name="Close" type="string"/>
    </schema>
  </types>
  <message name="Close"><part name="shop" element="t:Close"/></message>
  <portType name="Shop"><operation name="Close"><input message="t:Close"/></operation></portType>
  <binding name="Shop" type="t:Shop">
    <s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Close"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation>
  </binding>
  <service name="Shop">
    <port name="Shop" binding="t:Shop"><s:address location="https://shop.example.org"/></port>
  </service>
</definitions>`;

/** Changes that only a comparison of two contracts finds, because definitions do not state it. */
export const contractRules = {
  'error-reply-added': {
    sentence: 'The error reply {what} is new.',
    reason: 'Callers that know no such reply treat it as any other failure.',
    verdicts: { callers: 'CCC' },
    sample: 'contract',
    before: pets(DONE),
    after: pets(error('code')),
  },
  'error-reply-removed': {
    sentence: 'The error reply {what} is removed.',
    reason: 'Callers that wait for it may not recognise the failure in another form.',
    verdicts: { callers: 'MMM' },
    sample: 'contract',
    before: pets(error('code')),
    after: pets(DONE),
  },
  'error-reply-changed': {
    sentence: 'The error reply {what} has other content.',
    reason: 'Callers that read its members may miss them. Compare them yourself.',
    verdicts: { callers: 'MMM' },
    sample: 'contract',
    before: pets(error('code')),
    after: pets(error('reason')),
  },
  'soap-version-changed': {
    sentence: 'The version of SOAP is {after}, no longer {before}.',
    reason: 'The envelope and the media type of a message differ between versions.',
    verdicts: { callers: 'CBM' },
    sample: 'contract',
    before: shop('soap'),
    after: shop('soap12'),
  },
  'uncarried-added': {
    sentence: 'The contract has {after}.',
    reason:
      'It is something that definitions do not state, so that nothing more is known of what it means for callers: compare it yourself.',
    verdicts: { callers: 'MMM' },
    sample: 'contract',
    before: pets(page('')),
    after: pets(page(', multipleOf: 5')),
  },
  'uncarried-removed': {
    sentence: 'The contract no longer has {before}.',
    reason:
      'It is something that definitions do not state, so that nothing more is known of what it means for callers: compare it yourself.',
    verdicts: { callers: 'MMM' },
    sample: 'contract',
    before: pets(page(', multipleOf: 5')),
    after: pets(page('')),
  },
} as const satisfies Rules;
