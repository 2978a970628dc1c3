import type { FormLimits, OpenedForm } from '../../binding/form/read-form.ts';
import { type Representation, writeProblem } from '../../binding/rest/rest.ts';
import type { Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome, PassedBytes } from '../../model/handler.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { isRequestScheme } from '../../model/security.ts';
import { emptyStatus, type Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { parseQueryString } from '../../wire/query-string.ts';
import { after, attempt } from '../../wire/waiting.ts';
import { begun, type Call } from '../answer/call.ts';
import { type BodyDigest, type BodyLimits, wholeLimit, withinTime } from '../exchange/body.ts';
import { type Exchange, type Mounts, type ReplyHeaders, readingQuery } from '../exchange/exchange.ts';
import { comparable, digestOf } from '../exchange/once.ts';
import { timedOut, type WrittenFault } from '../exchange/refuse.ts';
import { isBodiless, respondBytes, respondCoded, withHeaders } from '../exchange/respond.ts';
import { checkCodings, select } from '../exchange/select.ts';
import type { CallProgress, Compiled } from '../operations.ts';
import { findContract, type PlainRoutes } from '../plain-routes.ts';
import { type ConnectorPorts, disposeOf, headerOf, type Stages } from '../stages.ts';
import { compileRoutes, type RouteMatch, type RouteTable } from './routes.ts';

export interface RestPorts extends ConnectorPorts {
  readonly operations: ReadonlyMap<Operation, Compiled>;
  readonly stages: Stages;
  /** Keeps the files of forms until they are read. */
  readonly spool: Spool;
}

/**
 * The REST connector: everything below `/<context>/RESTListeningConnector/`, by paths relative to it. Every active
 * operation is compiled when the connector is created, so a request only uses compiled data.
 */
class RestConnector {
  readonly #ports: RestPorts;
  readonly #routes: RouteTable;
  readonly #bodyLimits: BodyLimits;
  /** For bodies that are a single stream of content, such as an attachment. */
  readonly #contentLimits: BodyLimits;
  /** For bodies with a part for each field, some of which are files. */
  readonly #formLimits: BodyLimits;
  readonly #partLimits: FormLimits;
  readonly #compresses: boolean;
  /** Operations that accept signatures of whole requests. */
  readonly #signed: ReadonlySet<Operation>;

  constructor(ports: RestPorts) {
    this.#ports = ports;
    this.#routes = compileRoutes(ports.registry);
    const { body, attachment, attachments, parameters } = ports.registry.gateway.limits;
    const { pace } = ports;
    const codings = ports.registry.gateway.requestEncodings;
    this.#formLimits = { ...wholeLimit(ports.registry.gateway.limits), pace, codings };
    this.#partLimits = { body, attachment, attachments, parameters };
    this.#compresses = ports.registry.gateway.compress.rest;
    this.#signed = new Set([...ports.operations.keys()].filter(({ requires }) => requires.some(isRequestScheme)));
    this.#bodyLimits = { size: body, key: '`limits.body`', pace, codings };
    this.#contentLimits = { size: attachment, key: '`limits.attachment`', pace, codings };
  }

  /** Answers one exchange; neither throws nor rejects. */
  serve(exchange: Exchange, path: string): Response | Promise<Response> {
    const { stages } = this.#ports;
    const progress: Progress = {};
    return attempt(
      () => stages.inTime(exchange, () => this.#spine(exchange, path, progress)),
      (thrown) => {
        const refused = stages.refuse(exchange, progress, thrown, writeFault(exchange, progress));
        return progress.files === undefined ? refused : refused.finally(() => progress.files?.close());
      },
    );
  }

  /** Methods that a path allows, and headers that name the media types of their requests. @throws Fault NOT_FOUND */
  allowed(path: string): { readonly methods: readonly string[]; readonly headers: Readonly<Record<string, string>> } {
    const found = this.#routes.findPath(path);
    return { methods: this.#routes.allowed(found), headers: this.#routes.accepted(found) };
  }

  /**
   * The stages of a call, in their order:
   *
   * 1. route: the operation and the URI that path and method mean
   * 2. arrive: what is refused before anything is asked, as rates by address
   * 3. authenticate: who calls; a signed body is kept for that
   * 4. admit: whether the caller may, and whether there is room
   * 5. negotiate: the representation of the reply
   * 6. name: the request's key, where it must not be answered twice
   * 7. decode: the request by its document, while its files still stream
   * 8. begin, where it has a key: a second one gets the reply of the first
   * 9. answer, then encode
   *
   * Each stage returns a value or a promise of one. `after` goes on at once with a value: a call that waits for nothing takes no
   * turn of the event loop.
   */
  #spine(exchange: Exchange, path: string, progress: Progress): Response | Promise<Response> {
    const { stages } = this.#ports;
    const match = this.#route(exchange, path, progress);
    const compiled = progress.compiled as Compiled;
    if (exchange.trace.span !== undefined) exchange.route = this.#routeOf(match);
    const arrived = stages.arrive(exchange, compiled.operation);
    // Set before credentials are looked at: a signed body is part of them.
    if (this.#signed.has(compiled.operation)) exchange.content = () => exchange.keepBody(this.#bodyLimits);
    const found = after(arrived, () => stages.authenticate(exchange, compiled.operation));
    const admitted = after(found, (caller) => stages.admit(exchange, progress, compiled, caller));
    const as = after(admitted, () => this.#negotiate(exchange, progress, compiled, match));
    return after(as, (representation) => {
      if (compiled.once !== undefined) this.#name(exchange, progress, compiled, match);
      const read = this.#decode(exchange, progress, compiled, match);
      const facts = { uriIndex: match.uri.index, as: representation.format };
      const answer = (input: DocumentValue): Outcome | Promise<Outcome> =>
        stages.answer(exchange, progress, compiled, input, facts);
      const encode = (outcome: Outcome): Response | Promise<Response> =>
        progress.files === undefined
          ? this.#encode(exchange, progress, compiled, outcome, representation)
          : this.#encodeAfter(progress.files, exchange, progress, compiled, outcome, representation);
      if (progress.once === undefined) return after(after(read, answer), encode);
      return after(read, (input) =>
        after(stages.begin(progress, compiled, input), (first) =>
          first === undefined
            ? after(answer(input), encode)
            : stages.repeat(exchange, progress, compiled, first, this.#compresses),
        ),
      );
    });
  }

  #name(exchange: Exchange, progress: Progress, compiled: Compiled, match: RouteMatch): void {
    const { method, path, query = '' } = exchange;
    this.#ports.stages.name(exchange, progress, compiled, {
      connector: 'rest',
      digest: () => digestOf(method, path, query, typeOfBody(exchange, match)),
      readOn: async (digest) => {
        // The digest of a form is that of its values: it has another boundary when it is sent again.
        if (match.operation.form === 'multipart') return;
        const body = exchange.body({ ...this.#limitsOf(match), digest });
        for await (const _ of body.attachment('').stream());
      },
    });
  }

  #limitsOf(match: RouteMatch): BodyLimits {
    if (match.operation.form === 'multipart') return this.#formLimits;
    return isContent(match) ? this.#contentLimits : this.#bodyLimits;
  }

  #route(exchange: Exchange, path: string, progress: Progress): RouteMatch {
    const found = this.#routes.findPath(path);
    // If a path belongs to one operation, errors in the query string are also reported in its fault document.
    const [first] = found;
    const only = found.every((each) => each.entry.operation === first?.entry.operation);
    if (only && first !== undefined) {
      const { operation, uri } = first.entry;
      this.#takeUp(progress, { operation, uri, raw: first.raw, unknown: [] });
    }
    const { parameters } = this.#ports.registry.gateway.limits;
    const match = readingQuery(parameters, () =>
      this.#routes.pick(found, exchange.method, parseQueryString(exchange.query ?? '', parameters)),
    );
    this.#takeUp(progress, match);
    return match;
  }

  #takeUp(progress: Progress, match: RouteMatch): void {
    progress.match = match;
    progress.compiled = this.#ports.operations.get(match.operation) as Compiled;
  }

  /** The path of a template. Its query may follow in a variable: `{?maxrows}`. */
  #routeOf({ operation, uri }: RouteMatch): string {
    const { context } = this.#ports.registry.gateway;
    const [path = ''] = uri.template.text.split(/\?|\{[?&]/, 1);
    return `/${context}/RESTListeningConnector/${operation.pathName}.${operation.service.version}/${path}`;
  }

  /** @throws Fault NOT_ACCEPTABLE, CODING_NOT_ACCEPTABLE */
  #negotiate(exchange: Exchange, progress: Progress, compiled: Compiled, match: RouteMatch): Representation {
    const as = negotiate(exchange, compiled, match);
    progress.as = as;
    checkCodings(exchange, this.#compresses);
    return as;
  }

  #decode(
    exchange: Exchange,
    progress: Progress,
    { binding }: Compiled,
    match: RouteMatch,
  ): DocumentValue | Promise<DocumentValue> {
    const { uri, raw, unknown, operation } = match;
    const digest = progress.once?.digest;
    const usual = this.#limitsOf(match);
    const header = (name: string): string | undefined => headerOf(exchange, name);
    const opened = (form: OpenedForm): void => {
      progress.files = form;
    };
    const form = { limits: this.#partLimits, spool: this.#ports.spool, opened };
    if (operation.form !== 'multipart') {
      const body = exchange.body(digest === undefined ? usual : { ...usual, digest });
      const whole = operation.form === undefined ? body : { ...body, form };
      return binding.readRequest(uri, { raw, unknown }, header, whole);
    }
    const read = binding.readRequest(uri, { raw, unknown }, header, { ...exchange.body(usual), form });
    return digest === undefined ? read : after(read, (input) => digestedForm(input, digest));
  }

  /** Answers a form once its rest is read, and frees its files. */
  async #encodeAfter(
    form: OpenedForm,
    exchange: Exchange,
    progress: Progress,
    compiled: Compiled,
    outcome: Outcome,
    as: Representation,
  ): Promise<Response> {
    try {
      await form.finish();
    } catch (error) {
      disposeOf(outcome);
      throw error;
    }
    return this.#encode(exchange, progress, compiled, outcome, as);
  }

  #encode(
    exchange: Exchange,
    progress: Progress,
    compiled: Compiled,
    outcome: Outcome,
    as: Representation,
  ): Response | Promise<Response> {
    const { operation, binding } = compiled;
    const given = outcome.kind === 'bytes' ? outcome.bytes : outcome;
    const isEmpty = outcome.kind === 'value' && as.message.kind === 'none';
    const status = given.status ?? (isEmpty ? emptyStatus(operation) : operation.status);
    const headers = withHeaders(compiled.headers, given.headers);
    if (progress.call?.truncated) headers['Rows-Truncated'] = 'true';
    if (outcome.kind === 'bytes') return this.#sendBytes(exchange, progress, compiled, outcome, status, headers);
    if (outcome.segments !== undefined) throw new TypeError(`${operation.id}: a reply over REST has no segments`);
    if (as.format === 'multipart' && !isEmpty) {
      const { contentType, length, bytes: body } = binding.writeForm(outcome.value, as);
      const sent = { kind: 'bytes', bytes: { contentType, length, body } } as const;
      return this.#sendBytes(exchange, progress, compiled, sent, status, headers);
    }
    const { body, timeout } = this.#ports.registry.gateway.limits;
    const written = binding.writeReply(outcome.value, as, body);
    if (!isEmpty) headers['Content-Type'] = as.contentType;
    const respond = (text: string): Response | Promise<Response> => {
      const content = { contentType: as.contentType, length: Buffer.byteLength(text) };
      const selected = select(exchange, status, headers, content, this.#compresses && !isEmpty);
      const { sent } = this.#ports.stages.leave(exchange, progress, compiled, selected.status, outcome);
      return respondCoded(exchange, selected.status, headers, text, sent, selected.coding);
    };
    const { once } = progress;
    const keep = (text: string): Response | Promise<Response> =>
      once === undefined ? respond(text) : once.keep(status, headers, text).then(() => respond(text));
    if (typeof written === 'string') return keep(written);
    return withinTime(written, timeout, () => timedOut(operation.id, timeout)).then(keep);
  }

  #sendBytes(
    exchange: Exchange,
    progress: Progress,
    compiled: Compiled,
    outcome: Extract<Outcome, { kind: 'bytes' }>,
    declared: number,
    headers: ReplyHeaders,
  ): Response | Promise<Response> {
    const { bytes } = outcome;
    if (bytes.contentType !== '') headers['Content-Type'] = bytes.contentType;
    const { once } = progress;
    if (once?.isOpen === true) {
      const kept = once.keepBytes(declared, headers, bytes);
      const send = (read: PassedBytes): Response | Promise<Response> =>
        this.#sendBytes(exchange, progress, compiled, { ...outcome, bytes: read }, declared, headers);
      return kept.then(send, (error) => {
        disposeOf(outcome);
        throw error;
      });
    }
    const { status, coding, range } = disposing(outcome, () =>
      select(exchange, declared, headers, bytes, this.#compresses),
    );
    const { sent, failed } = this.#ports.stages.leave(exchange, progress, compiled, status, outcome);
    if (bytes.body instanceof Uint8Array && coding !== undefined) {
      bytes.dispose?.();
      return respondCoded(exchange, status, headers, bytes.body, sent, coding);
    }
    const respond = (part: PassedBytes): Response =>
      respondBytes(exchange, status, headers, { ...part, coding }, sent, failed);
    const { stored } = bytes;
    if (stored === undefined || isBodiless(exchange, status)) return respond(bytes);
    // The bytes before a range are not read.
    const part = range === undefined ? bytes : { ...bytes, length: range.length, body: () => stored.stream(range) };
    return begun(part, progress.call as Call).then(respond);
  }
}

