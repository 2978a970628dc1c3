import { compileSoap } from '../../binding/soap/soap.ts';
import { holdsKind } from '../../codec/search.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import type { Message } from '../../model/service.ts';
import { readIntent } from '../../wire/soap/intent.ts';
import { SOAP_MEDIA_TYPES, type SoapVersion } from '../../wire/soap/version.ts';
import type { Callable } from '../callable.ts';
import { compileMask } from '../mask.ts';
import type { SoapCallable } from './callable.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

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
  const intent = readIntent(declared.get('content-type')?.[1], declared.get('soapaction')?.[1]);
  if ('reason' in intent) throw new TypeError(`${operation.id}: ${intent.header} ${intent.reason}`);
  const { version, action = operation.soap.action } = intent;
  // The message itself says both.
  declared.delete('content-type');
  declared.delete('soapaction');
  const headers: Record<string, string> = { 'User-Agent': 'signalbox' };
  if (!declared.has('accept')) headers.Accept = acceptOf(operation, version);
  for (const [name, value] of declared.values()) headers[name] = value;
  return {
    operation,
    binding: compileSoap(operation, namespace),
    version,
    action,
    headers,
    mask: compileMask(operation),
  };
}

/** A reply with attachments is asked for where there may be binary content in it. */
function acceptOf({ properties, soap }: SoapConsumer, version: SoapVersion): string {
  const xml = SOAP_MEDIA_TYPES[version];
  return properties.mtom || holdsBinary(soap.response) ? `multipart/related, ${xml}` : xml;
}

/** Whether values of a message may hold binary content. */
function holdsBinary(message: Message): boolean {
  if (message.kind === 'document') return holdsKind(message, 'binary');
  return message.kind === 'raw' && message.raw === 'binary';
}
