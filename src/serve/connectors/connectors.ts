import type { OutgoingMessage } from '../../binding/soap/assemble.ts';
import { type OpenedMessage, openMessage, openWhole } from '../../binding/soap/message.ts';
import type { Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import { isMessageScheme, isRequestScheme, type SecurityScheme } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/security-port.ts';
import type { FirstAnswer } from '../../store/index.ts';
import { type Attributes, describeSpan } from '../../trace/trace.ts';
import { readContentType } from '../../wire/content-type.ts';
import { XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { after, attempt } from '../../wire/waiting.ts';
import { uriIndexOf } from '../answer/call.ts';
import { wholeLimit } from '../exchange/body.ts';
import type { Cors } from '../exchange/cors.ts';
import type { Exchange, ReplyHeaders } from '../exchange/exchange.ts';
import { comparable, digestOf } from '../exchange/once.ts';
import { respondBytes, respondCoded, respondText, withHeaders } from '../exchange/respond.ts';
import { selectCoding } from '../exchange/select.ts';
import type { Compiled } from '../operations.ts';
import { type ConnectorPorts, disposeOf, type Stages } from '../stages.ts';
import type {
  Asked,
  Entrance,
  MessageProgress,
  MessageReader,
  OutgoingReply,
  SecuredMessage,
} from './connector-port.ts';
import { withoutMtom } from './soap.ts';

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
    this.#schemes = [...new Set(guarded.flatMap((each) => each.requires))].filter(
      (each) => !isMessageScheme(each) && !isRequestScheme(each),
    );
    this.mayBeAnybody = operations.some((each) => each.public);
    this.#isOpen = this.mayBeAnybody || guarded.some((each) => each.requires.some(isMessageScheme));
  }

  /**
   * Checks the caller's credentials before any of the message is read, unless the operation may need none outside it; then
   * an error is only reported once the operation is known. For a public operation the credentials are not checked: the
   * response time would reveal whether they are valid, and the attempt would not be counted.
   * @throws Fault UNAUTHENTICATED, TOO_MANY_REQUESTS
   */
  authenticate(exchange: Exchange): Caller | undefined | Promise<Caller | undefined> {
    if (this.mayBeAnybody) return undefined;
    if (exchange.vouched !== undefined) return exchange.vouched.caller;
    return attempt<Caller | undefined>(
      () => this.#ports.authenticator.authenticateByAny(exchange, this.#schemes),
      (error) => this.#goOn(exchange, error),
    );
  }

  /** Goes on without a caller where the operation may need none outside the message. @throws the error otherwise */
  async #goOn(exchange: Exchange, error: unknown): Promise<undefined> {
    const { authenticator, throttle } = this.#ports;
    if (!this.#isOpen) throw error;
    const isGuess = error instanceof Fault && error.code === 'UNAUTHENTICATED' && throttle !== undefined;
    if (!isGuess || !authenticator.shows(exchange, this.#schemes)) return;
    const counted = await throttle.refused(exchange, undefined, error);
    if (counted !== error) throw counted;
  }

  /** Identifies the caller by the schemes that the operation itself requires. @throws Fault UNAUTHENTICATED */
  identify(
    exchange: Exchange,
    { compiled: { operation }, secured }: Asked,
    shown: Caller | undefined,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (operation.public) return undefined;
    if (exchange.vouched !== undefined) return exchange.vouched.caller;
    const { requires } = operation;
    if (shown !== undefined && shown.scheme === requires[0]) return shown;
    const { authenticator } = this.#ports;
    const outside = (): Caller | Promise<Caller> => authenticator.authenticate(exchange, requires);
    if (secured === undefined || !requires.some(isMessageScheme)) return outside();
    if (!authenticator.shows(exchange, requires)) return this.#identifyInside(exchange, secured, requires);
    // A certificate that belongs to no user counts as absent, even next to credentials in the message.
    const isSaid = authenticator.shows(
      exchange,
      requires.filter(({ kind }) => kind !== 'client-certificate'),
    );
    if (isSaid) return outside();
    return attempt(outside, (error) => {
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

export interface ConnectorsPorts extends ConnectorPorts {
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
export class Connectors implements MessageReader {
  readonly #ports: ConnectorsPorts;
  readonly #senders: Senders;

  constructor(ports: ConnectorsPorts) {
    this.#ports = ports;
    this.#senders = new Senders(ports);
  }

  /** Answers one exchange; never rejects. */
  serve(exchange: Exchange, entrance: Entrance): Response | Promise<Response> {
    const { stages } = this.#ports;
    const progress: MessageProgress = { form: entrance.firstForm(exchange) };
    return attempt(
      () => stages.inTime(exchange, () => this.#spine(exchange, entrance, progress)),
      async (thrown) => {
        const { compiled } = progress;
        try {
          return await stages.refuse(exchange, progress, thrown, (fault) => progress.form.fault(fault, compiled));
        } finally {
          progress.opened?.close();
        }
      },
    );
  }

  /** The stages before the operation is known. The message is opened first, because it names the operation. */
  #spine(exchange: Exchange, entrance: Entrance, progress: MessageProgress): Response | Promise<Response> {
    const arrived = this.#ports.stages.arrive(exchange);
    const authenticated = after(arrived, () => this.#senders.authenticate(exchange));
    return after(authenticated, (shown) => {
      progress.isUnknown = shown === undefined && !this.#senders.mayBeAnybody;
      return after(entrance.ask(exchange, progress, this), (asked) => {
        if ('compiled' in asked) return this.#call(exchange, progress, asked, shown);
        progress.opened?.close();
        return asked;
      });
    });
  }

  /** The stages of a call. @param shown the caller by credentials outside the message */
  #call(
    exchange: Exchange,
    progress: MessageProgress,
    asked: Asked,
    shown: Caller | undefined,
  ): Response | Promise<Response> {
    const { stages, cors } = this.#ports;
    const { opened } = progress;
    const { compiled } = asked;
    const { operation } = compiled;
    if (exchange.trace.span !== undefined) describeSpan(rpcOf(operation));
    exchange.cors = cors.headersOf(exchange, operation);
    const arrived = stages.arrive(exchange, operation);
    const identified = after(arrived, () => this.#senders.identify(exchange, asked, shown));
    const admitted = after(identified, (caller) => stages.admit(exchange, progress, compiled, caller));
    const included = after(admitted, () => opened?.include(compiled.soap?.requestParts));
    const answer = (input: DocumentValue): Outcome | Promise<Outcome> => {
      const segments = opened && (() => opened.segments());
      const facts = {
        ...{ uriIndex: uriIndexOf(operation, input), as: progress.form.format, segments },
        replyTo: asked.replyTo?.(),
      };
      return stages.answer(exchange, progress, compiled, input, facts);
    };
    const encode = (outcome: Outcome): Response | Promise<Response> =>
      attempt(
        () => after(opened?.finish(), () => this.#encode(exchange, progress, compiled, outcome)),
        (error) => {
          disposeOf(outcome);
          throw error;
        },
      );
    if (compiled.once === undefined)
      return after(
        after(included, () => answer(asked.read())),
        encode,
      );
    return after(included, () => {
      const input = asked.read();
      this.#name(exchange, progress, asked, input);
      return after(stages.begin(progress, compiled, input), (first) =>
        first === undefined ? after(answer(input), encode) : this.#repeat(exchange, progress, compiled, first),
      );
    });
  }

  /**
   * Notes the key of a call. Messages are compared by their documents: one that is sent again may have another boundary,
   * signature or timestamp.
   */
  #name(exchange: Exchange, progress: MessageProgress, { compiled, messageId }: Asked, input: DocumentValue): void {
    const type = readContentType(exchange.header('content-type') ?? '')?.essence;
    this.#ports.stages.name(exchange, progress, compiled, {
      connector: 'messages',
      messageId: messageId?.(),
      digest: () => {
        const digest = digestOf(type === 'application/soap+xml' ? '1.2' : '', JSON.stringify(input, comparable));
        digest.end();
        return digest;
      },
      readOn: async () => {},
    });
  }

  #repeat(
    exchange: Exchange,
    progress: MessageProgress,
    compiled: Compiled,
    first: FirstAnswer,
  ): Response | Promise<Response> {
    progress.opened?.close();
    return this.#ports.stages.repeat(exchange, progress, compiled, first, this.#ports.registry.gateway.compress.soap);
  }

  async text(exchange: Exchange): Promise<string | undefined> {
    const { registry, pace } = this.#ports;
    const received = exchange.body({
      size: registry.gateway.limits.body,
      key: '`limits.body`',
      pace,
      codings: registry.gateway.requestEncodings,
    });
    return received.present ? received.text() : undefined;
  }

  tell(exchange: Exchange, contentType: string, text: string): Response {
    const facts = { operation: undefined, caller: undefined, status: 200 };
    return respondText(exchange, 200, { 'Content-Type': contentType }, text, (bytes, complete) =>
      this.#ports.record(exchange, { ...facts, bytes, complete }),
    );
  }

  open(
    exchange: Exchange,
    entrance: Entrance,
    { isUnknown = false }: MessageProgress,
  ): Promise<OpenedMessage> | undefined {
    const { registry, pace, spool } = this.#ports;
    const { body, attachment, attachments } = registry.gateway.limits;
    const contentType = exchange.header('content-type');
    const isRelated = contentType !== undefined && /^\s*multipart\/related\b/i.test(contentType);
    if (isRelated && !entrance.mtom && (entrance.parts !== true || isXop(contentType))) {
      throw withoutMtom();
    }
    const limit = isRelated ? wholeLimit(registry.gateway.limits) : { size: body, key: '`limits.body`' };
    const received = exchange.body({ ...limit, pace, codings: registry.gateway.requestEncodings });
    if (!received.present) return undefined;
    if (!isRelated && received.length !== undefined && received.length <= SMALL)
      return openWhole(contentType, received.bytes, body);
    const bytes = received.attachment(contentType ?? 'text/xml').stream();
    const limits = { envelope: body, attachment, attachments, rootFirst: isUnknown };
    return openMessage({ contentType, bytes }, limits, spool);
  }

  #encode(
    exchange: Exchange,
    progress: MessageProgress,
    compiled: Compiled,
    outcome: Outcome,
  ): Response | Promise<Response> {
    return after(progress.form.write(compiled, outcome), (message) =>
      this.#send(exchange, progress, compiled, outcome, message),
    );
  }

  #send(
    exchange: Exchange,
    progress: MessageProgress,
    compiled: Compiled,
    outcome: Outcome,
    message: OutgoingReply,
  ): Response | Promise<Response> {
    const given = outcome.kind === 'bytes' ? outcome.bytes.headers : outcome.headers;
    const { status, text } = message;
    // Code can't set the headers of the message.
    const headers = Object.assign(withHeaders(compiled.headers, given), message.headers);
    if (progress.call?.truncated) headers['Rows-Truncated'] = 'true';
    const { once } = progress;
    if (once === undefined) return this.#respond(exchange, progress, compiled, outcome, message, headers);
    const kept =
      text === undefined
        ? once.keepBytes(status, headers, { length: message.length, body: () => (message as OutgoingMessage).bytes() })
        : once.keep(status, headers, text);
    return kept.then((read) => {
      const bytes = read?.body;
      const sent =
        bytes === undefined ? message : { ...message, bytes: bytes instanceof Uint8Array ? () => whole(bytes) : bytes };
      return this.#respond(exchange, progress, compiled, outcome, sent as OutgoingReply, headers);
    });
  }

  #respond(
    exchange: Exchange,
    progress: MessageProgress,
    compiled: Compiled,
    outcome: Outcome,
    message: OutgoingReply,
    headers: ReplyHeaders,
  ): Response | Promise<Response> {
    const { status, text } = message;
    const { sent, failed } = this.#ports.stages.leave(exchange, progress, compiled, status, outcome);
    const dispose = (): void => {
      progress.opened?.close();
      disposeOf(outcome);
    };
    const contentType = headers['Content-Type'];
    const isCoded = this.#ports.registry.gateway.compress.soap && contentType !== undefined;
    const length = text === undefined || !isCoded ? message.length : Buffer.byteLength(text);
    const coding = isCoded ? selectCoding(exchange, headers, { contentType, length }) : undefined;
    if (text === undefined) {
      const bytes = { length, coding, body: () => (message as OutgoingMessage).bytes(), dispose };
      return respondBytes(exchange, status, headers, bytes, sent, failed);
    }
    return after(respondCoded(exchange, status, headers, text, sent, coding), (response) => {
      dispose();
      return response;
    });
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Whether a message in parts is MTOM (XOP 1.0, section 4.1). */
function isXop(contentType: string): boolean {
  return readContentType(contentType)?.parameters.get('type')?.trim().toLowerCase().startsWith(XOP_MEDIA_TYPE) === true;
}
