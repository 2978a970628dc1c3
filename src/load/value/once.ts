import type { Once } from '../../model/gateway.ts';
import type { Linking } from '../linking.ts';
import { defaultsOf, duration, type JsonSchema, keys, mapOr, time, yesNo } from '../schema/json-schema.ts';
import { bytes, linkDuration, linkSize, milliseconds, size } from './units.ts';

/** `once:` of a gateway, a service or an operation: how long first answers are kept, a map, or whether they are at all. */
export type OnceDeclared = boolean | string | OnceMap;

interface OnceMap {
  readonly for?: string;
  readonly required?: boolean;
  readonly size?: string | number;
}

const onceMap = keys({ examples: [{ for: '24 h', required: true, size: '64 KiB' }] }, {
  for: time('How long an answer is kept, from the beginning of its call.', '24 h', '24 h', '7 d'),
  required: yesNo(
    'Refuses calls without a key with 400: over REST those by POST and PATCH, over SOAP all. Otherwise a call without a key always runs.',
    false,
  ),
  size: {
    ...size,
    description:
      'The largest answer that is kept. After a larger one, a repeated call is answered 409: it has taken effect, but its answer is gone.',
    default: '1 MiB',
  },
} satisfies Record<keyof OnceMap, JsonSchema>);

const DEFAULTS = defaultsOf(onceMap);
const STANDARD: Once = { ...DEFAULTS, for: milliseconds(DEFAULTS.for), size: bytes(DEFAULTS.size) };
const LONGEST = { least: 1000, amount: milliseconds('366 d'), words: 'from 1 s to 366 d' };
const LARGEST = { amount: 64 * 1024 ** 2, words: 'from 1 B to 64 MiB' };

/**
 * How calls are answered once, `false` for not at all; `undefined` without `once:`.
 * @param container the map with the key `once`, whose form the JSON Schema has checked
 */
export function linkOnce(linking: Linking, container: { readonly once?: OnceDeclared }): Once | false | undefined {
  const { once } = container;
  if (once === undefined || once === false) return once;
  if (once === true) return STANDARD;
  if (typeof once === 'string')
    return { ...STANDARD, for: linkDuration(linking, container, 'once', LONGEST) ?? STANDARD.for };
  return {
    for: linkDuration(linking, once, 'once.for', LONGEST) ?? STANDARD.for,
    required: once.required ?? STANDARD.required,
    size: linkSize(linking, once, 'size', 'once.size', LARGEST) ?? STANDARD.size,
  };
}

export const once: JsonSchema = {
  title: 'a time with its unit, a map, true or false',
  description:
    'Answers a repeated call of an operation that writes with the first answer, and does not run it again. Callers name a call by the header `Idempotency-Key` or `webhook-id`, over SOAP also by `wsa:MessageID`. The time is how long answers are kept; `true` is `24 h`, `false` switches it off. The same key with another content is answered 422, and 409 while the first call runs.',
  ...mapOr(onceMap, { ...duration, type: ['string', 'boolean'], title: 'a time with its unit, a map, true or false' }),
  examples: ['24 h', { for: '7 d', required: true }, false],
};
