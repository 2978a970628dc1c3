import type { FieldType } from '../model/field.ts';
import type { Message, Method, OperationUri, SoapForm } from '../model/service.ts';

/** A type as the definitions spell it: `string(10)`, `decimal(10.2)`, `list of LOC_DTL_VW`. */
export function typeWords(type: FieldType): string {
  if (type.kind === 'list') return `list of ${typeWords(type.item)}`;
  if (type.kind === 'document') return type.document.id;
  if (type.length === undefined) return type.kind;
  return `${type.kind}(${type.length}${type.scale === undefined ? '' : `.${type.scale}`})`;
}

/** A message as the definitions spell it: a document's id, or the kind of a raw one. */
export function messageWords(message: Message): string {
  if (message.kind === 'document') return message.document.id;
  return message.kind === 'raw' ? message.raw : 'none';
}

/** An operation over REST, over SOAP, or both. */
interface Callable {
  readonly method?: Method;
  readonly uris?: readonly OperationUri[];
  readonly soap?: SoapForm;
}

/** How an operation is called: `GET Locations/?region={REGION} (URI index 1)`, `SOAP ATTACHMENT_PUT.v1`. */
export function waysTo({ method, uris = [], soap }: Callable): string[] {
  const overRest = uris.map(({ index, template }) => {
    const way = `${method} ${template.text}`;
    return uris.length === 1 ? way : `${way} (URI index ${index})`;
  });
  return soap === undefined ? overRest : [...overRest, `SOAP ${soap.action}`];
}
