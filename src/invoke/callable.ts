import { compileSoap, type SoapBinding } from '../binding/soap.ts';
import { isAttachment } from '../codec/binary.ts';
import { holdsKind } from '../codec/search.ts';
import type { Node } from '../model/routing.ts';
import type { ConsumerOperation, Message, Operation } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { parseMediaType } from '../wire/media-type.ts';
import type { SoapVersion } from '../wire/soap.ts';

/** An operation that can be called, compiled once. */
export interface Callable {
  readonly operation: ConsumerOperation;
  readonly binding: SoapBinding;
  readonly version: SoapVersion;
  /** What every request carries, above what its message says; SOAPAction is spelled as there. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param namespace of `gateway.yaml` */
export function compileCallable(operation: ConsumerOperation, namespace: string): Callable {
  const declared = new Map(operation.headers.map(({ name, value }) => [name.toLowerCase(), [name, value] as const]));
  const contentType = declared.get('content-type')?.[1];
  const is12 = contentType !== undefined && parseMediaType(contentType)?.essence === 'application/soap+xml';
  const version = is12 ? '1.2' : '1.1';
  // What the content is, the message itself says.
  declared.delete('content-type');
  const headers: Record<string, string> = { 'User-Agent': 'signalbox' };
  if (!declared.has('accept')) headers.Accept = acceptOf(operation, version);
  for (const [key, [name, value]] of declared) headers[key === 'soapaction' ? 'SOAPAction' : name] = value;
  return { operation, binding: compileSoap(operation, namespace), version, headers };
}

/** A reply with attachments is asked for where there may be binary content in it. */
function acceptOf({ properties, soap }: ConsumerOperation, version: SoapVersion): string {
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
export function asConsumer(operation: Operation, target: Node, input: DocumentValue): ConsumerOperation {
  const { id, service, soap, fault, permissions, active, at } = operation;
  if (soap === undefined) throw new TypeError(`${id} has no SOAP form`);
  return {
    id,
    service,
    target,
    soap,
    headers: [],
    properties: { mtom: holdsAttachment(input), upContent: true, compress: false, segmentContentTransfer: 'binary' },
    permissions,
    public: operation.public,
    active,
    ...(fault === undefined ? {} : { fault }),
    at,
  };
}

function holdsAttachment(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isAttachment(value)) return true;
  return Object.values(value).some((each) => holdsAttachment(each as Value));
}
