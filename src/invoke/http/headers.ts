import type { Redactor } from '../../model/redactor.ts';
import type { Proof } from '../credential.ts';
import type { Outgoing } from '../outgoing.ts';
import { ACCEPT_ENCODING } from './body.ts';

type Headers = Readonly<Record<string, string>>;

/** What the transport adds to the headers of a request. */
interface Additions<P> {
  readonly proof: P | undefined;
  /** The reply may be compressed, and nothing else is said of that. */
  readonly acceptsCodings: boolean;
}

/** Headers of a request as it travels. */
export function headersOf(
  outgoing: Outgoing,
  additions: Additions<Pick<Proof, 'header' | 'value'>>,
): Record<string, string> {
  return headersWith(outgoing.headers, outgoing, additions, additions.proof?.value);
}

/** The same with what is secret masked. */
export function shownHeaders(
  outgoing: Outgoing,
  additions: Additions<Pick<Proof, 'header' | 'shown'>>,
): Record<string, string> {
  return headersWith(outgoing.shown.headers, outgoing, additions, additions.proof?.shown);
}

/** Methods whose request has a body unless it says that it has none (RFC 9110 section 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function headersWith(
  given: Headers,
  { method, length, compress }: Outgoing,
  { proof, acceptsCodings }: Additions<Pick<Proof, 'header'>>,
  value: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { ...given };
  if (acceptsCodings && nameOf(headers, 'accept-encoding') === undefined) headers['Accept-Encoding'] = ACCEPT_ENCODING;
  if (proof !== undefined && value !== undefined) {
    const same = nameOf(headers, proof.header.toLowerCase());
    if (same !== undefined) delete headers[same];
    headers[proof.header] = value;
  }
  if (compress && length !== 0) headers['Content-Encoding'] = 'gzip';
  else if (length !== undefined && (length > 0 || WITH_BODY.has(method))) headers['Content-Length'] = String(length);
  return headers;
}

/** How a header's name is spelled there; undefined where it is not there. */
export function nameOf(headers: Headers, lowerCase: string): string | undefined {
  for (const name in headers) if (name.length === lowerCase.length && name.toLowerCase() === lowerCase) return name;
  return undefined;
}

/** Start line and headers of a message, in the order in which they travel. What is secret in them is masked. */
export interface Head {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Who wants to see the heads of an exchange. Each is called once for each address that is tried, and each repetition. */
export interface Heads {
  onRequest?(head: Head): void;
  onReply?(head: Head): void;
}

/** @param headers without those that are secret by their name */
export function headOf(line: string, headers: Readonly<Record<string, string>>, redactor: Redactor): Head {
  return redactor.value({ line, headers: Object.entries(headers) }) as Head;
}
