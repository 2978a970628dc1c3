import { compileRest, type RestBinding } from '../binding/rest/rest.ts';
import { withOriginalBody } from '../binding/soap/original.ts';
import { compileSoap, type SoapProvider } from '../binding/soap/soap.ts';
import { compileSecrets, type ReadSecrets } from '../codec/redact/declared.ts';
import { originalBodies } from '../delivered/index.ts';
import { requestFields } from '../messaging/run/index.ts';
import type { Once } from '../model/gateway.ts';
import { finalAnswer, type Operation, onceOf, type SoapForm } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Caller } from '../security/security-port.ts';
import { once } from '../wire/waiting.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { compileAnswer } from './answer/answer.ts';
import type { Answerer, AnswerPorts, Call, Handlers } from './answer/call.ts';
import type { ReplyHeaders } from './exchange/exchange.ts';
import type { NamedCall } from './exchange/once.ts';
import { operationHeaders } from './exchange/respond.ts';

/** An operation with everything needed to call it. */
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
  /** How repeated calls get the first answer; `undefined` if each one runs. */
  readonly once: Once | undefined;
}

/** The known facts about a call. The reply for a fault uses whatever is known. */
export interface CallProgress {
  compiled?: Compiled;
  caller?: Caller;
  input?: DocumentValue;
  call?: Call;
  /** The call, if its caller may repeat it. */
  once?: NamedCall;
  /** A form that holds files until the reply was sent. */
  files?: { close(): void };
}

function hasSoap(operation: Operation): operation is Operation & { readonly soap: SoapForm } {
  return operation.soap !== undefined;
}

/** Stored queries, the package's own handlers and calls with a declared time-out limit their own time. */
function hasClock(operation: Operation): boolean {
  const answer = finalAnswer(operation);
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

function soapOf(
  operation: Parameters<typeof compileSoap>[0],
  namespace: string,
  replaced: Replacement | undefined,
): SoapProvider {
  const soap = compileSoap(operation, namespace);
  if (replaced?.understands === undefined) return soap;
  return { ...soap, understands: (block) => replaced.understands?.(block) === true || soap.understands(block) };
}

/** What takes the place of an operation's answer, without a time limit: nothing of the project then answers it. */
export interface Replacement {
  readonly answerer: Answerer;
  /** Reads and writes its REST messages, in place of its own binding. */
  readonly binding?: RestBinding;
  /** Header blocks over SOAP that it understands, besides those of the operation. */
  understands?(block: XmlElement): boolean;
}

/** Every active operation, compiled when it is first called: most of a gateway's are rarely called, and a start waits for none. */
export function compileOperations(
  ports: AnswerPorts & {
    readonly handlers: Handlers;
    readonly replaced?: ((operation: Operation) => Replacement) | undefined;
  },
): ReadonlyMap<Operation, Compiled> {
  const active = [...ports.registry.operations.values()].filter((operation) => operation.active);
  return new Map(active.map((operation) => [operation, compile(operation, ports)]));
}

function compile(operation: Operation, ports: Parameters<typeof compileOperations>[0]): Compiled {
  const { namespace, limits } = ports.registry.gateway;
  const replaced = ports.replaced?.(operation);
  const binding = once(() => replaced?.binding ?? compileBinding(operation, namespace));
  const answerer = once(() => replaced?.answerer ?? compileAnswer(operation, ports.handlers, ports));
  const secrets = once(() => compileSecrets(requestFields(operation)));
  return {
    operation,
    get binding() {
      return binding();
    },
    ...(hasSoap(operation) ? { soap: soapOf(operation, namespace, replaced) } : {}),
    get answerer() {
      return answerer();
    },
    get secrets() {
      return secrets();
    },
    headers: operationHeaders(operation),
    timeout: hasClock(operation) || replaced !== undefined ? undefined : limits.timeout,
    once: replaced === undefined ? onceOf(operation, ports.registry.gateway) : undefined,
  };
}
