import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftMessage, DraftOperation, DraftSoap } from '../draft.ts';
import type { Losses } from '../place.ts';
import { attribute, childrenNamed, type QName } from '../xml.ts';
import { type Binding, type BoundMessage, readBound, soapOperation } from './binding.ts';
import {
  bodyElement,
  documentMessage,
  isWrapper,
  type MessageSources,
  rpcMessage,
  type SplitMessage,
  splitMessage,
} from './messages.ts';
import { documentationOf, inside, nameOf, type Part, partsOf, placeIn } from './model.ts';
import { ACTION, SOAP, WSDL } from './sources.ts';

/** An operation of a port type, and of a binding of it. */
export interface OperationParts {
  readonly abstract: Part;
  readonly bound?: Part;
  readonly binding?: Binding;
  /** The operation in other bindings of the port type that are SOAP. */
  readonly others?: readonly Part[];
  /** The contract has no bindings at all: it is sent as usual. */
  readonly assumed?: boolean;
  /** Elements that several messages have: as those around fields, each would belong to one operation alone. */
  readonly shared: ReadonlySet<string>;
}

/** Reads an operation over SOAP. */
export function readSoapOperation(sources: MessageSources, parts: OperationParts): DraftOperation {
  const { abstract, bound, binding } = parts;
  const name = nameOf(abstract);
  const input = message(sources, parts, 'input');
  const output = message(sources, parts, 'output');
  const soap = bound === undefined ? undefined : soapOperation(bound);
  const style = styleOf(binding, soap, input);
  const shape = { name, input: input?.split ?? EMPTY(abstract), output: output?.split };
  const form =
    style === 'rpc'
      ? rpcForm(sources, shape, (binding?.part ?? abstract).namespace)
      : documentForm(sources, shape, parts.shared);
  const description = documentationOf(abstract);
  const unclear =
    style === 'rpc' ? undefined : (unclearBody(shape.input, 'request') ?? unclearBody(shape.output, 'reply'));
  const isBare = form.style === 'bare';
  const isFree = (split: Shape['output']): boolean =>
    isBare && split !== undefined && bodyElement(split)?.namespace === '';
  const side = isFree(shape.input) ? 'request' : isFree(shape.output) ? 'reply' : undefined;
  const free = side === undefined ? undefined : `the element of its ${side} has no namespace`;
  const uncallable = whyNot(parts, input, output) ?? unclear ?? free;
  const action = actionOf(soap, input?.element);
  const others = [soap, ...(parts.others ?? []).map(soapOperation)].flatMap((each) => actionsOf(each, input?.element));
  const actions = [...new Set(others)].filter((each) => each !== action);
  return {
    name,
    place: placeIn(abstract),
    ...(description === undefined ? {} : { description }),
    soap: {
      style: form.style,
      version: binding?.protocol === '1.2' ? '1.2' : '1.1',
      ...(action === undefined ? {} : { action }),
      ...(actions.length === 0 ? {} : { actions }),
      // Around the element of a bare message is nothing that has a name.
      request: form.style === 'bare' ? name : form.element.local,
      ...(form.reply === undefined ? {} : { response: form.reply.local }),
      namespace: form.element.namespace,
      ...(form.style !== 'rpc' || output === undefined || form.reply?.namespace === form.element.namespace
        ? {}
        : { replyNamespace: form.reply?.namespace }),
      oneWay: output === undefined,
      mtom: false,
    },
    request: form.request,
    responses: [{ message: form.response }],
    faults: faultsOf(sources, parts),
    ...(uncallable === undefined ? {} : { uncallable }),
  };
}

interface BoundSide {
  /** The input or output of the port type. */
  readonly element: XmlElement;
  readonly split: SplitMessage;
}

/** The input or output of an operation; `undefined` when the port type has none. */
function message(
  sources: MessageSources,
  { abstract, bound }: OperationParts,
  side: 'input' | 'output',
): BoundSide | undefined {
  const element = childrenNamed(abstract.element, WSDL, side)[0];
  if (element === undefined) return undefined;
  const part = inside(abstract, element);
  const boundElement = bound === undefined ? undefined : childrenNamed(bound.element, WSDL, side)[0];
  const how: BoundMessage = readBound(bound ?? abstract, boundElement, sources.losses);
  return {
    element,
    split: splitMessage(sources, sources.parts.referred('message', part, 'message'), how, placeIn(part)),
  };
}

