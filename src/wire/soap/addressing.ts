// WS-Addressing 1.0 (Core, and SOAP Binding), and the submission of August 2004, which some tools still send.

import { escapeText } from '../xml/text.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../xml/tree.ts';
import { writeXml } from '../xml/write-xml.ts';
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

/** Messages to this address are not sent (Core, section 2.1). */
const NONE = `${WSA}/none`;

/** The addresses of the reply to the request itself, by namespace. */
const ANONYMOUS_IN: ReadonlyMap<string, string> = new Map([
  [WSA, ANONYMOUS],
  [WSA_2004, `${WSA_2004}/role/anonymous`],
]);

/** Addresses to which no message is sent by itself. */
const NOWHERE: ReadonlySet<string> = new Set([...ANONYMOUS_IN.values(), NONE]);

/** Header blocks with a meaning (Core, section 3.2), each with whether a message has it once at most. */
const BLOCKS: ReadonlyMap<string, 'once' | 'often'> = new Map([
  ['To', 'once'],
  ['From', 'once'],
  ['ReplyTo', 'once'],
  ['FaultTo', 'once'],
  ['Action', 'once'],
  ['MessageID', 'once'],
  ['RelatesTo', 'often'],
]);

/** Whether a header block is one of WS-Addressing whose meaning is known. */
export function isKnownAddressing(block: XmlElement): boolean {
  return isAddressing(block) && BLOCKS.has(block.local);
}

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
function isAction(block: XmlElement): boolean {
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
  const reply = elsewhere(replyTo && endpointOf(message, replyTo));
  const fault = elsewhere(faultTo && endpointOf(message, faultTo));
  if (reply === undefined && fault === undefined) return undefined;
  const id = onlyBlock(message, 'MessageID');
  const messageId = id === undefined ? '' : textOf(id).trim();
  if (messageId === '') throw missingHeader(message, 'MessageID', 'to which the reply would relate');
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
  if (second !== undefined)
    throw invalidHeader(message, `wsa:${local} occurs more than once`, { problem: 'InvalidCardinality', block: local });
  return found;
}

/** An endpoint; `undefined` for the response to the request, and for none. */
function elsewhere(endpoint: ReplyEndpoint | undefined): ReplyEndpoint | undefined {
  return endpoint === undefined || NOWHERE.has(endpoint.address) ? undefined : endpoint;
}

