import { problemText } from '../binding/problem.ts';
import { compileRest, type Representation, type RestBinding } from '../binding/rest.ts';
import { Fault } from '../model/fault.ts';
import type { Outcome } from '../model/handler.ts';
import type { User } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Authenticator } from '../security/authenticator.ts';
import { authorise } from '../security/authorise.ts';
import { PercentError } from '../wire/percent.ts';
import { problemMediaType } from '../wire/problem.ts';
import { parseQueryString, TooManyParametersError } from '../wire/query-string.ts';
import { type Answerer, compileAnswer, type Handlers } from './answer.ts';
import { Call, type CallPorts, compileQueryRows } from './call.ts';
import { withinTime } from './deadline.ts';
import type { Exchange } from './exchange.ts';
import { checkHeaders, operationHeaders } from './headers.ts';
import type { Recorder } from './record.ts';
import { type ReplyHeaders, respondBytes, respondText } from './respond.ts';
import { compileRoutes, type RouteMatch } from './routes.ts';

/** One operation with everything that a call of it needs, closed over. */
interface Compiled {
  readonly operation: Operation;
  readonly binding: RestBinding;
  readonly answerer: Answerer;
  /** Headers of every reply, beside those of the reply itself. */
  readonly headers: ReplyHeaders;
  /** The time that code may take, in milliseconds; stored queries have clocks of their own. */
  readonly timeout: number | undefined;
}

/** What is known of an exchange so far; a fault's reply is as good as that allows. */
interface Progress {
  compiled?: Compiled;
  match?: RouteMatch;
  as?: Representation;
  user?: User;
  input?: DocumentValue;
  call?: Call;
}

export interface RestPorts extends CallPorts {
  readonly handlers: Handlers;
  readonly authenticator: Authenticator;
  readonly record: Recorder;
  /** Milliseconds that a request's body may pause. */
  readonly idleTimeout: number;
}

/** The REST connector: what stands below `/<context>/RESTListeningConnector/`, by paths relative to that. */
export interface RestConnector {
  serve(exchange: Exchange, path: string): Promise<Response>;
  /** Methods that a path takes. @throws Fault NOT_FOUND */
  allowed(path: string): readonly string[];
}

