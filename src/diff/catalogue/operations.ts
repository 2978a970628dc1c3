import type { Rules } from './entry.ts';

/** Changes of services and operations, and of how operations are reached. */
export const operationRules = {
  'service-added': {
    sentence: 'The service is new.',
    reason: 'No one uses it yet.',
    verdicts: { callers: 'CCC' },
  },
  'service-removed': {
    sentence: 'The service is removed.',
    reason: 'All of its paths and messages fail.',
    verdicts: { callers: 'BBB' },
  },
  'service-renamed': {
    sentence: 'The service is called {after}, no longer {before}.',
    reason: 'Its name and version are part of paths, of XML namespaces and of SOAP actions.',
    verdicts: { callers: 'BBB' },
  },
  'service-activated': {
    sentence: 'The service is served.',
    reason: 'No one uses it yet.',
    verdicts: { callers: 'CCC' },
  },
  'service-deactivated': {
    sentence: 'The service is no longer served.',
    reason: 'All of its paths return 404.',
    verdicts: { callers: 'BBB' },
  },
  'default-version-changed': {
    sentence: 'Paths without a version lead to {after}, no longer to {before}.',
    reason: 'Callers that use such paths get another version of every operation.',
    verdicts: { callers: 'MMM' },
  },
  'service-deprecated': {
    sentence: 'The service is deprecated.',
    reason: 'Replies announce it in a header. Nothing else changes yet.',
    verdicts: { callers: 'DDD' },
  },
  'deprecation-date-changed': {
    sentence: 'The date of the deprecation is {after}; it was {before}.',
    reason: 'Replies have it in a header. Nothing else changes.',
    verdicts: { callers: 'DDD' },
  },
  'deprecation-withdrawn': {
    sentence: 'The service is no longer deprecated.',
    reason: 'Replies no longer announce an end.',
    verdicts: { callers: 'DDD' },
  },
  'end-announced': {
    sentence: 'The service ends on {after}.',
    reason: 'Replies announce it in a header. Nothing else changes yet.',
    verdicts: { callers: 'DDD' },
  },
  'end-earlier': {
    sentence: 'The service ends on {after}, earlier than on {before}.',
    reason: 'Callers have planned with the later date.',
    verdicts: { callers: 'MMM' },
  },
  'end-later': {
    sentence: 'The service ends on {after}, later than on {before}.',
    reason: 'Callers have more time.',
    verdicts: { callers: 'DDD' },
  },
  'operation-added': {
    sentence: 'The operation is new.',
    reason: 'No one uses it yet.',
    verdicts: { callers: 'CCC' },
  },
  'operation-removed': {
    sentence: 'The operation is removed.',
    reason: 'Its paths and messages fail.',
    verdicts: { callers: 'BBB' },
  },
  'operation-renamed': {
    sentence: 'The operation is called {after}, no longer {before}.',
    reason: 'Over REST its name is not sent. Generated clients have a method of that name.',
    verdicts: { callers: 'CCM' },
  },
  'operation-moved': {
    sentence: 'The operation is in the service {after}, no longer in {before}.',
    reason: 'The name of the service is part of paths, of XML namespaces and of SOAP actions.',
    verdicts: { callers: 'BBB' },
  },
  'operation-activated': {
    sentence: 'The operation is served.',
    reason: 'No one uses it yet.',
    verdicts: { callers: 'CCC' },
  },
  'operation-deactivated': {
    sentence: 'The operation is no longer served.',
    reason: 'Its paths return 404.',
    verdicts: { callers: 'BBB' },
  },
  'rest-added': {
    sentence: 'The operation is offered over REST too.',
    reason: 'No one uses it there yet.',
    verdicts: { callers: 'CCC' },
  },
  'rest-removed': {
    sentence: 'The operation is no longer offered over REST.',
    reason: 'Its paths return 404.',
    verdicts: { callers: 'BCB' },
  },
  'soap-added': {
    sentence: 'The operation is offered over SOAP too, as {after}.',
    reason: 'No one uses it there yet.',
    verdicts: { callers: 'CCC' },
  },
  'soap-removed': {
    sentence: 'The operation is no longer offered over SOAP.',
    reason: 'Its messages are answered by a fault.',
    verdicts: { callers: 'CBB' },
  },
  'one-way-begun': {
    sentence: 'Over SOAP the operation has no reply any more.',
    reason: 'Callers wait for a reply that does not come.',
    verdicts: { callers: 'CBC' },
  },
  'one-way-ended': {
    sentence: 'Over SOAP the operation has a reply.',
    reason: 'Callers of a one-way operation may not read one.',
    verdicts: { callers: 'CMM' },
  },
  'method-changed': {
    sentence: 'The method is {after}, no longer {before}.',
    reason: 'A request with another method is answered by 405.',
    verdicts: { callers: 'BBB' },
  },
  'alias-changed': {
    sentence: 'The name of the service in paths is {after}, no longer {before}.',
    reason: 'Requests to the old path are answered by 404.',
    verdicts: { callers: 'BCC' },
  },
  'path-changed': {
    sentence: 'The URI {before} is {after} now.',
    reason: 'Requests to the old path are answered by 404, or by another operation.',
    verdicts: { callers: 'BCC' },
  },
  'uri-added': {
    sentence: 'The URI {after} is new.',
    reason: 'No one uses it yet.',
    verdicts: { callers: 'CCC', called: 'MCC' },
  },
  'uri-removed': {
    sentence: 'The URI {before} is removed.',
    reason: 'Requests to its path are answered by 404. A system that is called merely gets no such requests any more.',
    verdicts: { callers: 'BCB', called: 'CCC' },
  },
  'uri-index-changed': {
    sentence: 'The URI {before} has the index {after}, no longer {what}.',
    reason: 'Requests are valid as before, but code and mappings that choose a URI by its index get another one.',
    verdicts: { callers: 'CCM', called: 'CCC' },
  },
  'path-variable-renamed': {
    sentence: 'The variable {before} in the path is called {after} now.',
    reason: 'The name of a variable in a path is not sent. It is that of a parameter in generated code.',
    verdicts: { callers: 'CCM' },
  },
  'status-changed': {
    sentence: 'The status of a successful reply is {after}, no longer {before}.',
    reason: 'Callers that compare the status with one number take the reply for a failure.',
    verdicts: { callers: 'MCM' },
  },
  'media-type-added': {
    sentence: 'The reply is also available as {after}.',
    reason: 'Callers get it only if they ask for it.',
    verdicts: { reply: 'CCC' },
  },
  'media-type-removed': {
    sentence: 'The reply is no longer available as {before}.',
    reason: 'A request that accepts only this media type is answered by 406.',
    verdicts: { reply: 'BBB', received: 'MMM' },
  },
  'default-media-type-changed': {
    sentence: 'Without a preference of the caller, the reply is {after}, no longer {before}.',
    reason: 'Callers without an Accept header get another form.',
    verdicts: { reply: 'MMM' },
  },
  'wrapper-changed': {
    sentence: 'JSON {after} inside an XML element; it {before}.',
    reason: 'Callers without an Accept header get XML around the JSON, or no longer get it.',
    verdicts: { reply: 'BBB' },
  },
  'body-changed': {
    sentence: 'The body of a request is {after}, no longer {before}.',
    reason: 'A body of another form is rejected.',
    verdicts: { request: 'BBB' },
  },
  'fault-added': {
    sentence: 'Errors are documents of the service, no longer problem details (RFC 9457).',
    reason: 'Callers that read error replies find another form. The status is the same.',
    verdicts: { callers: 'MMM', called: 'CCC' },
  },
  'fault-removed': {
    sentence: 'Errors are problem details (RFC 9457), no longer documents of the service.',
    reason: 'Callers that read error replies find another form. The status is the same.',
    verdicts: { callers: 'MMM', called: 'CCC' },
  },
  'answer-queued': {
    sentence: 'The request is queued; the reply has only the id of its message.',
    reason: 'Callers get the result later, or not at all, in place of the reply that they know.',
    verdicts: { callers: 'BBB' },
  },
  'answer-immediate': {
    sentence: 'The request is answered at once, no longer queued.',
    reason: 'Callers expect the id of a message and ask for its reply later.',
    verdicts: { callers: 'BBB' },
  },
  'record-keys-changed': {
    sentence: 'A record is found by {after}, no longer by {before}.',
    reason: 'The same request may mean another record, or one that does not exist.',
    verdicts: { callers: 'MMM' },
  },
  'lock-changed': {
    sentence: 'The field that counts the saves of a record is {after}; it was {before}.',
    reason:
      'A save that has an older count is rejected, and one without a count may overwrite the save of someone else.',
    verdicts: { callers: 'MMM' },
  },
  'writes-begun': {
    sentence: 'The operation is declared to write.',
    reason:
      'It cannot be called by GET over the HTTP connector, or by a page of another site with credentials that the browser adds.',
    verdicts: { callers: 'MMC' },
  },
  'writes-ended': {
    sentence: 'The operation is declared not to write.',
    reason: 'More ways to call it are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'reply-to-removed': {
    sentence: 'Replies are no longer sent to addresses of the caller at {before}.',
    reason: 'A request that names such an address is rejected.',
    verdicts: { callers: 'BBB' },
  },
  'reply-to-added': {
    sentence: 'Replies are sent to addresses of the caller at {after}.',
    reason: 'Callers get it only if they ask for it.',
    verdicts: { callers: 'CCC' },
  },
} as const satisfies Rules;
