import { Fault } from '../../model/fault.ts';
import { BASIC, type User } from '../../model/security.ts';
import type { Authenticator } from '../security-port.ts';

/** What was typed on the sign-in page. */
export interface TypedPassword {
  readonly id: string;
  readonly password: string;
}

/**
 * Finds the user of an id and a password, as a call with HTTP Basic would: it takes as long, and has the same reasons.
 * @throws Fault UNAUTHENTICATED with a reason for the log, and without a challenge, for which browsers would show a dialog of their
 * own; UNAVAILABLE
 */
export async function signInByPassword(
  authenticator: Pick<Authenticator, 'authenticate'>,
  { id, password }: TypedPassword,
): Promise<User> {
  // RFC 7617 ends the id at the first colon. Only callers that tokens name have one in theirs.
  if (id === '' || id.includes(':')) throw refused('unknown or disabled user');
  const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`;
  const shown = {
    header: (name: string) => (name === 'authorization' ? authorization : undefined),
    certificate: () => undefined,
    secure: true,
  };
  try {
    return (await authenticator.authenticate(shown, [BASIC])).user;
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNAUTHENTICATED') throw refused(error.reason);
    throw error;
  }
}

function refused(reason: string | undefined): Fault {
  return Fault.of('UNAUTHENTICATED', { scheme: BASIC.id }, reason === undefined ? {} : { reason });
}
