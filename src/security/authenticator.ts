import { createSecretKey, randomBytes } from 'node:crypto';
import type { ConfigText } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { SecurityScheme, User } from '../model/security.ts';
import { createGate, type Gate, type Remembering } from './gate.ts';
import type { MessageAuthenticator } from './message-authenticator.ts';
import type { Authenticator, Caller, Directory, LookAtFile, Shown } from './port.ts';
import { compileApiKey } from './scheme/api-key.ts';
import { compileBasic } from './scheme/basic.ts';
import { compileBearer } from './scheme/bearer.ts';
import { compileClientCertificate } from './scheme/client-certificate.ts';
import { Refused, type Verifier } from './scheme/verifier.ts';

/** What an authenticator is made of. */
export interface AuthenticatorOptions extends Partial<Remembering> {
  readonly schemes: Iterable<SecurityScheme>;
  readonly directory: Directory;
  /** A user whose password costs what most do; what is unknown takes as long. */
  readonly alike?: User | undefined;
  /** The value of a text of the definitions. */
  readonly resolve: (text: ConfigText) => string;
  readonly lookAt: LookAtFile;
  /** Verifies what stands inside messages; without it no such scheme lets anybody in. */
  readonly authenticateMessage?: MessageAuthenticator;
}

const REMEMBER_FOR = 60_000;
/** A password takes a core for some 30 ms, so a longer queue only serves an attack. */
const MOST_WAITING = 200;

/** Compiles the schemes of a registry. @throws Error for a key set that can't be read */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { schemes, directory, rememberFor = REMEMBER_FOR, mostWaiting = MOST_WAITING } = options;
  const now = options.now ?? performance.now.bind(performance);
  // As a key object: given raw bytes, each HMAC would import them anew, at eight times the cost.
  const key = createSecretKey(randomBytes(32));
  const gates = new Map<string, Gate>();
  for (const scheme of schemes) {
    const verifier = compile(scheme, options);
    if (verifier === undefined) continue;
    gates.set(scheme.id, createGate(verifier, directory, key, { rememberFor, mostWaiting, now }));
  }

  /** The 401: the same for whatever is wrong, but for the reason, which only the log gets. */
  function unauthenticated(allowed: readonly SecurityScheme[], reason: string, refused?: Verifier): Fault {
    const challenges = allowed.flatMap(({ id }) => {
      const verifier = gates.get(id)?.verifier;
      return verifier === undefined ? [] : [verifier.challenge(verifier === refused)];
    });
    const headers = challenges.length === 0 ? {} : { 'WWW-Authenticate': challenges.join(', ') };
    return Fault.of('UNAUTHENTICATED', { scheme: refused?.scheme.id ?? '' }, { headers, reason });
  }

  function shows(shown: Shown, allowed: readonly SecurityScheme[]): boolean {
    return allowed.some(({ id }) => gates.get(id)?.verifier.find(shown) !== undefined);
  }

  function authenticate(shown: Shown, allowed: readonly SecurityScheme[]): Caller | Promise<Caller> {
    for (const { id } of allowed) {
      const gate = gates.get(id);
      const credentials = gate?.verifier.find(shown);
      if (gate === undefined || credentials === undefined) continue;
      const told = (error: unknown): unknown =>
        error instanceof Refused ? unauthenticated(allowed, error.message, gate.verifier) : error;
      try {
        const caller = gate.admit(credentials, shown);
        if (!(caller instanceof Promise)) return caller;
        return caller.catch((error: unknown) => {
          throw told(error);
        });
      } catch (error) {
        throw told(error);
      }
    }
    throw unauthenticated(allowed, 'no credentials');
  }

  return {
    authenticate,
    shows,
    async authenticateMessage(message, shown, allowed) {
      if (options.authenticateMessage === undefined)
        throw unauthenticated(allowed, 'credentials in messages are not taken here');
      try {
        return await options.authenticateMessage(message, shown, allowed);
      } catch (error) {
        throw error instanceof Refused ? unauthenticated(allowed, error.message) : error;
      }
    },
  };
}

/** Credentials inside messages have an authenticator of their own. */
function compile(scheme: SecurityScheme, options: AuthenticatorOptions): Verifier | undefined {
  const { directory, alike } = options;
  switch (scheme.kind) {
    case 'basic':
      return compileBasic(scheme, directory, alike);
    case 'api-key':
      return compileApiKey(scheme, directory);
    case 'bearer':
      return compileBearer(scheme, directory, options);
    case 'client-certificate':
      return compileClientCertificate(scheme, directory);
    default:
      return undefined;
  }
}