/** Compiles every active operation of the registry, and returns the spine that answers calls of them. */
export function createRestConnector(ports: RestPorts): RestConnector {
  const { registry, authenticator, record } = ports;
  const { limits, namespace } = registry.gateway;
  const bodyLimits = { size: limits.body, idle: ports.idleTimeout };
  const routes = compileRoutes(registry);
  const rows = compileQueryRows(ports);
  const operations = new Map<Operation, Compiled>();
  for (const operation of registry.operations.values()) {
    if (operation.active) operations.set(operation, compileOperation(operation));
  }

  function compileOperation(operation: Operation): Compiled {
    const isCode = operation.answer.kind === 'handler';
    return {
      operation,
      binding: compileRest(operation, namespace),
      answerer: compileAnswer(operation, ports.handlers, ports),
      headers: operationHeaders(operation),
      timeout: isCode ? limits.timeout : undefined,
    };
  }

  /** The story of a call, a stage a line. */
  async function serve(exchange: Exchange, path: string, progress: Progress): Promise<Response> {
    const match = route(exchange, path, progress);
    const compiled = progress.compiled as Compiled;
    const user = await authenticate(exchange, compiled.operation, progress);
    authorise(user, compiled.operation, 'operation');
    const as = negotiate(exchange, compiled, match);
    progress.as = as;
    const input = await decode(exchange, compiled, match, progress);
    const outcome = await answer(exchange, compiled, match, progress, input, as);
    return encode(exchange, compiled, progress, outcome, as);
  }

  function route(exchange: Exchange, path: string, progress: Progress): RouteMatch {
    const found = routes.findPath(path);
    // Where a path belongs to one operation, its fault document answers for what is wrong with the query string too.
    const [first] = found;
    const only = found.every((each) => each.entry.operation === first?.entry.operation);
    if (only && first !== undefined) {
      const { operation, uri } = first.entry;
      takeUp(progress, { operation, uri, raw: first.raw });
    }
    const match = readQuery(() =>
      routes.pick(found, exchange.method, parseQueryString(exchange.query ?? '', limits.parameters)),
    );
    takeUp(progress, match);
    return match;
  }

  function readQuery(read: () => RouteMatch): RouteMatch {
    try {
      return read();
    } catch (error) {
      if (error instanceof TooManyParametersError) throw Fault.of('TOO_MANY_PARAMETERS', { limit: limits.parameters });
      if (error instanceof PercentError)
        throw Fault.of('BAD_ENCODING', { name: 'The query string', reason: error.message });
      throw error;
    }
  }

  function takeUp(progress: Progress, match: RouteMatch): void {
    progress.match = match;
    progress.compiled = operations.get(match.operation) as Compiled;
  }

  async function authenticate(exchange: Exchange, operation: Operation, progress: Progress): Promise<User | undefined> {
    if (operation.public) return undefined;
    const found = authenticator.authenticate(exchange.header('authorization'));
    const user = found instanceof Promise ? await found : found;
    progress.user = user;
    return user;
  }

  /** By Accept; a delivered service's own parameters come before that (field notes 1, json_resp). */
  function negotiate(exchange: Exchange, { binding, answerer }: Compiled, match: RouteMatch): Representation {
    const format = answerer.formatOf?.((name) => peek(match, name));
    if (format === undefined) return binding.negotiate(exchange.header('accept'));
    return binding.representations.find((each) => each.format === format) as Representation;
  }

  /** The form of a fault that came before the form was settled; a fault has some form whatever Accept says. */
  function formOfFault(exchange: Exchange, { compiled, match, as }: Progress): Representation | undefined {
    if (as !== undefined || compiled === undefined || match === undefined) return as;
    try {
      return negotiate(exchange, compiled, match);
    } catch {
      return compiled.binding.representations[0];
    }
  }

  async function decode(
    exchange: Exchange,
    compiled: Compiled,
    match: RouteMatch,
    progress: Progress,
  ): Promise<DocumentValue> {
    const input = await compiled.binding.readRequest(
      match.uri,
      match.raw,
      (name) => exchange.header(name),
      exchange.body(bodyLimits),
    );
    progress.input = input;
    return input;
  }

  function answer(
    exchange: Exchange,
    { operation, answerer, timeout }: Compiled,
    match: RouteMatch,
    progress: Progress,
    input: DocumentValue,
    as: Representation,
  ): Outcome | Promise<Outcome> {
    const { user } = progress;
    const facts = {
      operation,
      uriIndex: match.uri.index,
      requestId: exchange.requestId,
      user,
      gone: () => exchange.gone,
    };
    const call = new Call(ports, rows, facts);
    progress.call = call;
    const outcome = answerer.answer(input, call, as);
    if (timeout === undefined || !(outcome instanceof Promise)) return outcome;
    const late = (): Fault => {
      const fault = timedOut(operation);
      call.abort(fault);
      return fault;
    };
    return withinTime(outcome, timeout, late, giveUp);
  }

  function timedOut(operation: Operation): Fault {
    return Fault.of('TIMEOUT', { what: operation.id, seconds: limits.timeout / 1000 });
  }

  /** For code that runs outside onRequest: its onError, and the streams of attachments that a reply holds. */
  function inTime<T>(work: Promise<T>, operation: Operation): Promise<T> {
    return withinTime(work, limits.timeout, () => timedOut(operation));
  }

  async function encode(
    exchange: Exchange,
    compiled: Compiled,
    progress: Progress,
    outcome: Outcome,
    as: Representation,
  ): Promise<Response> {
    const { operation, binding, headers } = compiled;
    const facts = { operation, user: progress.user?.id };
    if (outcome.kind === 'bytes') {
      const { bytes } = outcome;
      const status = bytes.status ?? operation.status;
      const sent = (count: number, complete: boolean): void =>
        record(exchange, { ...facts, status, bytes: count, complete });
      return respondBytes(
        exchange,
        status,
        { ...headers, ...bytes.headers, 'X-Request-Id': exchange.requestId },
        bytes,
        sent,
        (error) => logFailure(exchange, progress, error, `${operation.id} could not be sent whole.`),
      );
    }
    const written = binding.writeReply(outcome.value, as, limits.body);
    const text = typeof written === 'string' ? written : await inTime(written, operation);
    const isEmpty = as.message.kind === 'none';
    const status = outcome.status ?? (isEmpty && operation.status === 200 ? 204 : operation.status);
    const reply: ReplyHeaders = { ...headers, ...outcome.headers, 'X-Request-Id': exchange.requestId };
    if (!isEmpty) reply['Content-Type'] = as.contentType;
    if (progress.call?.truncated) reply['Rows-Truncated'] = 'true';
    return respondText(exchange, status, reply, text, (count, complete) =>
      record(exchange, { ...facts, status, bytes: count, complete }),
    );
  }

  /** A fault in the caller's form: the operation's document, or problem details where no operation is known. */
  async function refuse(exchange: Exchange, progress: Progress, thrown: unknown): Promise<Response> {
    const { compiled, user } = progress;
    const as = formOfFault(exchange, progress);
    const fault = await spoken(exchange, progress, asFault(exchange, progress, thrown));
    const { contentType, text } =
      compiled === undefined || as === undefined
        ? { contentType: problemMediaType, text: problemText(fault, exchange.requestId) }
        : compiled.binding.writeFault(fault, as, exchange.requestId);
    const headers: ReplyHeaders = {
      ...compiled?.headers,
      ...fault.headers,
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': exchange.requestId,
    };
    return respondText(exchange, fault.status, headers, text, (bytes, complete) =>
      record(exchange, {
        operation: compiled?.operation,
        user: user?.id,
        status: fault.status,
        bytes,
        complete,
        fault: fault.code,
      }),
    );
  }

  /** What is not a fault is a defect of the gateway or of a handler: logged with its cause, told without it. */
  function asFault(exchange: Exchange, progress: Progress, thrown: unknown): Fault {
    if (!(thrown instanceof Fault) && exchange.gone.aborted) return Fault.of('ABANDONED', {});
    const fault = faultOf(thrown, progress.compiled?.operation.id ?? 'The request');
    if (fault.status >= 500 && (fault.cause !== undefined || fault.code === 'INTERNAL')) {
      logFailure(exchange, progress, fault.cause, fault.message);
    }
    return fault;
  }

  /** The handler's onError says what the caller reads, once its onRequest was entered. */
  async function spoken(exchange: Exchange, progress: Progress, fault: Fault): Promise<Fault> {
    const { compiled, input, call } = progress;
    const onError = compiled?.answerer.onError;
    if (onError === undefined || call === undefined || fault.code === 'ABANDONED') return fault;
    try {
      const said = (async () => onError(fault, input, call))();
      const text = await inTime(said, call.operation);
      if (typeof text !== 'string') throw new TypeError(`onError returned ${text === null ? 'null' : typeof text}`);
      return fault.saying(text);
    } catch (error) {
      logFailure(exchange, progress, error, `onError of ${call.operation.id} failed.`);
      return fault;
    }
  }

  function logFailure(exchange: Exchange, { compiled, user }: Progress, error: unknown, message: string): void {
    const facts = { requestId: exchange.requestId, operation: compiled?.operation.id, user: user?.id };
    ports.log.error({ ...facts, err: error }, message);
  }

  return {
    async serve(exchange, path) {
      const progress: Progress = {};
      try {
        return await serve(exchange, path, progress);
      } catch (thrown) {
        return refuse(exchange, progress, thrown);
      }
    },
    allowed: (path) => routes.allowed(routes.findPath(path)),
  };
}

/** A fault as it is, unless code gave it headers that can't be sent. */
function faultOf(thrown: unknown, operation: string): Fault {
  let cause = thrown;
  try {
    if (thrown instanceof Fault) {
      checkHeaders(thrown.headers);
      return thrown;
    }
  } catch (error) {
    cause = error;
  }
  return Fault.of('INTERNAL', { operation }, { cause });
}

/** Frees an outcome that came too late for anybody. */
function giveUp(outcome: Outcome): void {
  if (outcome.kind === 'bytes') outcome.bytes.dispose?.();
}

/** A variable's text as it came, where it can be read; nothing is checked here. */
function peek({ uri, raw }: RouteMatch, name: string): string | undefined {
  const index = uri.variables.findIndex((variable) => variable.field.name === name);
  const found = raw[index];
  const text = typeof found === 'string' ? found : found?.[0];
  return text === undefined || text.includes('%') ? undefined : text;
}
