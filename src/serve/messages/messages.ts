import type { OutgoingMessage } from '../../binding/soap/assemble.ts';
import { type OpenedMessage, openMessage } from '../../binding/soap/message.ts';
import type { Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/port.ts';
import { type Attributes, describeSpan } from '../../trace/trace.ts';
import type { Cors } from '../exchange/cors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { respondBytes, respondCoded, respondText, withHeaders } from '../exchange/respond.ts';
import { selectCoding } from '../exchange/select.ts';
import type { Compiled } from '../operations.ts';
import { type ConnectorPorts, disposeOf, type Stages } from '../stages.ts';
import type { Asked, Entrance, MessageProgress, MessageReader, SecuredMessage } from './port.ts';

/** Authenticates the sender of a message by the credentials outside and inside it. */
class Senders {
  /** At least one SOAP operation needs no credentials. */
  readonly mayBeAnybody: boolean;
  readonly #ports: Pick<ConnectorPorts, 'authenticator' | 'throttle'>;
  /** The schemes of all operations whose credentials are outside the message. */
  readonly #schemes: readonly SecurityScheme[];
  /** At least one operation is public, or accepts credentials inside messages. */
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
   * Checks the caller's credentials before any of the message is read, unless the operation may need none outside it; then
   * an error is only reported once the operation is known. For a public operation the credentials are not checked: the
   * response time would reveal whether they are valid, and the attempt would not be counted.
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

  /** Identifies the caller by the schemes that the operation itself requires. @throws Fault UNAUTHENTICATED */
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
    // A certificate that belongs to no user counts as absent, even next to credentials in the message.
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

  /** From here on, only the signed content of a signed message is used. */
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

export interface MessagePorts extends ConnectorPorts {
  readonly stages: Stages;
  readonly spool: Spool;
  readonly cors: Pick<Cors, 'headersOf'>;
}

/** Attributes of a remote procedure call, by the semantic conventions. */
function rpcOf({ id, service }: Operation): Attributes {
  return { 'rpc.system.name': 'soap', 'rpc.method': `${service.id}/${id}` };
}

/** Largest message in bytes that is buffered as a whole. A larger one is rejected at the first error found while reading. */
const SMALL = 64 * 1024;

/** The common parts of the SOAP services connector and the HTTP connector: everything except the format of messages. */
export class Messages implements MessageReader {
  readonly #ports: MessagePorts;
  readonly #senders: Senders;

  constructor(ports: MessagePorts) {
    this.#ports = ports;
    this.#senders = new Senders(ports);
  }

  /** Answers one exchange; never rejects. */
  async serve(exchange: Exchange, entrance: Entrance): Promise<Response> {
    const progress: MessageProgress = { form: entrance.firstForm(exchange) };
    try {
      return await this.#ports.stages.inTime(exchange, () => this.#spine(exchange, entrance, progress));
    } catch (thrown) {
      try {
        const { compiled } = progress;
        return await this.#ports.stages.refuse(exchange, progress, thrown, (fault) =>
          progress.form.fault(fault, compiled),
        );
      } finally {
        progress.opened?.close();
      }
    }
  }

  /** The stages of a call, one per line. The message is opened first, because it names the operation. */
  async #spine(exchange: Exchange, entrance: Entrance, progress: MessageProgress): Promise<Response> {
    const { stages, cors } = this.#ports;
    await stages.arrive(exchange);
    const shown = await this.#senders.authenticate(exchange);
    progress.isUnknown = shown === undefined && !this.#senders.mayBeAnybody;
    const asked = await entrance.ask(exchange, progress, this);
    const { opened } = progress;
    if (!('compiled' in asked)) {
      opened?.close();
      return asked;
    }
    const { compiled } = asked;
    describeSpan(rpcOf(compiled.operation));
    exchange.cors = cors.headersOf(exchange, compiled.operation);
    await stages.arrive(exchange, compiled.operation);
    const caller = await this.#senders.identify(exchange, asked, shown);
    await stages.admit(exchange, progress, compiled, caller);
    await opened?.include();
    const input = asked.read();
    const segments = opened && (() => opened.segments());
    const facts = { uriIndex: uriIndexOf(compiled.operation, input), as: progress.form.format, segments };
    const outcome = await stages.answer(exchange, progress, compiled, input, facts);
    try {
      await opened?.finish();
      return await this.#encode(exchange, progress, compiled, outcome);
    } catch (error) {
      disposeOf(outcome);
      throw error;
    }
  }

  async text(exchange: Exchange): Promise<string | undefined> {
    const { registry, pace } = this.#ports;
    const received = exchange.body({ size: registry.gateway.limits.body, pace });
    return received.present ? received.text() : undefined;
  }

  tell(exchange: Exchange, contentType: string, text: string): Response {
    const facts = { operation: undefined, caller: undefined, status: 200 };
    return respondText(exchange, 200, { 'Content-Type': contentType }, text, (bytes, complete) =>
      this.#ports.record(exchange, { ...facts, bytes, complete }),
    );
  }

  async open(
    exchange: Exchange,
    entrance: Entrance,
    { isUnknown = false }: MessageProgress,
  ): Promise<OpenedMessage | undefined> {
    const { registry, pace, spool } = this.#ports;
    const { body, attachment, attachments } = registry.gateway.limits;
    const contentType = exchange.header('content-type');
    const isRelated = contentType !== undefined && /^\s*multipart\/related\b/i.test(contentType);
    if (isRelated && !entrance.mtom) {
      const supported = 'XML alone; MTOM is switched off at this connector';
      throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: 'Content-Type multipart/related', supported });
    }
    const size = isRelated ? body + attachments * attachment : body;
    const received = exchange.body({ size, pace });
    if (!received.present) return undefined;
    const isSmall = received.length !== undefined && received.length <= SMALL;
    const source = {
      contentType,
      bytes: received.attachment(contentType ?? 'text/xml').stream(),
      ...(isSmall && !isRelated ? { all: received.bytes } : {}),
    };
    return openMessage(source, { envelope: body, attachment, attachments, rootFirst: isUnknown }, spool);
  }

  async #encode(
    exchange: Exchange,
    progress: MessageProgress,
    compiled: Compiled,
    outcome: Outcome,
  ): Promise<Response> {
    const given = outcome.kind === 'bytes' ? outcome.bytes.headers : outcome.headers;
    const message = await progress.form.write(compiled, outcome);
    const { status, text } = message;
    const length = text === undefined ? message.length : Buffer.byteLength(text);
    const headers = withHeaders(withHeaders(compiled.headers, given), message.headers);
    if (progress.call?.truncated) headers['Rows-Truncated'] = 'true';
    const { sent, failed } = this.#ports.stages.leave(exchange, progress, compiled, status, outcome);
    const dispose = (): void => {
      progress.opened?.close();
      disposeOf(outcome);
    };
    const contentType = headers['Content-Type'];
    const isCoded = this.#ports.registry.gateway.compress.soap && contentType !== undefined;
    const coding = isCoded ? selectCoding(exchange, headers, { contentType, length }) : undefined;
    if (text === undefined) {
      const bytes = { length, coding, body: () => (message as OutgoingMessage).bytes(), dispose };
      return respondBytes(exchange, status, headers, bytes, sent, failed);
    }
    try {
      return await respondCoded(exchange, status, headers, text, sent, coding);
    } finally {
      dispose();
    }
  }
}

/**
 * The index, from 1, of the operation's URI template that fits a message: of those whose required variables are all
 * present, the one with the most variables; 0 if none fits. Handlers that distinguish their URIs thereby work over SOAP
 * too.
 */
function uriIndexOf({ uris }: Operation, input: DocumentValue): number {
  let best = 0;
  let most = -1;
  for (const { index, variables } of uris) {
    let carried = 0;
    const suits = variables.every(({ field, required }) => {
      const given = Object.hasOwn(input, field.name) && input[field.name] !== undefined;
      if (given) carried++;
      return given || !required;
    });
    if (suits && carried > most) {
      best = index;
      most = carried;
    }
  }
  return best;
}
