import type { CallOutcome } from '../../messages.ts';

/** Why calls over REST end otherwise than `ok`: because of the contract, of what is made here, or of what the import reports. */
export const REST_REASONS: readonly { readonly words: string; readonly is: (outcome: CallOutcome) => boolean }[] = [
  {
    words: 'no request or reply can be made: the contract does not say how it is written',
    is: ({ finding, reason }) =>
      finding === 'unmade' &&
      /^(a path parameter that is not declared|an? (object|list|element|empty list).*|entries without a name|no text for|null in|a (body|value) )/.test(
        reason,
      ),
  },
  {
    words: 'replies are made up here, by rules that only a handler can follow',
    is: ({ finding, reason }) =>
      finding === 'invalid reply' && /duplicate items|must match format|application\/octet-stream, not/.test(reason),
  },
  {
    words: 'the contract declares no success at all',
    is: ({ finding, reason }) => finding === 'invalid reply' && /as no success is$/.test(reason),
  },
  {
    words: 'reported: an error whose body is not an object is sent as problem details',
    is: ({ finding, reason }) => finding === 'invalid fault' && /application\/problem\+json, not/.test(reason),
  },
  {
    words: 'a segment "." or ".." of a path is not sent, since it changes where the path leads',
    is: ({ finding, reason }) => finding === 'not sent' && /would put a segment/.test(reason),
  },
  {
    words: 'defaults of a form are sent',
    is: ({ finding, reason, text = '' }) =>
      finding === 'sent other content' && /urlencoded: .* is to be /s.test(reason) && text !== '',
  },
];
