import type { Rules } from './entry.ts';

/** Changes of documents as such. */
export const documentRules = {
  'document-renamed': {
    sentence: 'The document of {what} is called {after}, no longer {before}.',
    reason: 'The name of a document is that of a class in generated code, and is not sent.',
    verdicts: { request: 'CCM', reply: 'CCM' },
  },
  'xml-type-changed': {
    sentence: 'The type of {what} is named {after} in XML Schema, no longer {before}.',
    reason: 'The name of a type is that of a class in code that is generated from XML Schema, and of `xsi:type`.',
    verdicts: { request: 'CMM', reply: 'CMM' },
  },
  'root-element-changed': {
    sentence: 'The root element of {what} is {after}, no longer {before}.',
    reason:
      'Readers of XML expect the root element that they know. Over SOAP it has the name of the operation in any case.',
    verdicts: { request: 'CBC', reply: 'CBC' },
  },
  'namespace-changed': {
    sentence: 'The elements of {what} are in the XML namespace {after}, no longer {before}.',
    reason: 'An element in another namespace is another element.',
    verdicts: { callers: 'CBC', request: 'CBC', reply: 'CBC', called: 'CBC' },
  },
  'root-label-added': {
    sentence: '{what} has the root label {after} in JSON.',
    reason:
      'The gateway reads a document with and without its label. Other readers look for the members where they were.',
    verdicts: { request: 'CCM', reply: 'BCC' },
  },
  'root-label-removed': {
    sentence: '{what} has no root label in JSON; it was {before}.',
    reason: 'A label that is not declared is an unknown member, and readers look for the members below it.',
    verdicts: { request: 'BCC', reply: 'BCC' },
  },
  'root-label-changed': {
    sentence: '{what} has the root label {after} in JSON, no longer {before}.',
    reason: 'Under another label nothing is found.',
    verdicts: { request: 'BCC', reply: 'BCC' },
  },
  'document-opened': {
    sentence: '{what} may have fields that are not declared.',
    reason: 'More is accepted than before. Readers of a reply may get fields that they do not know.',
    verdicts: { request: 'CCC', reply: 'CMM' },
  },
  'document-closed': {
    sentence: '{what} has no fields other than those that are declared.',
    reason:
      'Requests with further fields were accepted, and are rejected. In what a system that is called replies they are ignored, except over SOAP (`undeclared-refused`).',
    verdicts: { request: 'BBB', reply: 'CCC', received: 'CCC' },
  },
  'choice-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'One of several documents has another form than a document with fields.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'branch-added': {
    sentence: '{what} is a further choice.',
    reason: 'One more document is accepted. Readers of a reply may get one that they do not know.',
    verdicts: { request: 'CCC', reply: 'MMM' },
  },
  'branch-removed': {
    sentence: '{what} can no longer be chosen.',
    reason: 'A document that was accepted is rejected. Readers of a reply get fewer than they know.',
    verdicts: { request: 'BBB', reply: 'CCC' },
  },
  'tag-changed': {
    sentence: 'In JSON, the choices of {what} are distinguished by {after}, no longer by {before}.',
    reason: 'The member that says which document it is has another name.',
    verdicts: { request: 'BCC', reply: 'BCC' },
  },
  'patch-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason:
      'In a change, null clears a field and an absent field stays; in a record, both mean that there is no value.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'message-kind-changed': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'A document, a list, a text and bytes have different forms.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'message-begun': {
    sentence: '{what} is no longer empty.',
    reason: 'Callers ignore a reply that they do not expect. A request that has to be sent is a new duty.',
    verdicts: { request: 'BBB', reply: 'CCC', sent: 'MMM', received: 'MMM' },
  },
  'message-ended': {
    sentence: '{what} is empty.',
    reason: 'Readers of a reply rely on what it contained. A request with a body that has no meaning is rejected.',
    verdicts: { request: 'BBB', reply: 'BBB', received: 'CCC' },
  },
} as const satisfies Rules;

/** Changes of documents that derive from others. */
export const kindRules = {
  'base-changed': {
    sentence: 'The base of {what} is {after}, no longer {before}.',
    reason: 'XML Schema and generated code have the base; in messages its fields are those of the document.',
    verdicts: { request: 'CMM', reply: 'CMM' },
  },
  'kind-added': {
    sentence: '{what} may also be {after}.',
    reason: 'Who reads it may not know the document.',
    verdicts: { request: 'CCC', reply: 'MMM' },
  },
  'kind-removed': {
    sentence: '{what} may no longer be {before}.',
    reason: 'A message with this document is rejected.',
    verdicts: { request: 'BBB', reply: 'CCC' },
  },
  'kind-member-changed': {
    sentence: 'The member of JSON that names the document of {what} is {after}, no longer {before}.',
    reason: 'Readers find the document by this member. XML has `xsi:type` in either case.',
    verdicts: { request: 'BCB', reply: 'BCB' },
  },
  'request-type-added': {
    sentence: 'The request is also accepted as {after}.',
    reason: 'Callers send what they sent before.',
    verdicts: { request: 'CCC' },
  },
  'request-type-removed': {
    sentence: 'The request is no longer accepted as {before}.',
    reason: 'A request with this media type is answered by 415.',
    verdicts: { request: 'BBB' },
  },
  'fault-type-changed': {
    sentence: 'Errors are {after}, no longer {before}.',
    reason:
      'Callers that look at the media type of an error take it for another one. A call also asks for the types of errors.',
    verdicts: { reply: 'MMM', received: 'CCC' },
  },
} as const satisfies Rules;

/** Changes that only a comparison of two contracts finds, because definitions do not state it. */
export const contractRules = {
  'error-reply-added': {
    sentence: 'The error reply {what} is new.',
    reason: 'Callers that know no such reply treat it as any other failure.',
    verdicts: { callers: 'CCC' },
  },
  'error-reply-removed': {
    sentence: 'The error reply {what} is removed.',
    reason: 'Callers that wait for it may not recognise the failure in another form.',
    verdicts: { callers: 'MMM' },
  },
  'error-reply-changed': {
    sentence: 'The error reply {what} has other content.',
    reason: 'Callers that read its members may miss them. Compare them yourself.',
    verdicts: { callers: 'MMM' },
  },
  'soap-version-changed': {
    sentence: 'The version of SOAP is {after}, no longer {before}.',
    reason: 'The envelope and the media type of a message differ between versions.',
    verdicts: { callers: 'CBM' },
  },
  'uncarried-added': {
    sentence: 'The contract has {after}.',
    reason:
      'It is something that definitions do not state, so that nothing more is known of what it means for callers: compare it yourself.',
    verdicts: { callers: 'MMM' },
  },
  'uncarried-removed': {
    sentence: 'The contract no longer has {before}.',
    reason:
      'It is something that definitions do not state, so that nothing more is known of what it means for callers: compare it yourself.',
    verdicts: { callers: 'MMM' },
  },
} as const satisfies Rules;
