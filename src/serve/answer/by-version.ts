import { type Format, placeIn, reading } from '../../binding/message.ts';
import { CodecError, compileArrival, type Step, shown } from '../../codec/index.ts';
import { compileSecrets } from '../../codec/redact/declared.ts';
import { requestFields } from '../../messaging/run/index.ts';
import type { Document } from '../../model/document.ts';
import { type ErrorPlace, Fault, type RequestError } from '../../model/fault.ts';
import { type Field, type FieldType, singleType } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import { isSameForm } from '../../model/mapping.ts';
import { PAGE_VARIABLES } from '../../model/query.ts';
import { finalAnswer, type Operation, replyForms, type VersionAnswer, type VersionReply } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { inSpan } from '../../trace/trace.ts';
import { messageFor } from './by-call.ts';
import { compilePath } from './by-component.ts';
import type { Answerer, AnswerPorts, Call } from './call.ts';
import { compileMapping, sourceOf } from './mapped.ts';

/**
 * `call: OPERATION` of this gateway: its answer, with the caller, the time and the connection of the call that arrived. Its
 * request is checked as one that arrives there, and its faults are those of the operation that was called.
 * @param compile compiles the answer of an operation
 */
export function answerByVersion(
  operation: Operation,
  version: VersionAnswer,
  ports: Pick<AnswerPorts, 'base'>,
  compile: (operation: Operation) => Answerer,
): Answerer {
  const { operation: other } = version;
  const final = finalAnswer(other);
  const convert = compileMapping(version.request);
  // A component checks the records that it saves.
  const check = final.kind === 'component' ? (value: DocumentValue) => value : compileArrival(version.input);
  const replies = new Map(
    version.replies.map((reply) => [reply.message, compileReply(operation, other, reply, compile)]),
  );
  // Over SOAP a message that is accepted has no reply.
  const [accepted] = replies.values();
  const secretsIn = compileSecrets(requestFields(other));
  const headersOf = compileHeaders(operation, version, ports);
  const isCode = final.kind === 'handler';

  const inputOf = (input: DocumentValue, call: Call, as: Format): DocumentValue => {
    const converted = convert(input);
    try {
      return check(converted);
    } catch (error) {
      throw faultOfInput(error, version, { operation, call, as });
    }
  };
  return {
    answer(input, call, as) {
      const reply = replies.get(messageFor(operation, as)) ?? accepted;
      if (reply === undefined) throw new TypeError(`${operation.id} has no reply that ${other.id} fills`);
      return inSpan(
        () => ({ name: `call ${other.id}`, kind: 'internal', attributes: { 'signalbox.operation': other.id } }),
        async () => {
          call.authoriseOperation(other);
          const given = inputOf(input, call, as);
          const inner = call.delegate(other, given, secretsIn?.(given) ?? []);
          try {
            const outcome = await reply.answer(given, inner, as);
            return headersOf(outcome, reply.convert(outcome), { input, call });
          } catch (error) {
            throw error instanceof Fault ? placed(error, version, { operation, call, as }) : error;
          }
        },
      );
    },
    ...(isCode ? { onError: onErrorOf(version, convert, compile(other)) } : {}),
  };
}

/** The words of the other operation's code for a fault. */
function onErrorOf(
  { operation }: VersionAnswer,
  convert: (value: DocumentValue) => DocumentValue,
  { onError }: Answerer,
): NonNullable<Answerer['onError']> {
  return (fault, input, call) => {
    // It words what happens from its code on.
    const inner = call.delegated(operation);
    return inner === undefined || onError === undefined
      ? fault.message
      : onError(fault, input && convert(input), inner);
  };
}

interface CompiledReply {
  answer(input: DocumentValue, call: Call, as: Format): Outcome | Promise<Outcome>;
  convert(outcome: Outcome): Outcome;
}

