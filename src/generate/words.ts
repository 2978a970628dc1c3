import { bareField } from '../model/document.ts';
import { typeWords } from '../model/field.ts';
import type { Message, Method, OperationUri, SoapForm } from '../model/service.ts';

/** A message as the definitions spell it: a document's id, a type, or the kind of a raw one. */
export function messageWords(message: Message): string {
  if (message.kind === 'document') {
    const whole = bareField(message.document);
    return whole === undefined ? message.document.id : typeWords(whole.type);
  }
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
