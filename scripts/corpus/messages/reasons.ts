import type { CallOutcome } from '../messages.ts';
import { REST_REASONS } from './rest/reasons.ts';

interface Reason {
  readonly words: string;
  readonly is: (outcome: CallOutcome) => boolean;
}

/** Outcomes that are known, with their reasons: most are bugs of zeep 4.2. */
const REASONS: readonly Reason[] = [
  {
    words: 'zeep takes an empty text for an absent one, and misses it where it is required',
    is: ({ finding, reason }) =>
      (finding === 'client' || finding === 'reply not read') && /Missing element|Value is required/.test(reason),
  },
  {
    words: 'zeep writes NaN as NAN, and INF of a double as INFINITY',
    is: ({ finding, reason }) => finding === 'client sends what is not valid' && /NAN|INFINITY/.test(reason),
  },
  {
    words: 'zeep sends an empty Body where a binding has no soap:body, or has it inside mime:multipartRelated',
    is: ({ finding, reason }) =>
      /refused|fault not read/.test(finding) && /the Body of its envelope is empty/.test(reason),
  },
  {
    words: 'zeep does not read attributes and elements of an xs:anyType that has both',
    is: ({ finding, reason }) =>
      (finding === 'reply lost' && /Anyattribute/.test(reason)) ||
      (finding === 'reply not read' && /'list' object has no attribute '__values__'/.test(reason)),
  },
  {
    words: 'zeep fails at the content of other types (a list where it expects a document, or nothing)',
    is: ({ finding, reason }) => /^(client|reply not read)$/.test(finding) && /AttributeError|TypeError/.test(reason),
  },
  {
    words:
      'zeep names the element of rpc/literal without a namespace where soap:body has none (WS-I R2717 asks for one)',
    is: ({ finding, reason }) => finding === 'refused' && /for the element "\{\}/.test(reason),
  },
  {
    words: 'a mocked reply has elements of any name, which a strict wildcard does not permit',
    is: ({ finding, reason }) => finding === 'invalid reply' && /strict wildcard/.test(reason),
  },
  {
    words: 'the offset of dates and times (reported by the import)',
    is: ({ finding, reason }) =>
      /^(sent other content|other reply)$/.test(finding) && /\d(Z|[-+]\d\d:\d\d)"? \| /.test(reason),
  },
  {
    words: 'zeep names the element of rpc/literal without the namespace or the prefix of its binding',
    is: ({ finding, reason }) => /^(sent other content|other reply)$/.test(finding) && /^the element \{/.test(reason),
  },
  {
    words: 'binary content of a reply is a stream, which is not written again here',
    is: ({ finding, reason }) => finding === 'other reply' && /^text of \S+: ".*" \| ""$/.test(reason),
  },
  {
    words: 'an element that is nil is read as a document without fields, and written as an empty one',
    is: ({ finding, reason }) => finding === 'other content' && /^attribute nil of \S+ is gone$/.test(reason),
  },
];

/** Why an outcome is as it is; `undefined` when that is not known. */
export function reasonOfCall(outcome: CallOutcome): string | undefined {
  return [...REASONS, ...REST_REASONS].find(({ is }) => is(outcome))?.words;
}
