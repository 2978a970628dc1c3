import { createHash } from 'node:crypto';
import type { ConfigText } from '../../model/definition.ts';
import { Refused, type RequestScheme } from '../../model/security.ts';
import type { Nonces } from '../../store/index.ts';
import { duration } from '../../wire/duration.ts';
import { messageOf } from '../../wire/error.ts';
import { reading } from '../database.ts';
import type { Directory } from '../directory/directory-port.ts';
import type { Caller } from '../security-port.ts';

/** What signatures of whole requests are checked with. */
export interface SignedRequestPorts {
  readonly directory: Directory;
  readonly nonces: Nonces;
  readonly resolve: (text: ConfigText) => string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Milliseconds by which the clocks of two gateways may differ: for each, a request that it still accepts is known. */
const AFTER = 60_000;

/** Refuses a time that is too far from that of the gateway. @param name of its header @param sent milliseconds since 1970 */
export function checkTime(name: string, sent: number, { tolerance }: RequestScheme, now: number): void {
  if (Math.abs(now - sent) > tolerance)
    throw new Refused(`${name} differs from the time here by more than ${duration(tolerance)}`);
}

/**
 * The sender of a request whose signature was verified. One with a time is accepted once, by all gateways that share a database.
 * @param once its time in milliseconds since 1970, and the texts that no other request has
 * @throws Refused
 */
export async function senderOf(
  scheme: RequestScheme,
  { directory, nonces }: SignedRequestPorts,
  once: { readonly sent: number; readonly texts: readonly string[] } | undefined,
): Promise<Caller> {
  const user = await directory.find(scheme.user);
  if (user === undefined)
    throw new Refused(`the user ${scheme.user} of the scheme ${scheme.id} is unknown or disabled`);
  if (once !== undefined) {
    const mark = createHash('sha256')
      .update(['webhook', scheme.id, ...once.texts].join(' '))
      .digest('hex');
    if (!(await reading(() => nonces.take([mark], once.sent + scheme.tolerance + AFTER))))
      throw new Refused('this webhook was seen before: a replay');
  }
  return { user, scheme };
}

/** Reads the keys again when their text changes, because a file with a secret was replaced. */
export function keyReader<K>(
  { id, secrets }: RequestScheme,
  resolve: (text: ConfigText) => string,
  read: (text: string) => K,
): () => readonly K[] {
  let from: string | undefined;
  let keys: readonly K[] = [];
  return () => {
    const texts = secrets.map(resolve);
    const now = JSON.stringify(texts);
    if (now === from) return keys;
    keys = texts.map((text, index) => {
      try {
        return read(text);
      } catch (error) {
        throw new Error(`webhook secret ${index + 1} of the scheme ${id} can't be used: ${messageOf(error)}`);
      }
    });
    from = now;
    return keys;
  };
}
