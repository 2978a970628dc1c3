import { childrenOf, textOf, type XmlElement } from '../xml/tree.ts';
import { isForUs, type SoapMessage } from './message.ts';
import { isNamed, WSSE, WSU } from './wsse-names.ts';

// Timestamps of messages (WSS: SOAP Message Security 1.1.1, section 10), whether or not anything else secures them.

/** Whether a header block is a Security header that holds nothing but Timestamps: it asks for no key. */
export function isTimestampAlone(header: XmlElement): boolean {
  return isNamed(header, 'Security', WSSE) && childrenOf(header).every((each) => isNamed(each, 'Timestamp', WSU));
}

/**
 * Why the Timestamp of a message is refused, as what follows "the message"; `undefined` when it is valid or absent.
 * @param now milliseconds since 1970
 */
export function timestampFault({ headers, version }: SoapMessage, now: number): string | undefined {
  for (const header of headers) {
    if (!isNamed(header, 'Security', WSSE) || !isForUs(header, version)) continue;
    for (const time of childrenOf(header).filter((each) => isNamed(each, 'Timestamp', WSU))) {
      const expires = childrenOf(time).find((each) => isNamed(each, 'Expires', WSU));
      if (expires === undefined) continue;
      const text = textOf(expires).trim();
      const at = FORM.test(text) ? Date.parse(text) : Number.NaN;
      if (Number.isNaN(at)) return 'has a Timestamp whose Expires is not a time with a zone';
      if (at <= now) return `has a Timestamp that expired at ${new Date(at).toISOString()}`;
    }
  }
  return undefined;
}

/** An xs:dateTime with a time zone. */
const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
