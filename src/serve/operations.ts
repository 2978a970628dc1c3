import { compileRest, type RestBinding } from '../binding/rest/rest.ts';
import { withOriginalBody } from '../binding/soap/original.ts';
import { compileSoap, type SoapProvider } from '../binding/soap/soap.ts';
import { compileSecrets, type ReadSecrets } from '../codec/redact/declared.ts';
import { originalBodies } from '../delivered/index.ts';
import type { Operation, SoapForm } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Caller } from '../security/port.ts';
import { compileAnswer } from './answer/answer.ts';
import type { Answerer, AnswerPorts, Call, Handlers } from './answer/call.ts';
import type { ReplyHeaders } from './exchange/exchange.ts';
import { operationHeaders } from './exchange/respond.ts';
import { requestFields } from './log/payload.ts';

/** A compiled operation: everything needed to call it. */
export interface Compiled {
  readonly operation: Operation;
  readonly binding: RestBinding;
  /** Its SOAP form, if it has one. */
  readonly soap?: SoapProvider;
  /** The caller uses the shapes of the original, and `soap` is their form. */
  readonly original?: true;
  readonly answerer: Answerer;
  /** Reads the sensitive values of a request; `undefined` when no field is sensitive. */
  readonly secrets: ReadSecrets | undefined;
  /** Headers of every reply, in addition to those of the reply itself. */
  readonly headers: ReplyHeaders;
  /** Time limit of the answer in milliseconds; `undefined` when it limits its own time. */
  readonly timeout: number | undefined;
}

/** The known facts about a call. The reply for a fault uses whatever is known. */
export interface CallProgress {
  compiled?: Compiled;
  caller?: Caller;
  input?: DocumentValue;
  call?: Call;
}

function hasSoap(operation: Operation): operation is Operation & { readonly soap: SoapForm } {
  return operation.soap !== undefined;
}

/** Stored queries, the package's own handlers and calls with a declared time-out limit their own time. */
function hasClock({ answer }: Operation): boolean {
  if (answer.kind !== 'call') return answer.kind !== 'handler' && answer.kind !== 'component';
  const calls = 'steps' in answer.call ? answer.call.steps : [{ operation: answer.call, timeout: undefined }];
  return calls.some(
    ({ operation, timeout = operation.timeout ?? operation.target.timeouts.call }) => timeout !== undefined,
  );
}

function compileBinding(operation: Operation, namespace: string): RestBinding {
  const binding = compileRest(operation, namespace);
  const shape = operation.service.delivered ? originalBodies.get(operation.id) : undefined;
  return shape === undefined ? binding : withOriginalBody(binding, operation, shape);
}

/** What takes the place of an operation's answer: nothing of the project then answers it. */
export interface Replacement {
  readonly answerer: Answerer;
  /** Reads and writes its REST messages, in place of its own binding. */
  readonly binding?: RestBinding;
}

/** Compiles every active operation. */
export function compileOperations(
  ports: AnswerPorts & {
    readonly handlers: Handlers;
    readonly replaced?: ((operation: Operation) => Replacement) | undefined;
  },
): ReadonlyMap<Operation, Compiled> {
  const { namespace, limits } = ports.registry.gateway;
  const active = [...ports.registry.operations.values()].filter((operation) => operation.active);
  return new Map(
    active.map((operation) => {
      const replaced = ports.replaced?.(operation);
      const compiled = {
        operation,
        binding: replaced?.binding ?? compileBinding(operation, namespace),
        ...(hasSoap(operation) ? { soap: compileSoap(operation, namespace) } : {}),
        answerer: replaced?.answerer ?? compileAnswer(operation, ports.handlers, ports),
        secrets: compileSecrets(requestFields(operation)),
        headers: operationHeaders(operation),
        timeout: hasClock(operation) && replaced === undefined ? undefined : limits.timeout,
      };
      return [operation, compiled];
    }),
  );
}
