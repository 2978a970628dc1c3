// WS-Addressing 1.0 (Core, and SOAP Binding), and the submission of August 2004, which some tools still send.

import { escapeText } from '../xml/text.ts';
import { attributeOf, childrenOf, textOf, writeXml, type XmlElement } from '../xml/tree.ts';
import { isForUs, SoapError, type SoapMessage } from './message.ts';
import { SOAP_NAMESPACES, type SoapVersion } from './version.ts';
import { WSSE } from './wsse-names.ts';

/** The namespace of WS-Addressing 1.0, which is written. */
const WSA = 'http://www.w3.org/2005/08/addressing';

const WSA_2004 = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';

/** The namespaces that are read, each with its relationship of a reply to its request. */
const REPLY: ReadonlyMap<string, string> = new Map([
  [WSA, `${WSA}/reply`],
  [WSA_2004, 'wsa:Reply'],
]);

/** The address of the reply to the request itself (Core, section 2.1). */
export const ANONYMOUS = `${WSA}/anonymous`;

/** Addresses to which no message is sent: that of the reply to the request itself, and that of none (Core, section 2.1). */
const NOWHERE: ReadonlySet<string> = new Set([ANONYMOUS, `${WSA}/none`, `${WSA_2004}/role/anonymous`]);

/** Whether a header block is one of WS-Addressing. */
export function isAddressing({ namespace }: XmlElement): boolean {
  return REPLY.has(namespace);
}

/** The id of a message; `undefined` when it has none that is addressed to this receiver. */
export function messageIdOf({ headers, version }: SoapMessage): string | undefined {
  const found = headers.find((each) => each.local === 'MessageID' && isAddressing(each) && isForUs(each, version));
  return found && textOf(found).trim();
}

/** The action of a message; `undefined` when it has none that is addressed to this receiver. */
export function addressedAction({ headers, version }: SoapMessage): string | undefined {
  const found = headers.find((each) => isAction(each) && isForUs(each, version));
  return found && textOf(found).trim();
}

/** Whether a header block states the action of its message. */
export function isAction(block: XmlElement): boolean {
  return block.local === 'Action' && isAddressing(block);
}

/** The ids of the messages to which a message is the reply (Core, section 3.2: without a type it is that of a reply). */
export function repliedTo({ headers, version }: SoapMessage): readonly string[] {
  return headers.flatMap((each) => {
    if (each.local !== 'RelatesTo' || !isAddressing(each) || !isForUs(each, version)) return [];
    const reply = REPLY.get(each.namespace);
    const type = attributeOf(each, 'RelationshipType', '')?.trim() ?? reply;
    return type === reply ? [textOf(each).trim()] : [];
  });
}

/** Where a reply or a fault is sent (an endpoint reference). */
export interface ReplyEndpoint {
  readonly address: string;
  /** XML of its reference parameters, as the header blocks that a message to it has. */
  readonly parameters: string;
}

/** What a request states about its reply. At least one of the two endpoints is there. */
export interface ReplyAddressing {
  readonly version: SoapVersion;
  /** The version of WS-Addressing. */
  readonly namespace: string;
  /** The id of the request, to which the reply relates. */
  readonly messageId: string;
  readonly reply?: ReplyEndpoint;
  readonly fault?: ReplyEndpoint;
}

/** Characters of the longest id and of all reference parameters: each reply repeats them. */
const LONGEST = 4000;

/**
 * Where the sender of a message wants its reply; `undefined` when it names no address. Faults are sent to `FaultTo`, or else to
 * `ReplyTo` (Core, section 3.4).
 * @throws SoapError with a subcode of WS-Addressing (SOAP Binding, section 6.4)
 */
export function replyAddressing(message: SoapMessage): ReplyAddressing | undefined {
  const replyTo = onlyBlock(message, 'ReplyTo');
  const faultTo = onlyBlock(message, 'FaultTo') ?? replyTo;
  const reply = replyTo && endpointOf(message, replyTo);
  const fault = faultTo && endpointOf(message, faultTo);
  if (reply === undefined && fault === undefined) return undefined;
  const id = onlyBlock(message, 'MessageID');
  const messageId = id === undefined ? '' : textOf(id).trim();
  if (messageId === '')
    throw wrongHeader(
      message,
      'MessageAddressingHeaderRequired',
      'wsa:MessageID is missing, to which the reply would relate',
    );
  if (messageId.length > LONGEST) throw invalidHeader(message, `wsa:MessageID is longer than ${LONGEST} characters`);
  return {
    ...{ version: message.version, namespace: (replyTo ?? faultTo)?.namespace ?? WSA, messageId },
    ...(reply && { reply }),
    ...(fault && { fault }),
  };
}

