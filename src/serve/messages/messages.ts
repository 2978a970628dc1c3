import { type OpenedMessage, openMessage } from '../../binding/soap/message.ts';
import type { Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Cors } from '../exchange/cors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { withHeaders } from '../exchange/headers.ts';
import { type ReplyHeaders, respondBytes, respondCoded, respondText } from '../exchange/respond.ts';
import { selectCoding } from '../exchange/select.ts';
import type { Compiled } from '../operations.ts';
import { type ConnectorPorts, disposeOf, type Stages } from '../stages.ts';
import type { Entrance, MessageProgress, MessageReader } from './port.ts';
import { Senders } from './senders.ts';
import { uriIndexOf } from './uri-index.ts';

export interface MessagePorts extends ConnectorPorts {
  readonly stages: Stages;
  readonly spool: Spool;
  readonly cors: Pick<Cors, 'headersOf'>;
}

/** Bytes of a message that are read at once; a larger one is refused as soon as it is seen to be wrong. */
const SMALL = 64 * 1024;

/** What the SOAP services connector and the HTTP connector have in common: everything but what a message looks like. */
export class Messages implements MessageReader {
  readonly #ports: MessagePorts;
  readonly #senders: Senders;

  constructor(ports: MessagePorts) {
    this.#ports = ports;
    this.#senders = new Senders(ports);
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
    const shown = await this.#senders.authenticate(exchange);
    progress.isUnknown = shown === undefined && !this.#senders.mayBeAnybody;
    const asked = await entrance.ask(exchange, progress, this);
    const { opened } = progress;
    if (!('compiled' in asked)) {
      opened?.close();
      return asked;
    }
    const { compiled } = asked;
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
    const contentType = headers['Content-Type'];
    const isCoded = this.#ports.registry.gateway.compress.soap && contentType !== undefined;
    const coding = isCoded ? selectCoding(exchange, headers, { contentType, length }) : undefined;
    if (message.text === undefined) {
      const bytes = { length, coding, body: () => message.bytes(), dispose };
      return respondBytes(exchange, status, headers, bytes, sent, failed);
    }
    try {
      return await respondCoded(exchange, status, headers, message.text, sent, coding);
    } finally {
      dispose();
    }
  }
}
