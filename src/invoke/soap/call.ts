import { compileSoap, type SoapBinding } from '../../binding/soap.ts';
import { attachmentsIn } from '../../codec/binary.ts';
import { holdsKind } from '../../codec/search.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import type { Node } from '../../model/node.ts';
import type { Message, Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import type { SoapVersion } from '../../wire/soap/soap.ts';
import type { Callable } from '../callable.ts';
import { compileMask, type Mask } from '../mask.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

/** An operation over SOAP, compiled once. */
export interface SoapCallable {
  readonly operation: SoapConsumer;
  readonly binding: SoapBinding;
  readonly version: SoapVersion;
  /** What every request carries, above what its message says; SOAPAction is spelled as there. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mask: Mask;
}

/** @param namespace of `gateway.yaml` */
export function compileSoapCall(operation: SoapConsumer, namespace: string): Callable {
  const callable = compile(operation, namespace);
  return {
    operation,
    references: () => [],
    write: (input, { segments, called }) => writeRequest(callable, input, segments, called),
    read: (raw, ports) => readReply(callable, raw, ports),
  };
}

function compile(operation: SoapConsumer, namespace: string): SoapCallable {
  const declared = new Map(operation.headers.map(({ name, value }) => [name.toLowerCase(), [name, value] as const]));
  const contentType = declared.get('content-type')?.[1];
  const is12 = contentType !== undefined && parseMediaType(contentType)?.essence === 'application/soap+xml';
  const version = is12 ? '1.2' : '1.1';
  // What the content is, the message itself says.
  declared.delete('content-type');
  const headers: Record<string, string> = { 'User-Agent': 'signalbox' };
  if (!declared.has('accept')) headers.Accept = acceptOf(operation, version);
  for (const [key, [name, value]] of declared) headers[key === 'soapaction' ? 'SOAPAction' : name] = value;
  return { operation, binding: compileSoap(operation, namespace), version, headers, mask: compileMask(operation) };
}

/** A reply with attachments is asked for where there may be binary content in it. */
function acceptOf({ properties, soap }: SoapConsumer, version: SoapVersion): string {
  const xml = version === '1.1' ? 'text/xml' : 'application/soap+xml';
  return properties.mtom || holdsBinary(soap.response) ? `multipart/related, ${xml}` : xml;
}

/** Whether values of a message may hold binary content. */
function holdsBinary(message: Message): boolean {
  if (message.kind === 'document') return holdsKind(message, 'binary');
  return message.kind === 'raw' && message.raw === 'binary';
}

/**
 * A provider operation with a SOAP form as one to call at a node that offers it: at the gateway's own services connector,
 * or at that of another gateway with the same definitions. Binary content of the input travels as attachments.
 * @throws TypeError for one without a SOAP form
 */
export function asConsumer(operation: Operation, target: Node, input: DocumentValue): SoapConsumer {
  const { id, service, soap, fault, permissions, active, at } = operation;
  if (soap === undefined) throw new TypeError(`${id} has no SOAP form`);
  return {
    kind: 'soap',
    id,
    service,
    target,
    soap,
    headers: [],
    properties: {
      mtom: !attachmentsIn(input).next().done,
      upContent: true,
      compress: false,
      segmentContentTransfer: 'binary',
    },
    permissions,
    public: operation.public,
    active,
    ...(fault === undefined ? {} : { fault }),
    at,
  };
}
