import { compileRest, type Representation, type RestBinding } from '../../binding/rest.ts';
import { compileSoap, type SoapBinding } from '../../binding/soap.ts';
import { compileSecrets, type ReadSecrets } from '../../codec/redact/secrets.ts';
import type { Operation, SoapForm } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/port.ts';
import { type Answerer, type AnswerPorts, compileAnswer, type Handlers } from '../answer/answer.ts';
import type { Call } from '../answer/call.ts';
import { requestFields } from '../log/payload.ts';
import type { RouteMatch } from '../routes.ts';
import type { Exchange } from './exchange.ts';
import { operationHeaders } from './headers.ts';
import type { ReplyHeaders } from './respond.ts';

/** One operation with everything that a call of it needs, closed over. */
export interface Compiled {
  readonly operation: Operation;
  readonly binding: RestBinding;
  /** Where it has a SOAP form. */
  readonly soap?: SoapBinding;
  readonly answerer: Answerer;
  /** What is sensitive in a request; undefined where nothing is. */
  readonly secrets: ReadSecrets | undefined;
  /** Headers of every reply, beside those of the reply itself. */
  readonly headers: ReplyHeaders;
  /** The time that the answer may take, in milliseconds; undefined where it has a clock of its own. */
  readonly timeout: number | undefined;
}

/** What is known of a call so far; a fault's reply is as good as that allows. */
export interface CallProgress {
  compiled?: Compiled;
  caller?: Caller;
  input?: DocumentValue;
  call?: Call;
}

/** The same over REST. */
export interface Progress extends CallProgress {
  match?: RouteMatch;
  as?: Representation;
}

function hasSoap(operation: Operation): operation is Operation & { readonly soap: SoapForm } {
  return operation.soap !== undefined;
}

/** Stored queries have one, the package's own handlers, and calls to other systems that say how long they may take. */
function hasClock({ answer }: Operation): boolean {
  if (answer.kind !== 'call') return answer.kind !== 'handler' && answer.kind !== 'component';
  const calls = 'steps' in answer.call ? answer.call.steps : [{ operation: answer.call, timeout: undefined }];
  return calls.some(
    ({ operation, timeout = operation.timeout ?? operation.target.timeouts.call }) => timeout !== undefined,
  );
}

/** Compiles every active operation. */
export function compileOperations(
  ports: AnswerPorts & { readonly handlers: Handlers },
): ReadonlyMap<Operation, Compiled> {
  const { namespace, limits } = ports.registry.gateway;
  const active = [...ports.registry.operations.values()].filter((operation) => operation.active);
  return new Map(
    active.map((operation) => [
      operation,
      {
        operation,
        binding: compileRest(operation, namespace),
        ...(hasSoap(operation) ? { soap: compileSoap(operation, namespace) } : {}),
        answerer: compileAnswer(operation, ports.handlers, ports),
        secrets: compileSecrets(requestFields(operation)),
        headers: operationHeaders(operation),
        timeout: hasClock(operation) ? undefined : limits.timeout,
      },
    ]),
  );
}

/**
 * The form of the reply: by Accept; a delivered service's own parameters come before that (field notes 1, json_resp).
 * @throws Fault NOT_ACCEPTABLE
 */
export function negotiate(exchange: Exchange, { binding, answerer }: Compiled, match: RouteMatch): Representation {
  const format = answerer.formatOf?.((name) => peek(match, name));
  if (format === undefined) return binding.negotiate(exchange.header('accept'));
  return binding.representations.find((each) => each.format === format) as Representation;
}

/** The form of a fault that came before the form was settled; a fault has some form whatever Accept says. */
export function formOfFault(exchange: Exchange, { compiled, match, as }: Progress): Representation | undefined {
  if (as !== undefined || compiled === undefined || match === undefined) return as;
  try {
    return negotiate(exchange, compiled, match);
  } catch {
    return compiled.binding.representations[0];
  }
}

/** A variable's text as it came, where it can be read; nothing is checked here. */
function peek({ uri, raw }: RouteMatch, name: string): string | undefined {
  const index = uri.variables.findIndex((variable) => variable.field.name === name);
  const found = raw[index];
  const text = typeof found === 'string' ? found : found?.[0];
  return text === undefined || text.includes('%') ? undefined : text;
}
