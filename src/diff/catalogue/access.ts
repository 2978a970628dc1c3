import type { Rules } from './entry.ts';

/** Changes of who may call, how callers prove who they are, and how much they may call. */
export const accessRules = {
  'public-ended': {
    sentence: 'Callers need credentials and a permission.',
    reason: 'Anonymous requests are answered by 401.',
    verdicts: { callers: 'BBB' },
  },
  'public-begun': {
    sentence: 'Callers need no credentials.',
    reason: 'More callers are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'permission-removed': {
    sentence: 'The permission list {before} no longer grants it.',
    reason: 'Callers that have this list and no other one of the operation are answered by 403.',
    verdicts: { callers: 'BBB' },
  },
  'permission-added': {
    sentence: 'The permission list {after} grants it.',
    reason: 'More callers are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'grant-narrowed': {
    sentence: 'Fewer callers are permitted what the operation uses: {after}. It was {before}.',
    reason: 'Callers without such a list are answered by 403, although they may call the operation.',
    verdicts: { callers: 'BBB' },
  },
  'grant-widened': {
    sentence: 'More callers are permitted what the operation uses: {after}. It was {before}.',
    reason: 'More callers are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'scheme-removed': {
    sentence: 'Credentials of the scheme {before} are no longer accepted.',
    reason: 'Callers that use this scheme are answered by 401.',
    verdicts: { callers: 'BBB' },
  },
  'scheme-added': {
    sentence: 'Credentials of the scheme {after} are accepted too.',
    reason: 'More credentials are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'scheme-changed': {
    sentence: 'The scheme {what} has {after}, no longer {before}.',
    reason: 'Credentials in the form that callers have are not found or not accepted.',
    verdicts: { callers: 'BBB' },
  },
  'scheme-stricter': {
    sentence: 'The scheme {what} is stricter: it has {after}; it had {before}.',
    reason: 'Credentials that were accepted may be rejected.',
    verdicts: { callers: 'MMM' },
  },
  'scheme-looser': {
    sentence: 'The scheme {what} is less strict: it has {after}; it had {before}.',
    reason: 'More credentials are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'rate-lowered': {
    sentence: 'The rate is limited to {after}; it was {before}.',
    reason: 'Callers that call more often are answered by 429.',
    verdicts: { callers: 'MMM' },
  },
  'rate-raised': {
    sentence: 'The rate is limited to {after}; it was {before}.',
    reason: 'More calls are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'rate-counted-otherwise': {
    sentence: 'The rate is limited to {after}; it was {before}.',
    reason: 'Calls are counted together that were counted apart, or over another time.',
    verdicts: { callers: 'MMM' },
  },
  'concurrency-lowered': {
    sentence: 'Calls at the same time are limited to {after}; it was {before}.',
    reason: 'Further calls are answered by 503.',
    verdicts: { callers: 'MMM' },
  },
  'concurrency-raised': {
    sentence: 'Calls at the same time are limited to {after}; it was {before}.',
    reason: 'More calls are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'once-required': {
    sentence: 'Each call needs a key by which it runs once.',
    reason: 'Calls without a key are answered by 400.',
    verdicts: { callers: 'BBB' },
  },
  'once-begun': {
    sentence: 'A call that is repeated with the same key gets the first answer.',
    reason: 'Callers get it only if they send a key.',
    verdicts: { callers: 'CCC' },
  },
  'once-optional': {
    sentence: 'A call needs no key by which it runs once.',
    reason: 'More requests are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'once-ended': {
    sentence: 'A call that is repeated with the same key runs again.',
    reason: 'Callers that repeat a call after a failure may cause its effect twice.',
    verdicts: { callers: 'BBB' },
  },
  'once-shorter': {
    sentence: 'Answers to repeated calls are kept for {after}; it was {before}.',
    reason: 'Callers that repeat a call later may cause its effect twice.',
    verdicts: { callers: 'MMM' },
  },
  'once-longer': {
    sentence: 'Answers to repeated calls are kept for {after}; it was {before}.',
    reason: 'Calls can be repeated for longer.',
    verdicts: { callers: 'CCC' },
  },
  'role-narrowed': {
    sentence: 'The role {what} no longer has the permission list {before}.',
    reason: 'Callers with this role are answered by 403 where only this list permits them.',
    verdicts: { callers: 'BBB' },
  },
  'role-widened': {
    sentence: 'The role {what} has the permission list {after}.',
    reason: 'More callers are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'user-removed': {
    sentence: 'The user {before} is removed.',
    reason: 'Its credentials are answered by 401, unless the database has the user now.',
    verdicts: { callers: 'BBB' },
  },
  'user-added': {
    sentence: 'The user {after} is new.',
    reason: 'More callers are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
  'user-narrowed': {
    sentence: 'The user {what} no longer has the role {before}.',
    reason: 'Its calls are answered by 403 where only this role permits them.',
    verdicts: { callers: 'BBB' },
  },
  'user-widened': {
    sentence: 'The user {what} has the role {after}.',
    reason: 'More is permitted to the user than before.',
    verdicts: { callers: 'CCC' },
  },
  'credential-withdrawn': {
    sentence: 'A credential of the user {what} is no longer valid: {before}.',
    reason: 'Calls with it are answered by 401.',
    verdicts: { callers: 'BBB' },
  },
  'credential-issued': {
    sentence: 'The user {what} has a further credential: {after}.',
    reason: 'More credentials are accepted than before.',
    verdicts: { callers: 'CCC' },
  },
  'origins-fewer': {
    sentence: 'Pages of {before} may no longer call from a browser.',
    reason: 'Browsers keep the replies from such pages.',
    verdicts: { callers: 'BBC' },
  },
  'origins-more': {
    sentence: 'Pages of {after} may call from a browser.',
    reason: 'More pages are permitted than before.',
    verdicts: { callers: 'CCC' },
  },
} as const satisfies Rules;