const EMPTY = (part: Part): SplitMessage => ({
  body: [],
  headers: [],
  attachments: [],
  isEncoded: false,
  place: placeIn(part),
});

function styleOf(
  binding: Binding | undefined,
  soap: XmlElement | undefined,
  input: BoundSide | undefined,
): 'document' | 'rpc' {
  const said = (soap === undefined ? undefined : attribute(soap, 'style')) ?? binding?.style;
  if (said === 'rpc' || said === 'document') return said;
  return input?.split.body.some(({ type }) => type !== undefined) ? 'rpc' : 'document';
}

/** The messages of an operation. */
interface Shape {
  readonly name: string;
  readonly input: SplitMessage;
  readonly output: SplitMessage | undefined;
}

/** What an operation sends. */
interface Form {
  readonly style: DraftSoap['style'];
  /** The element of the request's body; that of an empty body has the name of the operation. */
  readonly element: QName;
  readonly reply?: QName;
  readonly request: DraftMessage;
  readonly response: DraftMessage;
}

/** @param otherwise the namespace of elements where no body of a binding says it */
function rpcForm(sources: MessageSources, { name, input, output }: Shape, otherwise: string): Form {
  const namespace = input.namespace ?? otherwise;
  const replied = output?.namespace ?? namespace;
  return {
    style: 'rpc',
    element: { namespace, local: name },
    reply: { namespace: replied, local: `${name}Response` },
    request: rpcMessage(sources, `${name}_REQUEST`, input),
    response: output === undefined ? { kind: 'none' } : rpcMessage(sources, `${name}_RESPONSE`, output),
  };
}

function documentForm(sources: MessageSources, { name, input, output }: Shape, shared: ReadonlySet<string>): Form {
  const { schemas } = sources;
  const element = bodyElement(input);
  const reply = output === undefined ? undefined : bodyElement(output);
  const root = element === undefined ? undefined : schemas.element(element, input.place);
  const answer = reply === undefined ? undefined : schemas.element(reply, input.place);
  const canBeWrapped =
    root !== undefined &&
    element !== undefined &&
    // Jakarta XML Web Services 3.0, 2.3.1.2: an element with another name is a message, and the operation keeps its own name.
    element.local === name &&
    isWrapper(root) &&
    !shared.has(element.local) &&
    !(reply !== undefined && shared.has(reply.local)) &&
    element.namespace !== '';
  const isWrapped =
    canBeWrapped && (output === undefined || (answer !== undefined && isReplyOf(reply, element) && isWrapper(answer)));
  if (isWrapped) {
    return {
      style: 'wrapped',
      element,
      ...(reply === undefined ? {} : { reply }),
      request: documentMessage(sources, `${name}_REQUEST`, input, unwrapped(root, `${name}_REQUEST`)),
      response:
        output === undefined || answer === undefined
          ? { kind: 'none' }
          : documentMessage(sources, `${name}_RESPONSE`, output, unwrapped(answer, `${name}_RESPONSE`)),
    };
  }
  return {
    style: 'bare',
    element: element ?? { namespace: '', local: name },
    ...(reply === undefined ? {} : { reply }),
    request: documentMessage(sources, `${name}_REQUEST`, input, root),
    response: output === undefined ? { kind: 'none' } : documentMessage(sources, `${name}_RESPONSE`, output, answer),
  };
}

function isReplyOf(reply: QName | undefined, { local, namespace }: QName): boolean {
  return reply !== undefined && reply.namespace === namespace && reply.local === `${local}Response`;
}

/** The fields of an element that is around a message: a document for this message alone. */
function unwrapped(document: DraftDocument, name: string): DraftDocument {
  return { ...document, name, named: false };
}

/** Why an operation can't be called or served; `undefined` when it can. */
function whyNot(
  { abstract, binding, assumed }: OperationParts,
  input: BoundSide | undefined,
  output: BoundSide | undefined,
): string | undefined {
  if (binding === undefined && !assumed) return 'no binding says how it is sent';
  if (binding?.protocol === 'other') return `its binding is not SOAP over HTTP (${binding.foreign})`;
  if (input === undefined) return 'it only sends messages (notification)';
  const [first] = childrenNamed(abstract.element, WSDL, 'input', 'output');
  if (first?.local === 'output') return 'it begins with its output (solicit-response)';
  const sides = [input, ...(output === undefined ? [] : [output])];
  if (sides.some(({ split }) => split.isEncoded)) return 'its messages are encoded (use="encoded")';
  return undefined;
}

