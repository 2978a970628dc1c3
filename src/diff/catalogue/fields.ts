import type { Rules } from './entry.ts';

/** Changes of which fields a document has, and how they are named and written. */
export const fieldRules = {
  'field-added': {
    sentence: '{what} is new.',
    reason:
      'Callers that do not send an optional field remain valid. In a reply, JSON readers ignore a member that they do not know, but XML readers that validate, and some generated clients, reject it. A system that is called may reject what it does not know.',
    verdicts: { request: 'CCC', reply: 'CMM', sent: 'MMM' },
  },
  'required-field-added': {
    sentence: '{what} is new, and required.',
    reason:
      'Requests without the new field are rejected, and no caller sends it yet; nor does a system that is called. In a reply it is like any new field.',
    verdicts: { request: 'BBB', reply: 'CMM', sent: 'MMM' },
  },
  'field-removed': {
    sentence: '{what} is removed.',
    reason:
      'Requests with a field that is not declared are rejected. Readers of a reply rely on a field that was always there. In what a system that is called replies, an undeclared field is ignored, except over SOAP (`undeclared-refused`).',
    verdicts: { request: 'BBB', reply: 'BBB', received: 'CCC' },
  },
  'optional-field-removed': {
    sentence: '{what} is removed. It was optional.',
    reason:
      'Requests with a field that is not declared are rejected. Readers of a reply can do without an optional field, if they expect it to be absent at all.',
    verdicts: { request: 'BBB', reply: 'MMM', received: 'CCC' },
  },
  'undeclared-refused': {
    sentence: '{what} is rejected, because it is no longer declared.',
    reason: 'Over SOAP, an element that is not declared makes the whole reply of a system that is called invalid.',
    verdicts: { received: 'CBC' },
  },
  'field-undeclared': {
    sentence: '{what} is no longer declared, in a document that is open.',
    reason: 'An open document still accepts the field, without checking it, but what it means is no longer defined.',
    verdicts: { request: 'MMM', reply: 'MMM', received: 'CCC' },
  },
  'field-declared': {
    sentence: '{what} is declared, in a document that is open.',
    reason: 'Others may send something of this name already, which was accepted unchecked. Now it has a type.',
    verdicts: { request: 'MMM' },
  },
  'field-renamed': {
    sentence: '{what} was called {before}; it is named as before in JSON and XML.',
    reason: 'The name in YAML is not sent. It is used by handlers and in error messages.',
    verdicts: { request: 'DDD', reply: 'DDD' },
  },
  'json-name-changed': {
    sentence: '{what} is called {after} in JSON, no longer {before}.',
    reason: 'Under its old name the field is unknown, and under its new one the other side does not look for it.',
    verdicts: { request: 'BCC', reply: 'BCC' },
  },
  'xml-name-changed': {
    sentence: '{what} is called {after} in XML, no longer {before}.',
    reason:
      'Under its old name the element or attribute is unknown, and under its new one the other side does not look for it.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'field-namespace-changed': {
    sentence: '{what} is in the XML namespace {after}, no longer {before}.',
    reason: 'An element in another namespace is another element.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'attribute-changed': {
    sentence: '{what} is {after} in XML, no longer {before}.',
    reason: 'Readers look for an attribute or for an element, not for both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'xml-form-changed': {
    sentence: '{what} is {after} in XML, no longer {before}.',
    reason: 'Readers find a value by the elements and attributes around it. JSON has the member in either case.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'wildcard-begun': {
    sentence: '{what} is elements or attributes of any name in XML.',
    reason:
      'They are not inside an element of the field any more. JSON has their markup, or a map of them, in the member.',
    verdicts: { request: 'MBM', reply: 'MBM' },
  },
  'wildcard-ended': {
    sentence: '{what} is no longer elements or attributes of any name in XML.',
    reason: 'Elements and attributes that are not declared are rejected, and the field has an element of its own.',
    verdicts: { request: 'MBM', reply: 'MBM' },
  },
  'wildcard-changed': {
    sentence: '{what} takes names of the namespaces {after}, no longer {before}.',
    reason: 'Names of other namespaces are accepted, or no longer: whether anyone uses them is not in the definitions.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'header-block-changed': {
    sentence: 'Over SOAP, {what} is {after}, no longer {before}.',
    reason: 'Readers look for a value in the Header or in the Body, not in both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'attachment-changed': {
    sentence: 'Over SOAP, {what} is {after}, no longer {before}.',
    reason: 'Readers look for content in the Body or beside the envelope, not in both.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'flat-changed': {
    sentence: 'The entries of {what} are {after} in XML, no longer {before}.',
    reason: 'Entries of a flat list have no element around them; readers expect one form or the other.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'entry-name-changed': {
    sentence: 'An entry of {what} is called {after} in XML, no longer {before}.',
    reason: 'Readers find the entries of a list by the name of their elements.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'field-order-changed': {
    sentence: 'The elements of {what} have another order: {after}. It was {before}.',
    reason:
      'The order of elements is part of an XML Schema: readers that validate reject another one, and some lose elements silently. The gateway reads elements in any order, and members of JSON objects have none.',
    verdicts: { request: 'CCC', reply: 'CBC' },
  },
  'field-required': {
    sentence: '{what} is required.',
    reason:
      'Messages without the field were valid, and are rejected. In what is written, a field that is always there breaks nothing.',
    verdicts: { request: 'BBB', reply: 'CCC' },
  },
  'field-optional': {
    sentence: '{what} may be missing.',
    reason: 'Readers rely on a field that was always there. Requests that have it remain valid.',
    verdicts: { request: 'CCC', reply: 'BBB' },
  },
  'absent-changed': {
    sentence: 'Without a value, {what} is {after}, no longer {before}.',
    reason: 'Readers may tell an absent field from one that is blank.',
    verdicts: { request: 'CCC', reply: 'MMM' },
  },
  'blank-refused': {
    sentence: 'A blank value of {what} no longer counts as absent.',
    reason: 'A sender that writes `""` for what it does not know is refused, since that is not a value of the type.',
    verdicts: { request: 'MMM' },
  },
  'url-style-changed': {
    sentence: '{what} is written into a URL in the style {after}, no longer {before}.',
    reason: 'Values with slashes or quotes are encoded differently, so such a URL no longer means the same value.',
    verdicts: { request: 'MCM', sent: 'MCM' },
  },
  'as-found-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason:
      'A value from a database that is written as it is found may be longer than declared, or missing where required.',
    verdicts: { request: 'CCC', reply: 'MMM' },
  },
  'sensitive-changed': {
    sentence: '{what} is {after} in logs, no longer {before}.',
    reason: 'What logs and errors show is not part of a message.',
    verdicts: { request: 'DDD', reply: 'DDD' },
  },
  'example-changed': {
    sentence: 'The example of {what} changes.',
    reason: 'Examples are for readers of a contract.',
    verdicts: { request: 'DDD', reply: 'DDD' },
  },
  'description-changed': {
    sentence: 'The description of {what} changes.',
    reason: 'Descriptions are for readers of a contract.',
    verdicts: { callers: 'DDD', request: 'DDD', reply: 'DDD', called: 'DDD' },
  },
} as const satisfies Rules;