/** What a repeated call has in Content-Type again. */
function typeOfBody(exchange: Exchange, { operation }: RouteMatch): string {
  return operation.form === 'multipart' ? 'multipart/form-data' : (exchange.header('content-type') ?? '');
}

/** A form whose values are part of the digest of its call. */
function digestedForm(input: DocumentValue, digest: BodyDigest): DocumentValue {
  digest.update(Buffer.from(JSON.stringify(input, comparable)));
  digest.end();
  return input;
}

/** Runs `make`, and frees the outcome if that fails. */
function disposing<T>(outcome: Outcome, make: () => T): T {
  try {
    return make();
  } catch (error) {
    disposeOf(outcome);
    throw error;
  }
}

/** The operation's fault document, or problem details when no operation is known. */
function writeFault(exchange: Exchange, progress: Progress): (fault: Fault) => WrittenFault {
  const { requestId } = exchange;
  const as = formOfFault(exchange, progress);
  const { compiled } = progress;
  if (compiled === undefined || as === undefined) return (fault) => writeProblem(fault, requestId);
  return (fault) => compiled.binding.writeFault(fault, as, requestId);
}

/** Whether a request's body is binary content, which is passed on as a stream and never buffered. */
function isContent({ operation, uri }: RouteMatch): boolean {
  if (operation.body !== 'raw') return false;
  const [field] = uri.body;
  return field === undefined
    ? operation.request.kind === 'raw' && operation.request.raw === 'binary'
    : primitiveOf(field.type) === 'binary';
}