/** What the Body of document/literal can't be (WS-I Basic Profile 1.1, R2201 and R2204). */
function unclearBody(split: SplitMessage | undefined, what: 'request' | 'reply'): string | undefined {
  const body = split?.body ?? [];
  if (body.length > 1) return `the Body of its ${what} has several parts`;
  return body[0] !== undefined && body[0].element === undefined
    ? `the Body of its ${what} has a type, and no element`
    : undefined;
}

/** The SOAPAction of an operation, else the WS-Addressing action of its input. */
function actionOf(soap: XmlElement | undefined, input: XmlElement | undefined): string | undefined {
  return actionsOf(soap, input)[0] ?? (soap === undefined ? undefined : attribute(soap, 'soapAction'));
}

/** The actions of an operation in a binding that are not empty: clients may send either. */
function actionsOf(soap: XmlElement | undefined, input: XmlElement | undefined): readonly string[] {
  const said = soap === undefined ? undefined : attribute(soap, 'soapAction');
  const addressed = input === undefined ? [] : ACTION.map((namespace) => attributeOf(input, 'Action', namespace));
  return [said, ...addressed].flatMap((each) => each?.trim() || []);
}

/** The documents of faults by name. */
function faultsOf(sources: MessageSources, { abstract, bound }: OperationParts): DraftOperation['faults'] {
  const { losses } = sources;
  const declared = childrenNamed(abstract.element, WSDL, 'fault');
  tellUndeclared(bound, declared, losses);
  return declared.flatMap((each) => {
    const part = inside(abstract, each);
    const found = sources.parts.referred('message', part, 'message');
    const [first, ...others] = found === undefined ? [] : partsOf(found, losses);
    const name = nameOf(part);
    const reason =
      first?.element === undefined ? 'has no element' : isEncodedFault(bound, name) ? 'is encoded' : undefined;
    if (first?.element === undefined || reason !== undefined) {
      if (first !== undefined) losses.add(`the fault "${name}" ${reason}`, 'its detail is not read', placeIn(part));
      return [];
    }
    for (const other of others)
      losses.add(`the part "${other.name}" of the fault "${name}", which has several`, 'not read', other.place);
    const document = sources.schemas.element(first.element, first.place);
    return [{ name: name || first.element.local, document, ...(found && { message: nameOf(found) }) }];
  });
}

/** Reports faults of a binding that the port type does not have, so that nothing says what their detail is. */
function tellUndeclared(bound: Part | undefined, declared: readonly XmlElement[], losses: Losses): void {
  const names = declared.map((each) => attribute(each, 'name') ?? '');
  for (const each of boundFaults(bound)) {
    const name = faultName(each);
    if (bound === undefined || names.includes(name)) continue;
    // One that neither side names can't be confused with another.
    if (name === '' && names.length === 1) continue;
    const what = `the fault "${name}" of the binding, which its port type does not have`;
    losses.add(what, 'its detail is not read', placeIn(inside(bound, each)));
  }
}

function boundFaults(bound: Part | undefined): readonly XmlElement[] {
  return bound === undefined ? [] : childrenNamed(bound.element, WSDL, 'fault');
}

/** The name of a fault in a binding. Some contracts have it at `soap:fault` alone. */
function faultName(fault: XmlElement): string {
  const inner = childrenOf(fault).find(({ namespace }) => SOAP[namespace] !== undefined);
  return attribute(fault, 'name') ?? (inner === undefined ? undefined : attribute(inner, 'name')) ?? '';
}

/** Whether the binding of a fault says `use="encoded"`. */
function isEncodedFault(bound: Part | undefined, name: string): boolean {
  const faults = boundFaults(bound);
  const [soap] = faults.filter((each) => faultName(each) === name).flatMap((each) => childrenOf(each));
  return soap !== undefined && SOAP[soap.namespace] !== undefined && attribute(soap, 'use') === 'encoded';
}
