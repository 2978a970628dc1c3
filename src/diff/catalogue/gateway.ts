import type { Rules } from './entry.ts';

/** Changes of the gateway that its callers notice. */
export const gatewayRules = {
  'context-changed': {
    sentence: 'Paths begin with {after}, no longer with {before}.',
    reason: 'Requests to the old paths are answered by 404.',
    verdicts: { callers: 'BBC' },
  },
  'gateway-renamed': {
    sentence: 'The node in paths is {after}, no longer {before}.',
    reason: 'Paths may name the node of the gateway. Those that do are answered by 404.',
    verdicts: { callers: 'MMC' },
  },
  'address-changed': {
    sentence: 'The address in contracts is {after}, no longer {before}.',
    reason: 'Clients that were generated from a contract call the old address, which may lead to the gateway or not.',
    verdicts: { callers: 'CCM' },
  },
  'tls-changed': {
    sentence: 'The gateway speaks {after}, no longer {before}.',
    reason: 'Requests in the other protocol are not understood.',
    verdicts: { callers: 'BBC' },
  },
  'tls-minimum-raised': {
    sentence: 'The least version of TLS is {after}; it was {before}.',
    reason: 'Callers that can only use an older version cannot connect.',
    verdicts: { callers: 'MMC' },
  },
  'tls-minimum-lowered': {
    sentence: 'The least version of TLS is {after}; it was {before}.',
    reason: 'More callers can connect than before.',
    verdicts: { callers: 'CCC' },
  },
  'contracts-private': {
    sentence: 'Contracts and the list of services need credentials.',
    reason: 'Tools that read a contract at their start, as some SOAP clients do, fail.',
    verdicts: { callers: 'CMM' },
  },
  'contracts-public': {
    sentence: 'Contracts and the list of services need no credentials.',
    reason: 'More callers can read them than before.',
    verdicts: { callers: 'CCC' },
  },
  'timezone-changed': {
    sentence: 'The time zone of datetimes without an offset is {after}, no longer {before}.',
    reason: 'Such a datetime means another moment.',
    verdicts: { callers: 'MMC' },
  },
  'limit-lowered': {
    sentence: 'The limit {what} is {after}; it was {before}.',
    reason: 'Requests or replies that were within the limit may exceed it.',
    verdicts: { callers: 'MMC' },
  },
  'limit-raised': {
    sentence: 'The limit {what} is {after}; it was {before}.',
    reason: 'More is accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'mtom-ended': {
    sentence: 'MTOM is no longer accepted by the {what}.',
    reason: 'Messages with attachments are answered by 415. Callers that send none do not notice.',
    verdicts: { callers: 'CMC' },
  },
  'mtom-begun': {
    sentence: 'MTOM is accepted by the {what}.',
    reason: 'More is accepted than before. Replies have attachments only for callers that accept them.',
    verdicts: { callers: 'CCC' },
  },
  'compression-begun': {
    sentence: 'Replies over {what} are compressed for callers that accept it.',
    reason: 'Some SOAP clients request compression and cannot read it.',
    verdicts: { callers: 'CMC' },
  },
  'compression-ended': {
    sentence: 'Replies over {what} are no longer compressed.',
    reason: 'Callers that accept compression also accept replies without it.',
    verdicts: { callers: 'CCC' },
  },
  'request-encoding-accepted': {
    sentence: 'Request bodies are accepted with Content-Encoding {what}.',
    reason: 'More is accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'request-encoding-refused': {
    sentence: 'Request bodies are no longer accepted with Content-Encoding {what}.',
    reason: 'Callers that compress their requests get 415.',
    verdicts: { callers: 'BBB' },
  },
  'query-csv-changed': {
    sentence: 'As CSV the results of the query are written with {after}, no longer with {before}.',
    reason: 'A reader of CSV may take a byte order mark or an apostrophe for a part of the text.',
    verdicts: { callers: 'MMM' },
  },
} as const satisfies Rules;