/** The REST connector, with the contracts of its services. */
export function mountRest(app: Mounts, ports: RestPorts, routes: PlainRoutes): void {
  const { context, id, compress } = ports.registry.gateway;
  const rest = new RestConnector(ports);
  const connector = 'RESTListeningConnector';
  const prefix = `/${context}/${connector}/`;
  const ofNode = `${id}/`;
  app.connect(connector, (exchange) => {
    if (!exchange.path.startsWith(prefix)) throw Fault.of('NOT_FOUND', { what: 'such path' });
    const path = exchange.path.slice(prefix.length);
    // A contract is directly below the connector, or below the name of the local node.
    const below = path.startsWith(ofNode) ? path.slice(ofNode.length) : path;
    exchange.cors = routes.cors.headers(exchange, firstSegment(below));
    const contract = below.includes('/') ? undefined : findContract(routes, exchange, below, compress.rest);
    if (contract !== undefined) return contract();
    if (exchange.method === 'OPTIONS') {
      const { methods, headers } = rest.allowed(path);
      return routes.tellAllowed(exchange, methods, headers);
    }
    return rest.serve(exchange, path);
  });
}

function firstSegment(path: string): string {
  const end = path.indexOf('/');
  return end < 0 ? path : path.slice(0, end);
}

/** The known facts about a REST call. */
interface Progress extends CallProgress {
  match?: RouteMatch;
  as?: Representation;
  /** The files of its request. */
  files?: OpenedForm;
}

