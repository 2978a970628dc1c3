import type { Rules } from './entry.ts';

const NARROWED =
  'Values that were valid are rejected. Where the gateway writes the value, readers get fewer values than they accept.';
const WIDENED =
  'All values that were valid remain so. Where the gateway writes the value, readers may get one that they do not expect.';
const NARROWER = { request: 'BBB', reply: 'CCC' } as const;
const WIDER = { request: 'CCC', reply: 'MMM' } as const;

/** Changes of the values that a field has. */
export const valueRules = {
  'type-changed': {
    sentence: '{what} has the type {after}, no longer {before}.',
    reason: 'Values of one type are not values of the other.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'type-narrowed': {
    sentence: '{what} has the type {after}, narrower than {before}.',
    reason: `${NARROWED} Generated code has another type for it.`,
    verdicts: { request: 'BBB', reply: 'CCM' },
  },
  'type-widened': {
    sentence: '{what} has the type {after}, wider than {before}.',
    reason: `${WIDENED} Generated code can't hold such a value.`,
    verdicts: { request: 'CCC', reply: 'MMB' },
  },
  'list-begun': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'A list or a map has another form than a single value, in JSON and in XML.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'list-ended': {
    sentence: '{what} is {after}, no longer {before}.',
    reason: 'A single value has another form than a list or a map, in JSON and in XML.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'length-lowered': {
    sentence: '{what} has at most {after} characters; it had {before}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'length-raised': {
    sentence: '{what} has at most {after} characters; it had {before}.',
    reason: `${WIDENED} A column that is too short cuts or rejects it.`,
    verdicts: WIDER,
  },
  'digits-lowered': {
    sentence: '{what} has {after}; it had {before}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'digits-raised': {
    sentence: '{what} has {after}; it had {before}.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'minimum-raised': {
    sentence: 'The minimum of {what} is {after}; it was {before}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'minimum-lowered': {
    sentence: 'The minimum of {what} is {after}; it was {before}.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'maximum-lowered': {
    sentence: 'The maximum of {what} is {after}; it was {before}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'maximum-raised': {
    sentence: 'The maximum of {what} is {after}; it was {before}.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'pattern-added': {
    sentence: '{what} must match the pattern {after}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'pattern-removed': {
    sentence: '{what} need not match the pattern {before} any more.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'pattern-changed': {
    sentence: '{what} must match the pattern {after}, no longer {before}.',
    reason: 'Whether one pattern matches all that another matches is not decided: compare them yourself.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'space-changed': {
    sentence: 'White space in {what} is {after}, no longer {before}.',
    reason:
      'Values with white space at an end, with line ends or with several spaces mean others, which may be rejected.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'enum-begun': {
    sentence: '{what} has only the values {after}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'enum-ended': {
    sentence: '{what} has any value; it had only {before}.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'enum-value-added': {
    sentence: '{what} has the further value {after}.',
    reason: `${WIDENED} Code that handles each value fails at a new one.`,
    verdicts: WIDER,
  },
  'enum-value-removed': {
    sentence: '{what} no longer has the value {before}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'letter-case-strict': {
    sentence: 'Letter case matters in {what}.',
    reason: 'Values in another letter case are rejected. What the gateway writes is spelled as in `enum`.',
    verdicts: NARROWER,
  },
  'letter-case-free': {
    sentence: 'Letter case no longer matters in {what}.',
    reason: 'Values in any letter case are accepted. What the gateway writes is spelled as in `enum`.',
    verdicts: { request: 'CCC', reply: 'CCC' },
  },
  'fixed-begun': {
    sentence: '{what} is always {after}.',
    reason: NARROWED,
    verdicts: NARROWER,
  },
  'fixed-ended': {
    sentence: '{what} is no longer always {before}.',
    reason: WIDENED,
    verdicts: WIDER,
  },
  'fixed-changed': {
    sentence: '{what} is always {after}, no longer {before}.',
    reason: 'The one value that was valid is not valid any more.',
    verdicts: { request: 'BBB', reply: 'BBB' },
  },
  'default-added': {
    sentence: 'Without a value, {what} is {after}.',
    reason: 'A request without the field has a defined meaning now, and a reply always has the field.',
    verdicts: { request: 'CCC', reply: 'CCC' },
  },
  'default-removed': {
    sentence: 'Without a value, {what} is no longer {before}.',
    reason: 'A request without the field, and a reply of which nothing gives it, mean something else.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'default-changed': {
    sentence: 'Without a value, {what} is {after}, no longer {before}.',
    reason: 'A request without the field means something else. A reply has the value in any case.',
    verdicts: { request: 'MMM', reply: 'CCC' },
  },
  'assumed-added': {
    sentence: 'Without a value, {what} is assumed to be {after}.',
    reason: 'The meaning of an absent field is stated now. Messages are the same.',
    verdicts: { request: 'CCC', reply: 'CCC' },
  },
  'assumed-removed': {
    sentence: 'Without a value, {what} is no longer assumed to be {before}.',
    reason: 'Messages are the same, but the meaning of an absent field is not stated any more.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'assumed-changed': {
    sentence: 'Without a value, {what} is assumed to be {after}, no longer {before}.',
    reason: 'Messages are the same, but one without the field means something else.',
    verdicts: { request: 'MMM', reply: 'MMM' },
  },
  'null-allowed': {
    sentence: '{what} may be null.',
    reason: `${WIDENED} Null is the value that readers expect least.`,
    verdicts: { request: 'CCC', reply: 'BBB' },
  },
  'null-refused': {
    sentence: '{what} is never null.',
    reason:
      'Null means an absent value then, which is rejected in a required field and is something else in any other.',
    verdicts: { request: 'BBB', reply: 'CCC' },
  },
} as const satisfies Rules;
