import type { Format } from '../../binding/rest.ts';
import { type OpenedMessage, openMessage } from '../../binding/soap-message.ts';
import type { OutgoingMessage } from '../../binding/soap-message-write.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import type { Spool } from '../../model/spool.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller, ShownMessage } from '../../security/port.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Cors } from '../exchange/cors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { withHeaders } from '../exchange/headers.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import { type ReplyHeaders, respondBytes, respondText } from '../exchange/respond.ts';
import type { CallProgress, Compiled } from '../operations.ts';
import { type ConnectorPorts, disposeOf, type Stages } from '../stages.ts';
import { uriIndexOf } from './uri-index.ts';

export interface MessagePorts extends ConnectorPorts {
  readonly stages: Stages;
  readonly spool: Spool;
  readonly cors: Pick<Cors, 'headersOf'>;
}

/** How an exchange is answered: in an envelope of its version, or without one. */
export interface ReplyForm {
  /** What a stored query renders its rows for. */
  readonly format: Format;
  /** @throws CodecError */
  write(compiled: Compiled, outcome: Outcome): OutgoingReply | Promise<OutgoingReply>;
  fault(fault: Fault, compiled: Compiled | undefined): WrittenFault;
}

export interface OutgoingReply extends OutgoingMessage {
  readonly status: number;
}

/** What a caller asks for, once its message has been opened. */
export interface Asked {
  readonly compiled: Compiled;
  /** Reads the request's document. @throws Fault */
  read(): DocumentValue;
  /** What the message itself shows of its sender; undefined where it shows nothing. */
  readonly secured?: SecuredMessage;
}

export interface SecuredMessage extends ShownMessage {
  /** Goes on with the Body that was signed in place of the one that came. */
  goOnWith(body: XmlElement): void;
}

/** What is known of an exchange of messages so far. */
export interface MessageProgress extends CallProgress {
  form: ReplyForm;
  /** Who sends it only the message itself can show. */
  isUnknown?: boolean;
  opened?: OpenedMessage;
}

/** A connector that reads messages. */
export interface Entrance {
  /** Multipart/related is taken, and sent. */
  readonly mtom: boolean;
  /** The form of a fault that comes before anything has been read. */
  firstForm(exchange: Exchange): ReplyForm;
  /** Opens the message and finds the operation; or the reply, where nothing is called. @throws Fault */
  ask(exchange: Exchange, progress: MessageProgress, messages: Messages): Promise<Asked | Response>;
}

/** Bytes of a message that are read at once; a larger one is refused as soon as it is seen to be wrong. */
const SMALL = 64 * 1024;

/** What the SOAP services connector and the HTTP connector have in common: everything but what a message looks like. */
export class Messages {
  readonly #ports: MessagePorts;
  /** What callers of some operation or other show outside their messages. */
  readonly #schemes: readonly SecurityScheme[];
  /** Some operation that messages may be for needs no credentials, or takes those inside them. */
  readonly #isPublic: boolean;
  readonly #isOpen: boolean;

  constructor(ports: MessagePorts) {
    this.#ports = ports;
    const operations = [...ports.registry.operations.values()].filter((each) => each.soap !== undefined && each.active);
    const guarded = operations.filter((each) => !each.public);
    this.#schemes = [...new Set(guarded.flatMap((each) => each.requires))].filter((each) => !isMessageScheme(each));
    this.#isPublic = operations.some((each) => each.public);
    this.#isOpen = this.#isPublic || guarded.some((each) => each.requires.some(isMessageScheme));
  }

  /** Answers one exchange, whatever comes. */
  async serve(exchange: Exchange, entrance: Entrance): Promise<Response> {
    const progress: MessageProgress = { form: entrance.firstForm(exchange) };
    try {
      return await this.#spine(exchange, entrance, progress);
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

  /** The story of a call, a stage a line. The operation is named inside the message, so that is opened first. */
  async #spine(exchange: Exchange, entrance: Entrance, progress: MessageProgress): Promise<Response> {
    const { stages, cors } = this.#ports;
    await stages.arrive(exchange);
    const shown = await this.#authenticate(exchange);
    progress.isUnknown = shown === undefined && !this.#isPublic;
    const asked = await entrance.ask(exchange, progress, this);
    const { opened } = progress;
    if (!('compiled' in asked)) {
      opened?.close();
      return asked;
    }
    const { compiled } = asked;
    exchange.cors = cors.headersOf(exchange, compiled.operation);
    await stages.arrive(exchange, compiled.operation);
    const caller = await this.#identify(exchange, asked, shown);
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

  /**
   * Looks at the caller's credentials before anything of the message is read, unless it may be for an operation that needs
   * none outside of it: then what is wrong with them is told once the operation is known. For one that is public they are not
   * looked at: how long that takes would tell whether they are good, and nobody would count it.
   * @throws Fault UNAUTHENTICATED, TOO_MANY_REQUESTS
   */
  async #authenticate(exchange: Exchange): Promise<Caller | undefined> {
    if (this.#isPublic) return undefined;
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
  #identify(
    exchange: Exchange,
    { compiled: { operation }, secured }: Asked,
    shown: Caller | undefined,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (operation.public) return undefined;
    const { requires } = operation;
    if (shown !== undefined && shown.scheme === requires[0]) return shown;
    const { authenticator, stages } = this.#ports;
    if (secured === undefined || !requires.some(isMessageScheme)) return stages.authenticate(exchange, operation);
    if (!authenticator.shows(exchange, requires)) return this.#identifyInside(exchange, secured, requires);
    const found = async (): Promise<Caller | undefined> => stages.authenticate(exchange, operation);
    // A certificate that is nobody's counts as not shown, beside what the message shows too.
    const isSaid = authenticator.shows(
      exchange,
      requires.filter(({ kind }) => kind !== 'client-certificate'),
    );
    if (isSaid) return found();
    return found().catch((error: unknown) => {
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

  /** The text of a request's body; undefined where there is none. @throws Fault BODY_TOO_LARGE, BAD_BODY */
  async text(exchange: Exchange): Promise<string | undefined> {
    const { registry, pace } = this.#ports;
    const received = exchange.body({ size: registry.gateway.limits.body, pace });
    return received.present ? received.text() : undefined;
  }

  /** Answers what is no call of an operation. */
  tell(exchange: Exchange, contentType: string, text: string): Response {
    const headers: ReplyHeaders = {
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': exchange.requestId,
    };
    const facts = { operation: undefined, caller: undefined, status: 200 };
    return respondText(exchange, 200, headers, text, (bytes, complete) =>
      this.#ports.record(exchange, { ...facts, bytes, complete }),
    );
  }

  /**
   * Opens the message of a request, within its limits; undefined where there is no body.
   * @throws Fault as {@link openMessage} does
   */
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
    const { status, length } = message;
    const headers = withHeaders(withHeaders(compiled.headers, given), message.headers);
    headers['X-Request-Id'] = exchange.requestId;
    if (progress.call?.truncated) headers['Rows-Truncated'] = 'true';
    const { sent, failed } = this.#ports.stages.leave(exchange, progress, compiled, status, outcome);
    const dispose = (): void => {
      progress.opened?.close();
      disposeOf(outcome);
    };
    if (message.text === undefined) {
      const bytes = { length, body: () => message.bytes(), dispose };
      return respondBytes(exchange, status, headers, bytes, sent, failed);
    }
    const response = respondText(exchange, status, headers, message.text, sent);
    dispose();
    return response;
  }
}
