import type { Rules } from './entry.ts';

const FIELDS = 'fields: { NUMBER: integer }';
const family = (...more: readonly string[]): string =>
  [`document: ORDER\n${FIELDS}`, 'document: PARTIAL\nextends: ORDER\nfields: { PART: integer }', ...more].join(
    '\n---\n',
  );

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
} as const satisfies Rules;
