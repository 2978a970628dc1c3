import type { Rules } from './entry.ts';

const FIELDS = 'fields: { NUMBER: integer }';
const CARD = 'document: CARD\nfields: { PAN: { type: text, required: true } }';
const TRANSFER = 'document: TRANSFER\nfields: { IBAN: { type: text, required: true } }';
const CASH = 'document: CASH\nfields: { TILL: { type: text, required: true } }';
const choice = (branches: string, more = ''): string =>
  `document: ORDER\none-of: { ${branches} }\n${more}---\n${CARD}\n---\n${TRANSFER}\n---\n${CASH}`;

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
      'Requests with further fields were accepted, and are rejected. In what a system that is called replies they are ignored.',
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

/** Changes of which fields a document has, and how they are named and written. */
export const fieldRules = {
  'field-added': {
    sentence: '{what} is new.',
    reason:
      'Callers that do not send an optional field remain valid. In a reply, JSON readers ignore a member that they do not know, but XML readers that validate, and some generated clients, reject it. A system that is called may reject what it does not know.',
    verdicts: { request: 'CCC', reply: 'CMM', sent: 'MMM' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: integer\nNOTE: text',
  },
  'required-field-added': {
    sentence: '{what} is new, and required.',
    reason:
      'Requests without the new field are rejected, and no caller sends it yet; nor does a system that is called. In a reply it is like any new field.',
    verdicts: { request: 'BBB', reply: 'CMM', sent: 'MMM' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: integer\nNOTE: { type: text, required: true }',
  },
  'field-removed': {
    sentence: '{what} is removed.',
    reason:
      'Requests with a field that is not declared are rejected. Readers of a reply rely on a field that was always there. In what a system that is called replies, an undeclared field is ignored.',
    verdicts: { request: 'BBB', reply: 'BBB', received: 'CCC' },
    sample: 'fields',
    before: 'NUMBER: integer\nNOTE: { type: text, required: true }',
    after: 'NUMBER: integer',
  },
  'optional-field-removed': {
    sentence: '{what} is removed. It was optional.',
    reason:
      'Requests with a field that is not declared are rejected. Readers of a reply can do without an optional field, if they expect it to be absent at all.',
    verdicts: { request: 'BBB', reply: 'MMM', received: 'CCC' },
    sample: 'fields',
    before: 'NUMBER: integer\nNOTE: text',
    after: 'NUMBER: integer',
  },
  'field-undeclared': {
    sentence: '{what} is no longer declared, in a document that is open.',
    reason: 'An open document still accepts the field, without checking it, but what it means is no longer defined.',
    verdicts: { request: 'MMM', reply: 'MMM', received: 'CCC' },
    sample: 'document',
    before: 'document: ORDER\nopen: true\nfields: { NUMBER: integer, NOTE: text }',
    after: 'document: ORDER\nopen: true\nfields: { NUMBER: integer }',
  },
  'field-renamed': {
    sentence: '{what} was called {before}; it is named as before in JSON and XML.',
    reason: 'The name in YAML is not sent. It is used by handlers and in error messages.',
    verdicts: { request: 'DDD', reply: 'DDD' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'ORDER_NUMBER: { type: integer, json: NUMBER, xml: NUMBER }',
  },
  'json-name-changed': {
    sentence: '{what} is called {after} in JSON, no longer {before}.',
    reason: 'Under its old name the field is unknown, and under its new one the other side does not look for it.',
    verdicts: { request: 'BCC', reply: 'BCC' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, json: number }',
  },
  'xml-name-changed': {
    sentence: '{what} is called {after} in XML, no longer {before}.',
    reason:
      'Under its old name the element or attribute is unknown, and under its new one the other side does not look for it.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, xml: Number }',
  },
  'field-namespace-changed': {
    sentence: '{what} is in the XML namespace {after}, no longer {before}.',
    reason: 'An element in another namespace is another element.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, namespace: "urn:example:types" }',
  },
  'attribute-changed': {
    sentence: '{what} is {after} in XML, no longer {before}.',
    reason: 'Readers look for an attribute or for an element, not for both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, attribute: true }',
  },
  'xml-form-changed': {
    sentence: '{what} is {after} in XML, no longer {before}.',
    reason: 'Readers find a value by the elements and attributes around it. JSON has the member in either case.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'SIZE: { fields: { WIDTH: integer } }',
    after: 'SIZE: { inline: true, fields: { WIDTH: integer } }',
  },
  'wildcard-begun': {
    sentence: '{what} is elements or attributes of any name in XML.',
    reason:
      'They are not inside an element of the field any more. JSON has their markup, or a map of them, in the member.',
    verdicts: { request: 'MBM', reply: 'MBM' },
    sample: 'fields',
    before: 'MORE: xml',
    after: 'MORE: { type: xml, any: true }',
  },
  'wildcard-ended': {
    sentence: '{what} is no longer elements or attributes of any name in XML.',
    reason: 'Elements and attributes that are not declared are rejected, and the field has an element of its own.',
    verdicts: { request: 'MBM', reply: 'MBM' },
    sample: 'fields',
    before: 'MORE: { type: xml, any: true }',
    after: 'MORE: xml',
  },
  'wildcard-changed': {
    sentence: '{what} takes names of the namespaces {after}, no longer {before}.',
    reason: 'Names of other namespaces are accepted, or no longer: whether anyone uses them is not in the definitions.',
    verdicts: { request: 'MMM', reply: 'MMM' },
    sample: 'fields',
    before: 'MORE: { type: xml, any: true }',
    after: 'MORE: { type: xml, any: "##other" }',
  },
  'header-block-changed': {
    sentence: 'Over SOAP, {what} is {after}, no longer {before}.',
    reason: 'Readers look for a value in the Header or in the Body, not in both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'operation',
    before:
      'soap: true\nrequest: { fields: { NUMBER: integer, TOKEN: text } }\nresponse: { fields: { NUMBER: integer } }',
    after:
      'soap: true\nrequest: { fields: { NUMBER: integer, TOKEN: { type: text, header: true } } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'attachment-changed': {
    sentence: 'Over SOAP, {what} is {after}, no longer {before}.',
    reason: 'Readers look for content in the Body or beside the envelope, not in both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'operation',
    before:
      'soap: true\nrequest: { fields: { NUMBER: integer, SCAN: binary } }\nresponse: { fields: { NUMBER: integer } }',
    after:
      'soap: true\nrequest: { fields: { NUMBER: integer, SCAN: { type: binary, attachment: true } } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'flat-changed': {
    sentence: 'The entries of {what} are {after} in XML, no longer {before}.',
    reason: 'Entries of a flat list have no element around them; readers expect one form or the other.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'LINES: list of string',
    after: 'LINES: { type: list of string, flat: true }',
  },
  'entry-name-changed': {
    sentence: 'An entry of {what} is called {after} in XML, no longer {before}.',
    reason: 'Readers find the entries of a list by the name of their elements.',
    verdicts: { request: 'CBC', reply: 'CBC' },
    sample: 'fields',
    before: 'LINES: { list: { fields: { TEXT: text } } }',
    after: 'LINES: { list: { xml: line, fields: { TEXT: text } } }',
  },
  'field-order-changed': {
    sentence: 'The elements of {what} have another order: {after}. It was {before}.',
    reason:
      'The order of elements is part of an XML Schema: readers that validate reject another one, and some lose elements silently. The gateway reads elements in any order, and members of JSON objects have none.',
    verdicts: { request: 'CCC', reply: 'CBC' },
    sample: 'fields',
    before: 'NUMBER: integer\nNOTE: text',
    after: 'NOTE: text\nNUMBER: integer',
  },
  'field-required': {
    sentence: '{what} is required.',
    reason:
      'Messages without the field were valid, and are rejected. In what is written, a field that is always there breaks nothing.',
    verdicts: { request: 'BBB', reply: 'CCC' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, required: true }',
  },
  'field-optional': {
    sentence: '{what} may be missing.',
    reason: 'Readers rely on a field that was always there. Requests that have it remain valid.',
    verdicts: { request: 'CCC', reply: 'BBB' },
    sample: 'fields',
    before: 'NUMBER: { type: integer, required: true }',
    after: 'NUMBER: integer',
  },
  'absent-changed': {
    sentence: 'Without a value, {what} is {after}, no longer {before}.',
    reason: 'Readers may tell an absent field from one that is blank.',
    verdicts: { request: 'CCC', reply: 'MMM' },
    sample: 'fields',
    before: 'NOTE: text',
    after: 'NOTE: { type: text, absent: blank }',
  },
  'url-style-changed': {
    sentence: '{what} is written into a URL in the style {after}, no longer {before}.',
    reason: 'Values with slashes or quotes are encoded differently, so such a URL no longer means the same value.',
    verdicts: { request: 'MCM', sent: 'MCM' },
    sample: 'operation',
    before: 'get: "orders/{NUMBER}"\nrequest: { fields: { NUMBER: string(10) } }\nresponse: text',
    after: 'get: "orders/{NUMBER}"\nrequest: { fields: { NUMBER: { type: string(10), url: path } } }\nresponse: text',
  },
  'as-found-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason:
      'A value from a database that is written as it is found may be longer than declared, or missing where required.',
    verdicts: { request: 'CCC', reply: 'MMM' },
    sample: 'definitions',
    before:
      'document: REPLY\nfields: { rows: { list: { fields: { NUMBER: { type: integer, required: true } } } } }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: orders, response: REPLY }',
    after:
      'query: ORDERS\npublic: true\ncolumns: { NUMBER: { type: integer, required: true } }\nsql: select number from orders\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: orders, query: ORDERS }',
  },
  'sensitive-changed': {
    sentence: '{what} is {after} in logs, no longer {before}.',
    reason: 'What logs and errors show is not part of a message.',
    verdicts: { request: 'DDD', reply: 'DDD' },
    sample: 'fields',
    before: 'NUMBER: string(20)',
    after: 'NUMBER: { type: string(20), sensitive: true }',
  },
  'example-changed': {
    sentence: 'The example of {what} changes.',
    reason: 'Examples are for readers of a contract.',
    verdicts: { request: 'DDD', reply: 'DDD' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, example: 17 }',
  },
  'description-changed': {
    sentence: 'The description of {what} changes.',
    reason: 'Descriptions are for readers of a contract.',
    verdicts: { callers: 'DDD', request: 'DDD', reply: 'DDD', called: 'DDD' },
    sample: 'fields',
    before: 'NUMBER: integer',
    after: 'NUMBER: { type: integer, description: Number of the order. }',
  },
} as const satisfies Rules;