/**
 * The format of the reply, by Accept; the parameters of a delivered service take precedence (field notes 1, json_resp).
 * @throws Fault NOT_ACCEPTABLE
 */
function negotiate(exchange: Exchange, { binding, answerer }: Compiled, match: RouteMatch): Representation {
  const accept = exchange.header('accept');
  const format = answerer.formatOf?.((name) => peek(match, name), { uriIndex: match.uri.index, accept });
  if (format === undefined) return binding.negotiate(accept);
  const isMeant = (each: Representation): boolean =>
    each.format === format || each.contentType.startsWith(`${format};`);
  return binding.representations.find(isMeant) as Representation;
}

/** The format of a fault that occurred before the format was negotiated. A fault always has one, whatever Accept contains. */
function formOfFault(exchange: Exchange, { compiled, match, as }: Progress): Representation | undefined {
  if (as !== undefined || compiled === undefined || match === undefined) return as;
  try {
    return negotiate(exchange, compiled, match);
  } catch {
    return compiled.binding.representations[0];
  }
}

/** The text of a variable as it was sent, if readable; nothing is validated here. */
function peek({ uri, raw }: RouteMatch, name: string): string | undefined {
  const index = uri.variables.findIndex((variable) => variable.field.name === name);
  const found = raw[index];
  const text = typeof found === 'string' ? found : found?.[0];
  return text === undefined || text.includes('%') ? undefined : text;
}