/** A header block that a message has once at most. */
function onlyBlock(message: SoapMessage, local: string): XmlElement | undefined {
  const { headers, version } = message;
  const [found, second] = headers.filter(
    (each) => each.local === local && isAddressing(each) && isForUs(each, version),
  );
  if (second !== undefined) throw invalidHeader(message, `wsa:${local} occurs more than once`);
  return found;
}

/** The endpoint of a reference; `undefined` for one that is nowhere. */
function endpointOf(message: SoapMessage, reference: XmlElement): ReplyEndpoint | undefined {
  const parts = childrenOf(reference).filter(({ namespace }) => namespace === reference.namespace);
  const [address, second] = parts.filter(({ local }) => local === 'Address');
  if (address === undefined || second !== undefined)
    throw invalidHeader(message, `wsa:${reference.local} does not have one wsa:Address`);
  const to = textOf(address).trim();
  if (NOWHERE.has(to)) return undefined;
  const given = parts.filter(({ local }) => local === 'ReferenceParameters' || local === 'ReferenceProperties');
  const parameters = given
    .flatMap(childrenOf)
    .map((each) => parameterOf(message, reference, each))
    .join('');
  if (parameters.length > LONGEST)
    throw invalidHeader(
      message,
      `the reference parameters of wsa:${reference.local} are longer than ${LONGEST} characters`,
    );
  return { address: to, parameters };
}

/** Header blocks that have a meaning of their own, which no sender can give to the messages of this gateway. */
const RESERVED: ReadonlySet<string> = new Set([...REPLY.keys(), ...Object.values(SOAP_NAMESPACES), WSSE]);

/** A reference parameter as a header block. Since 1.0 an attribute marks it as one (SOAP Binding, section 3.4). */
function parameterOf(message: SoapMessage, { namespace, local }: XmlElement, parameter: XmlElement): string {
  if (RESERVED.has(parameter.namespace))
    throw invalidHeader(message, `the reference parameters of wsa:${local} contain ${parameter.local} of a standard`);
  if (namespace !== WSA) return writeXml(parameter);
  const { local: name, prefix, content, line, column } = parameter;
  const mark = { local: 'IsReferenceParameter', namespace: WSA, prefix: 'wsa', value: 'true' };
  const others = parameter.attributes.filter((each) => each.namespace !== WSA || each.local !== mark.local);
  return writeXml({
    ...{ local: name, namespace: parameter.namespace, prefix, content, line, column },
    attributes: [...others, mark],
    namespaceOf: (each) => parameter.namespaceOf(each),
  });
}

/** The error for a header block of WS-Addressing that can't be used. */
export function invalidHeader(message: Pick<SoapMessage, 'version'>, reason: string): SoapError {
  return wrongHeader(message, 'InvalidAddressingHeader', reason);
}

function wrongHeader({ version }: Pick<SoapMessage, 'version'>, local: string, reason: string): SoapError {
  return new SoapError(version, 'Client', reason, { subcode: { local, namespace: WSA } });
}

/** The action of faults that have none of their own (SOAP Binding, section 6.1; submission, section 4). */
export function faultAction(namespace: string): string {
  return namespace === WSA ? `${WSA}/soap/fault` : `${namespace}/fault`;
}

/**
 * The header blocks of a reply to another address, as XML.
 * @param given the id and the action of the reply, both IRIs
 */
export function replyBlocks(
  { namespace, messageId: request }: Pick<ReplyAddressing, 'namespace' | 'messageId'>,
  { address, parameters }: ReplyEndpoint,
  { messageId, action }: { readonly messageId: string; readonly action: string },
): string {
  const blocks = { To: address, Action: action, MessageID: messageId, RelatesTo: request };
  return (
    Object.entries(blocks)
      .map(([name, text]) => block(name, escapeText(text), namespace))
      .join('') + parameters
  );
}

function block(name: string, content: string, namespace = WSA): string {
  return `<wsa:${name} xmlns:wsa="${namespace}">${content}</wsa:${name}>`;
}

/** What a request says about itself, and where its reply is expected. All are IRIs. */
export interface RequestAddressing {
  /** The address that is called. */
  readonly to: string;
  readonly messageId: string;
  readonly action: string;
  readonly replyTo: string;
}

/** The header blocks of a request whose reply is sent to another address, as XML. Faults go there too (Core, section 3.4). */
export function requestAddressing({ to, messageId, action, replyTo }: RequestAddressing): string {
  return [
    block('To', escapeText(to)),
    block('MessageID', escapeText(messageId)),
    block('Action', escapeText(action)),
    block('ReplyTo', `<wsa:Address>${escapeText(replyTo)}</wsa:Address>`),
  ].join('');
}