/** The endpoint of a reference. */
function endpointOf(message: SoapMessage, reference: XmlElement): ReplyEndpoint {
  const parts = childrenOf(reference).filter(({ namespace }) => namespace === reference.namespace);
  const [address, second] = parts.filter(({ local }) => local === 'Address');
  if (address === undefined || second !== undefined)
    throw invalidHeader(message, `wsa:${reference.local} does not have one wsa:Address`, {
      problem: address === undefined ? 'MissingAddressInEPR' : 'InvalidEPR',
      block: reference.local,
    });
  const to = textOf(address).trim();
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

/** What a request states about itself, and where its reply and a fault are sent. */
export interface Addressed {
  readonly namespace: string;
  /** `undefined` when it has none, so that nothing can relate to it. */
  readonly messageId: string | undefined;
  readonly reply: ReplyEndpoint;
  readonly fault: ReplyEndpoint;
}

/**
 * What the reply to a message repeats, before the header blocks are checked: it, or a fault, is the response. `undefined` for a
 * message without header blocks of WS-Addressing for this receiver.
 */
export function addressedAs(message: SoapMessage): Addressed | undefined {
  const { headers, version } = message;
  const first = headers.find((each) => isKnownAddressing(each) && isForUs(each, version));
  if (first === undefined) return undefined;
  const id = messageIdOf(message) ?? '';
  const here = { address: ANONYMOUS_IN.get(first.namespace) ?? ANONYMOUS, parameters: '' };
  const messageId = id === '' || id.length > LONGEST ? undefined : id;
  return { namespace: first.namespace, messageId, reply: here, fault: here };
}

/**
 * Checks the header blocks of a message, and reads its endpoints.
 * @throws SoapError with subcodes of WS-Addressing (SOAP Binding, section 6.4)
 */
export function readAddressed(message: SoapMessage, about: Addressed): Addressed {
  for (const [local, often] of BLOCKS) if (often === 'once') onlyBlock(message, local);
  if ((messageIdOf(message) ?? '').length > LONGEST)
    throw invalidHeader(message, `wsa:MessageID is longer than ${LONGEST} characters`, { block: 'MessageID' });
  const endpoint = (local: string): ReplyEndpoint | undefined => {
    const found = onlyBlock(message, local);
    return found && endpointOf(message, found);
  };
  const { reply = about.reply, fault = reply } = { reply: endpoint('ReplyTo'), fault: endpoint('FaultTo') };
  return { ...about, reply, fault };
}

/** Refuses endpoints other than the sender of the request. @throws SoapError */
export function checkAnonymous(message: SoapMessage, { reply, fault }: Addressed): void {
  const [block, found] =
    elsewhere(reply) === undefined ? (['FaultTo', elsewhere(fault)] as const) : (['ReplyTo', reply] as const);
  if (found === undefined) return;
  const reason = `wsa:${block} is another address than ${ANONYMOUS}: replies of this operation are the response to the request`;
  throw invalidHeader(message, reason, { problem: 'OnlyAnonymousAddressSupported', block });
}

/** Whether messages to an endpoint are not sent at all. */
export function isDiscarded({ address }: ReplyEndpoint): boolean {
  return address === NONE;
}

interface Wrong {
  /** More specific than an invalid header. */
  readonly problem?: string;
  /** The local name of the header block. */
  readonly block?: string;
}

/** The error for a header block of WS-Addressing that can't be used. */
export function invalidHeader(
  message: Pick<SoapMessage, 'version'>,
  reason: string,
  { problem, block: local }: Wrong = {},
): SoapError {
  const subcodes = ['InvalidAddressingHeader', ...(problem === undefined ? [] : [problem])];
  return wrongHeader(message, subcodes, reason, local);
}

/** The error for a header block of WS-Addressing that a message must have. @param why a clause about it */
export function missingHeader(message: Pick<SoapMessage, 'version'>, local: string, why: string): SoapError {
  return wrongHeader(message, ['MessageAddressingHeaderRequired'], `wsa:${local} is missing, ${why}`, local);
}

function wrongHeader(
  { version }: Pick<SoapMessage, 'version'>,
  subcodes: readonly string[],
  reason: string,
  local: string | undefined,
): SoapError {
  return new SoapError(version, 'Client', reason, {
    subcodes: subcodes.map((each) => ({ local: each, namespace: WSA })),
    ...(local === undefined ? {} : { detail: block('ProblemHeaderQName', `wsa:${local}`) }),
  });
}

/** The detail of a fault about header blocks, which is a header block in 1.1 (SOAP Binding, section 6.2). */
export function faultDetailBlock(detail: string): string {
  return block('FaultDetail', detail);
}

/** Whether an error is one that WS-Addressing defines. */
export function isAddressingError({ subcodes }: SoapError): boolean {
  return subcodes[0]?.namespace === WSA;
}

/** The action of faults that WS-Addressing defines (SOAP Binding, section 6; submission, section 4). */
export function addressingFaultAction(namespace: string): string {
  return `${namespace}/fault`;
}

/** The action of faults that have none of their own (SOAP Binding, section 6; submission, section 4). */
export function faultAction(namespace: string): string {
  return namespace === WSA ? FAULT_ACTION : addressingFaultAction(namespace);
}

/** The action of faults of the application over SOAP. */
export const FAULT_ACTION = `${WSA}/soap/fault`;

/**
 * The header blocks of a reply, as XML.
 * @param given the id and the action of the reply, both IRIs; a response to the request needs no id
 */
export function replyBlocks(
  { namespace, messageId: request }: Pick<Addressed, 'namespace' | 'messageId'>,
  { address, parameters }: ReplyEndpoint,
  { messageId, action }: { readonly messageId?: string; readonly action: string },
): string {
  const blocks = { To: address, Action: action, MessageID: messageId, RelatesTo: request };
  return (
    Object.entries(blocks)
      .map(([name, text]) => (text === undefined ? '' : block(name, escapeText(text), namespace)))
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
