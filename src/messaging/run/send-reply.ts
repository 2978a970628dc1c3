import { bytesOf } from '../../binding/pieces.ts';
import { compileRest, type Representation, writeProblem } from '../../binding/rest/rest.ts';
import { assembleEnvelope, assembleMessage, type OutgoingMessage } from '../../binding/soap/assemble.ts';
import { compileSoap } from '../../binding/soap/soap.ts';
import { compileSecrets, fieldsOf } from '../../codec/redact/declared.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import { Fault } from '../../model/fault.ts';
import type { Subscription } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import { type Operation, replyAction } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { JobRefused } from '../../store/index.ts';
import { faultAction, replyBlocks } from '../../wire/soap/addressing.ts';
import { writeFault } from '../../wire/soap/fault.ts';
import { once } from '../../wire/waiting.ts';
import { codecOf, readReply } from './answer.ts';
import { BLOBS, type Delivery, type MessagesOptions, type Running } from './port.ts';
import { messageIri } from './reply.ts';
import { type KeptReplyTo, readReplyTo } from './reply-to.ts';

/** Sends the reply to a message to its caller. @returns the caller's answer */
export type SendReply = (delivery: Delivery) => Promise<Pick<Running, 'code' | 'note'>>;

/** Compiles the sending of an operation's replies to addresses below a node. */
export function compileSendReply(
  { id: name, operation }: Subscription,
  node: Node,
  { registry, store, blobs, outbound }: Pick<MessagesOptions, 'registry' | 'store' | 'blobs' | 'outbound'>,
): SendReply {
  const codec = codecOf(operation);
  const caller = callerAt(name, operation, node);
  const secretsOf = compileSecrets(fieldsOf(operation.answer.kind === 'queue' ? operation.answer.reply : undefined));
  const write = {
    rest: once(() => restWriter(operation, registry)),
    soap: once(() => soapWriter(operation, registry)),
  };
  return async ({ job, message }) => {
    const { id, signal } = job;
    const db = await store.tables();
    const replyTo = await readReplyTo(db, message.id);
    const reply = await readReply(db, message.id, codec, blobs.scope(BLOBS));
    const to = reply instanceof Fault ? replyTo?.fault : replyTo?.reply;
    if (replyTo === undefined || reply === undefined || to === undefined)
      throw new JobRefused(`there is no reply to message ${message.id} to send`);
    if (to.node !== node.id) throw new JobRefused(`the reply to message ${message.id} is for node ${to.node} by now`);
    const written =
      replyTo.soap === undefined
        ? await write.rest()(reply, { ...message, id: replyTo.message ?? message.id })
        : write.soap()(reply, { ...replyTo.soap, to, id: messageIri(id) });
    const secrets = reply instanceof Fault ? [] : [...(secretsOf?.(reply) ?? [])];
    const options = { to: to.address, requestId: id, messageId: id, signal, secrets };
    const { httpResponseCode: code, note } = await outbound.post(caller, written, options);
    return { code, note };
  };
}

/** A caller as a system to call. Its answers have no content, but for a fault. */
function callerAt(id: string, { service, permissions, at, ...operation }: Operation, target: Node): SoapConsumer {
  const none = { kind: 'none' } as const;
  return {
    ...{ kind: 'soap', id, name: id, service, target, permissions, public: operation.public, active: true, at },
    soap: { name: id, action: '', request: none, response: none },
    headers: [],
    properties: { mtom: false, upContent: true, compress: false, segmentContentTransfer: 'binary' },
  };
}

type Reply = DocumentValue | Fault;

/**
 * Writes replies over REST, as a request of the gateway. It has no status, so that a fault is always a problem (RFC 9457): its
 * media type tells it from a reply.
 */
function restWriter(operation: Operation, { gateway }: MessagesOptions['registry']) {
  const { answer } = operation;
  const form = answer.kind === 'queue' ? answer.replyTo?.form : undefined;
  const binding = compileRest({ ...operation, responses: form === undefined ? [] : [form] }, gateway.namespace);
  const [as] = binding.representations as readonly [Representation];
  return async (reply: Reply, message: Delivery['message']): Promise<OutgoingMessage> => {
    const written =
      reply instanceof Fault
        ? writeProblem(reply, message.requestId)
        : { contentType: as.contentType, text: await binding.writeReply(reply, as, gateway.limits.attachment) };
    const { contentType, text } = written;
    const headers = { 'Content-Type': contentType, 'X-Correlation-ID': message.id };
    return { headers, text, length: Buffer.byteLength(text), bytes: () => bytesOf([text]) };
  };
}

/** The head of a reply over SOAP. */
type Head = NonNullable<KeptReplyTo['soap']> & {
  readonly to: NonNullable<KeptReplyTo['reply']>;
  readonly id: string;
};

/** Writes replies over SOAP. */
function soapWriter(operation: Operation, { gateway }: MessagesOptions['registry']) {
  const { soap } = operation;
  if (soap === undefined) throw new JobRefused(`${operation.id} is not offered over SOAP any more`);
  const binding = compileSoap({ ...operation, soap }, gateway.namespace);
  const replied = replyAction({ ...operation, soap }, gateway.namespace);
  return (reply: Reply, { version, to, id, ...addressing }: Head): OutgoingMessage => {
    const action = reply instanceof Fault ? faultAction(addressing.namespace) : replied;
    const headers = replyBlocks(addressing, to, { messageId: id, action });
    if (!(reply instanceof Fault)) {
      const attached = binding.writeReplyAttachments(reply);
      const options = { mtom: false, action, attached, headers: headers + binding.writeReplyHeaders(reply) };
      return assembleMessage(version, binding.writeReply(reply), options);
    }
    const code = reply.status < 500 ? 'Client' : 'Server';
    const fault = { code, reason: reply.message, detail: binding.writeFaultDetail(reply) } as const;
    return assembleEnvelope(version, [writeFault(version, fault, headers)], { mtom: false, action });
  };
}
