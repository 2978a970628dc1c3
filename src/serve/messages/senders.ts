import { Fault } from '../../model/fault.ts';
import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import type { Caller } from '../../security/port.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ConnectorPorts } from '../stages.ts';
import type { Asked, SecuredMessage } from './port.ts';

/** Tells who sends a message: by what is shown outside of it, and inside. */
export class Senders {
  /** Some operation that messages may be for needs no credentials. */
  readonly mayBeAnybody: boolean;
  readonly #ports: Pick<ConnectorPorts, 'authenticator' | 'throttle'>;
  /** What callers of some operation or other show outside their messages. */
  readonly #schemes: readonly SecurityScheme[];
  /** Some operation takes anybody, or credentials inside messages. */
  readonly #isOpen: boolean;

  constructor(ports: Pick<ConnectorPorts, 'authenticator' | 'throttle' | 'registry'>) {
    this.#ports = ports;
    const operations = [...ports.registry.operations.values()].filter((each) => each.soap !== undefined && each.active);
    const guarded = operations.filter((each) => !each.public);
    this.#schemes = [...new Set(guarded.flatMap((each) => each.requires))].filter((each) => !isMessageScheme(each));
    this.mayBeAnybody = operations.some((each) => each.public);
    this.#isOpen = this.mayBeAnybody || guarded.some((each) => each.requires.some(isMessageScheme));
  }

  /**
   * Looks at the caller's credentials before anything of the message is read, unless it may be for an operation that needs
   * none outside of it: then what is wrong with them is told once the operation is known. For one that is public they are not
   * looked at: how long that takes would tell whether they are good, and nobody would count it.
   * @throws Fault UNAUTHENTICATED, TOO_MANY_REQUESTS
   */
  async authenticate(exchange: Exchange): Promise<Caller | undefined> {
    if (this.mayBeAnybody) return undefined;
    const { authenticator, throttle } = this.#ports;
    try {
      return await authenticator.authenticateByAny(exchange, this.#schemes);
    } catch (error) {
      if (!this.#isOpen) throw error;
      const isGuess = error instanceof Fault && error.code === 'UNAUTHENTICATED' && throttle !== undefined;
      if (!isGuess || !authenticator.shows(exchange, this.#schemes)) return undefined;
      const counted = await throttle.refused(exchange, undefined, error);
      if (counted !== error) throw counted;
      return undefined;
    }
  }

  /** What an operation itself asks for decides who calls it. @throws Fault UNAUTHENTICATED */
  identify(
    exchange: Exchange,
    { compiled: { operation }, secured }: Asked,
    shown: Caller | undefined,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (operation.public) return undefined;
    const { requires } = operation;
    if (shown !== undefined && shown.scheme === requires[0]) return shown;
    const { authenticator } = this.#ports;
    const outside = async (): Promise<Caller> => authenticator.authenticate(exchange, requires);
    if (secured === undefined || !requires.some(isMessageScheme)) return outside();
    if (!authenticator.shows(exchange, requires)) return this.#identifyInside(exchange, secured, requires);
    // A certificate that is nobody's counts as not shown, beside what the message shows too.
    const isSaid = authenticator.shows(
      exchange,
      requires.filter(({ kind }) => kind !== 'client-certificate'),
    );
    if (isSaid) return outside();
    return outside().catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'UNAUTHENTICATED') throw error;
      return this.#identifyInside(exchange, secured, requires);
    });
  }

  /** Of a message that is signed, what is signed is all that is gone on with. */
  async #identifyInside(
    exchange: Exchange,
    secured: SecuredMessage,
    schemes: readonly SecurityScheme[],
  ): Promise<Caller> {
    const caller = await this.#ports.authenticator.authenticateMessage(secured, exchange, schemes);
    if (caller.body !== undefined) secured.goOnWith(caller.body);
    return caller;
  }
}
