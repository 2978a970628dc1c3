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
    words: 'zeep writes NaN as NAN or nan, and INF as INFINITY or inf',
    is: ({ finding, reason, text = '' }) =>
      (finding === 'client sends what is not valid' && /'-?(?:nan|inf|infinity)'/i.test(reason)) ||
      (finding === 'refused' && / is not a number/.test(reason) && />-?(?:nan|inf)</.test(text)),
  },
  {
    words: 'elements of xs:all are described in one order, and messages of the original have any',
    is: ({ finding, reason }) => finding === 'client' && /XMLParseError: Unexpected element/.test(reason),
  },
  {
    words: 'an element that the contract does not declare, which is any XML (reported by the import)',
    is: ({ finding, reason }) => finding === 'invalid reply' && /No matching global declaration/.test(reason),
  },
  {
    words: 'zeep sends an empty Body where a binding has no soap:body, or has it inside mime:multipartRelated',
    is: ({ finding, reason, text = '' }) =>
      (/refused|fault not read/.test(finding) &&
        /the Body of its envelope is empty|has nothing in its Body/.test(reason)) ||
      (finding === 'sent other content' && reason === '0 elements in the Body are 1') ||
      (finding === 'not sent' && / is missing$/.test(reason) && EMPTY_BODY.test(text)),
  },
  {
    words: 'zeep fails at an empty Body, which a contract prescribes whose parts are all header blocks or attachments',
    is: ({ finding, reason, text = '' }) =>
      finding === 'reply not read' && /IndexError: list index out of range/.test(reason) && EMPTY_BODY.test(text),
  },
  {
    words: 'a URI that is not that of a part, where the contract has a reference to an attachment (swaRef)',
    is: ({ finding, reason, text = '' }) =>
      (/^(refused|not sent)$/.test(finding) &&
        / is not base64/.test(reason) &&
        />(urn|mailto|https?|a\/b|#)\S*</.test(text)) ||
      (finding === 'other content' && /\| "cid:/.test(reason)),
  },
  {
    words:
      'a fault of a one-way operation, one that the port type does not have, or a second one with one element (all reported)',
    is: ({ finding, reason }) => finding === 'fault not read' && /The fault \S+ is not declared/.test(reason),
  },
  {
    words: 'integers beyond 64 bits are refused (reported by the import)',
    is: ({ finding, reason }) => /^(refused|not sent)$/.test(finding) && /beyond the integers of 64 bits/.test(reason),
  },
  {
    words: 'the type of an element that is nil is not kept',
    is: ({ finding, reason, text = '' }) =>
      /other content|other reply/.test(finding) &&
      /^attribute \S*type of \S+ is gone$/.test(reason) &&
      /:nil=/.test(text),
  },
  {
    words: 'zeep sends elements without a namespace for parts of document/literal that have a type',
    is: ({ finding, reason }) =>
      finding === 'client sends what is not valid' && /There is no operation for the element "\{\}/.test(reason),
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
    is: ({ finding, reason }) => finding === 'other content' && /^attribute \S*nil of \S+ is gone$/.test(reason),
  },
];

const EMPTY_BODY = /<(\w+:)Body>\s*<\/\1Body>/;

/** Why an outcome is as it is; `undefined` when that is not known. */
export function reasonOfCall(outcome: CallOutcome): string | undefined {
  return [...REASONS, ...REST_REASONS].find(({ is }) => is(outcome))?.words;
}
