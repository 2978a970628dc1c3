import type { Rules } from './entry.ts';

/** Changes of parameters in URLs and headers, and of what a caller may ask for. */
export const requestRules = {
  'query-parameter-added': {
    sentence: 'The query parameter {what} is new.',
    reason: 'Requests without an optional parameter remain valid. A system that is called may not know it.',
    verdicts: { request: 'CCC', sent: 'MCC' },
  },
  'required-query-parameter-added': {
    sentence: 'The query parameter {what} is new, and required.',
    reason: 'Requests without it do not match the URI any more.',
    verdicts: { request: 'BCB', sent: 'MCC' },
  },
  'query-parameter-removed': {
    sentence: 'The query parameter {what} is removed.',
    reason: 'The parameter is ignored, so a request means something else than before.',
    verdicts: { request: 'MCM', sent: 'MCC' },
  },
  'query-parameter-refused': {
    sentence: 'The query parameter {what} is removed, and requests with it are rejected.',
    reason: 'With `strict: true`, a parameter that the URI does not declare is answered by 400.',
    verdicts: { request: 'BCB' },
  },
  'query-parameter-renamed': {
    sentence: 'The query parameter {before} is called {after}.',
    reason: 'Under its old name the parameter is ignored or rejected.',
    verdicts: { request: 'BCC', sent: 'BCC' },
  },
  'query-parameter-required': {
    sentence: 'The query parameter {what} is required.',
    reason: 'Requests without it do not match the URI any more.',
    verdicts: { request: 'BCB', sent: 'CCC' },
  },
  'query-parameter-optional': {
    sentence: 'The query parameter {what} is optional.',
    reason: 'Requests that have it remain valid. A system that is called may rely on it.',
    verdicts: { request: 'CCC', sent: 'BCC' },
  },
  'query-parameter-exploded': {
    sentence: 'The entries of the query parameter {what} are {after}, no longer {before}.',
    reason: 'This gateway reads both forms. Other readers may know one of them only.',
    verdicts: { request: 'MCC', sent: 'MCC' },
  },
  'parameter-moved': {
    sentence: '{what} is in the {after}, no longer in the {before}.',
    reason: 'Where it was, it is ignored or rejected; where it is, no one sends it yet.',
    verdicts: { request: 'BCB', sent: 'BCB' },
  },
  'header-added': {
    sentence: 'The request header {what} is new.',
    reason: 'Requests without an optional header remain valid.',
    verdicts: { request: 'CCC' },
  },
  'required-header-added': {
    sentence: 'The request header {what} is new, and required.',
    reason: 'Requests without it are rejected.',
    verdicts: { request: 'BCB' },
  },
  'header-removed': {
    sentence: 'The request header {what} is removed.',
    reason: 'The header is ignored, so a request means something else than before.',
    verdicts: { request: 'MCM' },
  },
  'header-renamed': {
    sentence: 'The request header {before} is called {after}.',
    reason: 'Under its old name the header is ignored.',
    verdicts: { request: 'BCC' },
  },
  'parameters-strict': {
    sentence: 'Query parameters that the URI does not declare are rejected.',
    reason: 'Callers may send parameters that were ignored, such as those of a proxy or a tracker.',
    verdicts: { callers: 'MCM' },
  },
  'parameters-free': {
    sentence: 'Query parameters that the URI does not declare are ignored.',
    reason: 'More requests are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'row-order-changed': {
    sentence: 'Rows are in the order of {after}, no longer of {before}.',
    reason: 'Addresses of further pages that callers have kept are no longer valid.',
    verdicts: { callers: 'MMM' },
  },
  'query-added': {
    sentence: 'The stored query is new.',
    reason:
      'No one runs it yet. Callers of the delivered service of queries name queries, and so each of them is part of the contract.',
    verdicts: { callers: 'CCC' },
  },
  'query-removed': {
    sentence: 'The stored query is removed.',
    reason: 'Callers of the delivered service of queries that name it get an error.',
    verdicts: { callers: 'BBB' },
  },
  'process-added': {
    sentence: 'The process is new.',
    reason:
      'No one requests it yet. Callers of the delivered service of processes name processes, and so each of them is part of the contract.',
    verdicts: { callers: 'CCC' },
  },
  'process-removed': {
    sentence: 'The process is removed.',
    reason: 'Callers of the delivered service of processes that name it get an error.',
    verdicts: { callers: 'BBB' },
  },
  'process-type-changed': {
    sentence: 'The type of the process is {after}, no longer {before}.',
    reason: 'Callers of the delivered service of processes name the type too, and search by it.',
    verdicts: { callers: 'BBB' },
  },
} as const satisfies Rules;

/** Changes of messages over SOAP. */
export const soapRules = {
  'soap-name-changed': {
    sentence: 'Over SOAP the operation is called {after}, no longer {before}.',
    reason: 'The elements around request and reply have the name of the operation.',
    verdicts: { callers: 'CBC' },
  },
  'soap-action-changed': {
    sentence: 'The SOAP action is {after}, no longer {before}.',
    reason: 'A message whose action differs from its content is rejected.',
    verdicts: { callers: 'CBC' },
  },
  'soap-action-declared': {
    sentence: 'The SOAP action is {after}; {before} is accepted too.',
    reason: 'The names of an operation are accepted as its action, too. WSDL has the action that is declared.',
    verdicts: { callers: 'CCC' },
  },
  'soap-style-changed': {
    sentence: 'Over SOAP the messages are {after}, no longer {before}.',
    reason: 'The styles differ in the elements around a message and in their namespaces.',
    verdicts: { callers: 'CBC', called: 'CBC' },
  },
  'soap-reply-changed': {
    sentence: 'Over SOAP the element around the reply is called {after}, no longer {before}.',
    reason: 'Readers of a reply expect the element that the contract states.',
    verdicts: { callers: 'CBC', called: 'CBC' },
  },
  'soap-fault-added': {
    sentence: 'Over SOAP the operation has the further fault {after}.',
    reason:
      'Callers get a detail that they do not know, and generated code has no class for it. A fault of a call that is declared is an error with a name.',
    verdicts: { callers: 'CMM', called: 'CCC' },
  },
  'soap-fault-removed': {
    sentence: 'Over SOAP the operation no longer has the fault {before}.',
    reason: 'Code that handles the fault by its name or its detail no longer gets it.',
    verdicts: { callers: 'CMM', called: 'CMM' },
  },
} as const satisfies Rules;
