import { createSecretKey, randomBytes } from 'node:crypto';
import type { ConfigText } from '../model/config.ts';
import type { Fault } from '../model/fault.ts';
import type { SecurityScheme, User } from '../model/security.ts';
import { findNext, shownOf, shows, unauthenticated } from './choice.ts';
import type { Directory } from './directory/port.ts';
import { createGate, type Gate, type Remembering } from './gate.ts';
import type { MessageAuthenticator } from './message-authenticator.ts';
import { type Authenticator, type Caller, type LookAtFile, NO_CREDENTIALS, type Shown } from './port.ts';
import { Refused } from './refused.ts';
import { compileApiKey } from './scheme/api-key.ts';
import { compileBasic } from './scheme/basic.ts';
import { compileBearer } from './scheme/bearer.ts';
import { compileClientCertificate } from './scheme/client-certificate.ts';
import type { Verifier } from './scheme/verifier.ts';

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

/** Compiles the schemes of a registry. @throws Error for a key set that can't be read */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { schemes, directory } = options;
  // As a key object: given raw bytes, each HMAC would import them anew, at eight times the cost.
  const key = createSecretKey(randomBytes(32));
  const gates = new Map<string, Gate>();
  for (const scheme of schemes) {
    const verifier = compile(scheme, options);
    if (verifier === undefined) continue;
    gates.set(scheme.id, createGate(verifier, directory, key, options));
  }

  /** @param left those of the allowed schemes that may still decide; `earlier`: what is told where none of them does */
  function enter(
    shown: Shown,
    allowed: readonly SecurityScheme[],
    left: readonly SecurityScheme[],
    earlier?: Fault,
  ): Caller | Promise<Caller> {
    const found = findNext(gates, shown, left);
    if (found === undefined) throw earlier ?? unauthenticated(gates, allowed, NO_CREDENTIALS);
    const { gate, credentials, next } = found;
    const { verifier } = gate;
    const refuse = (error: unknown): Caller | Promise<Caller> => {
      if (!(error instanceof Refused)) throw error;
      const fault = unauthenticated(gates, allowed, error.message, verifier);
      if (verifier.isAmbient !== true) throw fault;
      return enter(shown, allowed, left.slice(next), fault);
    };
    try {
      const caller = gate.admit(credentials);
      return caller instanceof Promise ? caller.catch(refuse) : caller;
    } catch (error) {
      return refuse(error);
    }
  }

  return {
    authenticate: (shown, allowed) => enter(shown, allowed, allowed),
    async authenticateByAny(shown, schemes) {
      let told: unknown;
      for (const scheme of shownOf(gates, shown, schemes)) {
        try {
          return await enter(shown, schemes, [scheme]);
        } catch (error) {
          told ??= error;
        }
      }
      throw told ?? unauthenticated(gates, schemes, NO_CREDENTIALS);
    },
    shows: (shown, schemes) => shows(gates, shown, schemes),
    async authenticateMessage(message, shown, allowed) {
      if (options.authenticateMessage === undefined)
        throw unauthenticated(gates, allowed, 'credentials in messages are not taken here');
      try {
        return await options.authenticateMessage(message, shown, allowed);
      } catch (error) {
        throw error instanceof Refused ? unauthenticated(gates, allowed, error.message) : error;
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