/** How one message of the reply is answered. */
function compileReply(
  operation: Operation,
  other: Operation,
  { message, from, mapping }: VersionReply,
  compile: (operation: Operation) => Answerer,
): CompiledReply {
  // Rows of a query are written in the form of the own reply, while they are read, if nothing in them changes.
  if (finalAnswer(other).kind === 'query' && mapping !== undefined && isSameForm(mapping) && !isPaged(other)) {
    const { answer } = compile({ ...operation, answer: other.answer });
    return { answer, convert: (outcome) => outcome };
  }
  const { answer } = compile(other);
  const convert = mapping === undefined ? undefined : compileMapping(mapping);
  return {
    answer: (input, call, as) => answer(input, call, formOf(other, from, as)),
    convert(outcome) {
      if (message.kind === 'none') return emptied(outcome);
      if (convert === undefined) return outcome;
      if (outcome.kind === 'bytes') {
        // Such as the reply of a message that is still awaited.
        if (outcome.bytes.contentType === '' && outcome.bytes.length === 0) return outcome;
        outcome.bytes.dispose?.();
        throw new TypeError(`${other.id} answers in bytes, where ${operation.id} needs its document`);
      }
      return typeof outcome.value === 'string' ? outcome : { ...outcome, value: convert(outcome.value) };
    },
  };
}

