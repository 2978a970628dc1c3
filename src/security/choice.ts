import { Fault } from '../model/fault.ts';
import { isMessageScheme, type MessageScheme, type SecurityScheme } from '../model/security.ts';
import type { Gate } from './gate.ts';
import type { Shown } from './port.ts';
import { REALM, type Verifier } from './scheme/verifier.ts';

/** The entrances of schemes, by their ids; those of messages have none. */
export type Gates = ReadonlyMap<string, Gate>;

/** Credentials, the scheme that judges them, and those that may decide where they count as not shown. */
interface Found {
  readonly gate: Gate;
  readonly credentials: string;
  /** Index of the first of them. */
  readonly next: number;
}

/**
 * The scheme that decides next. Of several that find the same credentials it is the one that these are meant for, where
 * the first of them stands, or else that first one, which refuses them.
 */
export function findNext(gates: Gates, shown: Shown, schemes: readonly SecurityScheme[]): Found | undefined {
  for (let index = 0; index < schemes.length; index++) {
    const scheme = schemes[index] as SecurityScheme;
    const first = gates.get(scheme.id);
    const credentials = first?.verifier.find(shown);
    if (first === undefined || credentials === undefined) continue;
    const next = index + 1;
    const isAlone = first.verifier.isMeant === undefined || next === schemes.length;
    return { gate: isAlone ? first : meantOf(gates, first, schemes.slice(next), credentials), credentials, next };
  }
  return undefined;
}

/** Of schemes of one kind, which find the same credentials, the one that these are meant for. */
function meantOf(gates: Gates, first: Gate, others: readonly SecurityScheme[], credentials: string): Gate {
  const rivals = others.filter(({ kind }) => kind === first.verifier.scheme.kind);
  if (rivals.length === 0) return first;
  const all = [first, ...rivals.flatMap(({ id }) => gates.get(id) ?? [])];
  return all.find(({ verifier }) => verifier.isMeant?.(credentials)) ?? first;
}

/** Whether credentials outside the message are there for one of the schemes. */
export function shows(gates: Gates, shown: Shown, allowed: readonly SecurityScheme[]): boolean {
  return allowed.some(({ id }) => gates.get(id)?.verifier.find(shown) !== undefined);
}

/** The schemes whose credentials are there; of those that find the same ones, those that they are meant for. */
export function shownOf(gates: Gates, shown: Shown, schemes: readonly SecurityScheme[]): readonly SecurityScheme[] {
  const all = schemes.length < 2 ? schemes : schemes.filter((scheme) => shows(gates, shown, [scheme]));
  if (all.length < 2) return all;
  const meant = all.filter(({ id }) => {
    const { verifier } = gates.get(id) as Gate;
    return verifier.isMeant?.(verifier.find(shown) as string) ?? true;
  });
  return meant.length > 0 ? meant : all.slice(0, 1);
}

/** The 401: the same for whatever is wrong, but for the reason, which only the log gets. */
export function unauthenticated(
  gates: Gates,
  allowed: readonly SecurityScheme[],
  reason: string,
  refused?: Verifier,
): Fault {
  const outside = allowed.flatMap(({ id }) => {
    const verifier = gates.get(id)?.verifier;
    return verifier === undefined ? [] : verifier.challenge(verifier.scheme.kind === refused?.scheme.kind);
  });
  // A reply of this status has a challenge in any case (RFC 9110 section 15.5.2).
  const challenges = outside.length > 0 ? outside : allowed.filter(isMessageScheme).map(challengeOfMessages);
  const headers = challenges.length === 0 ? {} : { 'WWW-Authenticate': [...new Set(challenges)].join(', ') };
  return Fault.of('UNAUTHENTICATED', { scheme: refused?.scheme.id ?? '' }, { headers, reason });
}

/** WSSE is the name that clients know for credentials of WS-Security; here they stand inside the message. */
const challengeOfMessages = ({ kind }: MessageScheme): string =>
  `WSSE ${REALM}, profile="${kind === 'username-token' ? 'UsernameToken' : 'X509Token'}"`;
