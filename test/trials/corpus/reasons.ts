import type { Difference } from './judge.ts';

interface Reason {
  readonly words: string;
  readonly is: (difference: Difference) => boolean;
}

/** Differences that are known, with their reasons. */
const REASONS: readonly Reason[] = [
  {
    words: 'null is an absent member',
    is: ({ finding, constructs, text, reason }) =>
      constructs.includes('JSON') &&
      /null/.test(text) &&
      (finding === 'accepted' ? / must be /.test(reason) : finding === 'other content' && / is gone$/.test(reason)),
  },
  {
    words: 'entries of a list may be equal (reported by the import)',
    is: ({ finding, reason }) => finding === 'accepted' && /duplicate items/.test(reason),
  },
  {
    words: 'a schema without a type, whose keywords are about a number or text (reported by the import)',
    is: ({ finding, constructs, reason }) =>
      finding === 'refused' && constructs.includes('untyped') && /not a (number|string)|an? .*, not a/.test(reason),
  },
  {
    words: 'a schema without a type permits values of every type, and a document is an object',
    is: ({ finding, mutation, reason }) =>
      finding === 'refused' && mutation !== undefined && /, not an object$/.test(reason),
  },
  {
    words: 'elements are accepted in any order',
    is: ({ finding, mutation, reason }) =>
      finding === 'accepted' &&
      (mutation === 'two elements in the other order' || mutation === 'an element repeated') &&
      /not expected/.test(reason),
  },
  {
    words: 'the content of elements of any name, and mixed content, is not validated',
    is: ({ finding, constructs, reason }) =>
      finding === 'accepted' && (constructs.some((each) => /^(any|mixed)/.test(each)) || /wildcard/.test(reason)),
  },
  {
    words: 'an xs:all is described as a sequence',
    is: ({ finding, constructs }) => finding === 'not described' && constructs.includes('all'),
  },
  {
    words: 'the format date-time of JSON Schema asks for an offset, which a datetime may lack',
    is: ({ finding, reason }) => finding === 'not in JSON' && /format "date-time"/.test(reason),
  },
  {
    words: 'an empty element with a default or a fixed value is read as that (part 1, 3.3.4)',
    is: ({ finding, reason, elementDefaults }) => {
      const [, element = ''] = /^text of (?:\{[^}]*\})?(\S+): "" \| ".+"$/.exec(reason) ?? [];
      return finding === 'other content' && elementDefaults.has(element);
    },
  },
  {
    words: 'attributes of an element that is nil (reported by the import)',
    is: ({ finding, reason, constructs }) =>
      finding === 'refused' && constructs.includes('nil') && /has an attribute ".*", which it can't have/.test(reason),
  },
  {
    words: 'xmllint does not collapse the white space around numbers (Part 2, section 4.3.6)',
    is: ({ finding, reason }) => finding === 'accepted' && /: ' +[-\d. ]+' is not a valid/.test(reason),
  },
  {
    words: 'xsi:type of an element that shares its type with others (reported by the import)',
    is: ({ finding, text, reason }) =>
      finding === 'refused' && /^\S* is not a field of/.test(reason) && /^<[^>]* a\d+:type="/.test(text),
  },
  {
    words:
      'the member of a discriminator names a schema, and is left out for the schema that is expected (OpenAPI, 4.8.25)',
    is: ({ finding, constructs, reason }) =>
      constructs.includes('discriminator') &&
      (finding === 'refused'
        ? /, not one of |is not a field of /.test(reason)
        : finding === 'accepted' && /must have required property/.test(reason)),
  },
  { words: 'integers beyond 64 bits (reported by the import)', is: ({ reason }) => /of 64 bits/.test(reason) },
  {
    words: 'the offset of dates and times (reported by the import)',
    is: ({ finding, reason }) => finding === 'other content' && /\d(Z|[-+]\d\d:\d\d)( [^|]*)?"? \| /.test(reason),
  },
  {
    words: 'a fixed value is filled in where its element is absent',
    is: ({ finding, mutation, reason, elementDefaults }) => {
      const [, expected = ''] = /Expected is \( (?:\{[^}]*\})?(\S+) \)/.exec(reason) ?? [];
      return finding === 'accepted' && mutation === 'an element removed' && elementDefaults.has(expected);
    },
  },
  {
    words: 'an integer has 64 bits, and is described as xs:integer, which has no bound',
    is: ({ finding, reason }) => finding === 'described' && /'\d{19,}' is not a valid value/.test(reason),
  },
  {
    words: 'xmllint takes base64 that is not valid',
    is: ({ finding, reason, mutation }) =>
      finding === 'refused' && mutation !== undefined && /is not base64/.test(reason),
  },
  {
    words: 'an address in swaRef is that of an attachment (reported by the import)',
    is: ({ finding, reason, text }) =>
      finding === 'refused' && /is not base64/.test(reason) && /urn:x:1|mailto:a@|example\.com\/a|a\/b%20c/.test(text),
  },
  {
    words: 'xmllint takes an unknown attribute of an element that is nil',
    is: ({ finding, mutation, text }) =>
      finding === 'refused' && mutation === 'an unknown attribute' && /nil="true" unknownAttribute/.test(text),
  },
];

/** Why a difference is there; `undefined` when it is not known. */
export function reasonOf(difference: Difference): string | undefined {
  return REASONS.find(({ is }) => is(difference))?.words;
}