/** An operation without a response has none, whatever the other one answers. */
function emptied(outcome: Outcome): Outcome {
  if (outcome.kind === 'value') return { ...outcome, value: {} };
  outcome.bytes.dispose?.();
  const { status, headers } = outcome.bytes;
  return {
    kind: 'value',
    value: {},
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function isPaged(operation: Operation): boolean {
  const answer = finalAnswer(operation);
  return answer.kind === 'query' && answer.paging !== undefined;
}

/** The form in which the other operation answers with a value rather than with bytes of its own. */
function formOf(other: Operation, from: VersionReply['from'], as: Format): Format {
  // A query writes rows as JSON, as XML and as files; in this form they are values.
  if (finalAnswer(other).kind === 'query') return as === 'csv' || as === 'xlsx' ? as : 'psnonxml';
  if (as === 'soap' && (other.soap !== undefined || from.kind === 'raw')) return 'soap';
  return replyForms(other).find(({ message }) => message === from)?.format ?? 'json';
}

/** What is known about the call that arrived. */
interface Arrived {
  readonly operation: Operation;
  readonly call: Call;
  readonly as: Format;
}

/**
 * A value that the other operation does not take: an error of the caller, named as the caller knows it. What the definitions fill
 * in is not.
 */
function faultOfInput(error: unknown, version: VersionAnswer, arrived: Arrived): unknown {
  if (!(error instanceof CodecError)) return error;
  const { operation } = version;
  const own = [error, ...error.others].flatMap(({ steps, reason }): CodecError[] => {
    const source = sourceOf(version.request, steps.map(nameOf));
    return source === undefined ? [] : [new CodecError(pathOf(source), reason, source)];
  });
  const [first, ...others] = own;
  if (first === undefined) return new TypeError(`the request of ${operation.id} can't be filled: ${error.message}`);
  try {
    for (const each of others) first.addOthers(each);
    reading(
      () => {
        throw first;
      },
      undefined,
      ({ steps }) => placeOf(steps, arrived),
    );
  } catch (fault) {
    return fault;
  }
  return first;
}

/** A step by a key that names a field. */
const nameOf = (step: Step): Step => (typeof step === 'object' ? step.key : step);

function pathOf(steps: readonly Step[]): string {
  return steps.map(shown).reduce((path, step) => `${path}${path === '' || step.startsWith('[') ? '' : '.'}${step}`, '');
}

/** The place of a value in the request that arrived. */
function placeOf(steps: readonly Step[], { operation, call, as }: Arrived): ErrorPlace {
  const [name] = steps;
  const uri = as === 'soap' ? undefined : operation.uris.find(({ index }) => index === call.uriIndex);
  const variable = uri?.variables.find(({ field }) => field.name === name);
  if (variable !== undefined) return { parameter: variable.wireName };
  const header = as === 'soap' ? undefined : operation.requestHeaders.find(({ field }) => field.name === name)?.header;
  if (header !== undefined) return { header };
  const document = operation.request.kind === 'document' ? operation.request.document : undefined;
  return placeIn(document)(new CodecError(pathOf(steps), '', steps));
}

/** A fault with the places in the request that arrived; those that it does not have are left out. */
function placed(fault: Fault, version: VersionAnswer, arrived: Arrived): Fault {
  if (fault.errors.length === 0) return fault;
  const errors = fault.errors.map(({ detail, ...at }): RequestError => {
    const steps = stepsOf(at, version);
    const source = steps && sourceOf(version.request, steps);
    return source === undefined ? { detail } : { detail, ...placeOf(source, arrived) };
  });
  return fault.saying(fault.message, fault.detail, errors);
}

/** The steps to a place in the request of the other operation. */
function stepsOf({ pointer, parameter, header }: ErrorPlace, { operation, input }: VersionAnswer): Step[] | undefined {
  if (pointer === undefined) {
    const field =
      header === undefined
        ? operation.uris.flatMap(({ variables }) => variables).find(({ wireName }) => wireName === parameter)?.field
        : operation.requestHeaders.find((each) => each.header.toLowerCase() === header.toLowerCase())?.field;
    return field && [field.name];
  }
  const tokens = pointer
    .slice(1)
    .split('/')
    .slice(1)
    .map((token) => decoded(token));
  const root = operation.request.kind === 'document' ? operation.request.document : undefined;
  if (root?.root === true && tokens[0] === root.id) tokens.shift();
  const steps: Step[] = [];
  let inside: Pick<Document, 'fields'> | undefined = input;
  for (const token of tokens) {
    const field: Field | undefined = inside?.fields.find(({ jsonName }) => jsonName === token);
    steps.push(field?.name ?? (/^\d+$/.test(token) ? Number(token) : token));
    const inner: FieldType | undefined = field && singleType(field.type);
    if (field !== undefined) inside = inner?.kind === 'document' ? inner.document : undefined;
  }
  return steps.length === 0 ? undefined : steps;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}

type Headers = (
  given: Outcome,
  made: Outcome,
  arrived: { readonly input: DocumentValue; readonly call: Call },
) => Outcome;

/** Addresses in headers that the gateway makes lead to the own service: those of a record, a message and the next page. */
function compileHeaders(operation: Operation, version: VersionAnswer, { base }: Pick<AnswerPorts, 'base'>): Headers {
  const final = finalAnswer(version.operation);
  const addressOf = (found: Operation, path: string): string =>
    `${base()}/RESTListeningConnector/${found.pathName}.${found.service.version}/${path}`;
  if (final.kind === 'query' && final.paging !== undefined) {
    const after = version.request.members.find(({ field }) => field.name === PAGE_VARIABLES.after)?.from;
    const name = after?.kind === 'field' ? after.path[0]?.name : undefined;
    const links = new Map(operation.uris.map((uri) => [uri.index, compilePath(uri)]));
    return (given, made, { input, call }) => {
      const next = given.kind === 'value' && typeof given.value !== 'string' ? given.value.next : undefined;
      const link = links.get(call.uriIndex);
      if (next === undefined || name === undefined || link === undefined) return withoutHeader(made, 'Link');
      const target = addressOf(operation, link({ ...input, [name]: next }));
      return withoutHeader(made, 'Link', `<${target}>; rel="next"`);
    };
  }
  if (final.kind !== 'queue' && final.kind !== 'component') return (_, made) => made;
  const reading = readerOf(operation, version.operation);
  const expand = reading === undefined ? undefined : compilePath(reading.uris[0]!);
  return (given, made) => {
    const { headers } = given.kind === 'value' ? given : given.bytes;
    if (headers?.Location === undefined) return made;
    const value = made.kind === 'value' && typeof made.value !== 'string' ? made.value : {};
    const isKnown = reading?.uris[0]?.variables.every(({ field }) => value[field.name] !== undefined);
    const address = isKnown === true && expand && reading ? addressOf(reading, expand(value)) : undefined;
    return withoutHeader(made, 'Location', address);
  };
}

/** The operation of the own service that reads what this one has made. */
function readerOf({ service }: Operation, other: Operation): Operation | undefined {
  const made = finalAnswer(other);
  return service.operations.find(({ answer, active, uris }) => {
    if (!active || uris.length === 0 || answer.kind !== 'version') return false;
    const final = finalAnswer(answer.operation);
    if (made.kind === 'queue') return final.kind === 'reply' && final.to === other.id;
    return (
      made.kind === 'component' &&
      final.kind === 'component' &&
      final.action === 'read' &&
      final.component.id === made.component.id
    );
  });
}

/** An outcome with another value of a header, or without it. */
function withoutHeader(outcome: Outcome, name: string, value?: string): Outcome {
  const change = (headers: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const { [name]: _, ...others } = headers;
    return value === undefined ? others : { ...others, [name]: value };
  };
  if (outcome.kind === 'value') return { ...outcome, headers: change(outcome.headers) };
  return { kind: 'bytes', bytes: { ...outcome.bytes, headers: change(outcome.bytes.headers) } };
}
