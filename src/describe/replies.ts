import { type Message, type Operation, type ReplyForm, replyForms } from '../model/service.ts';
import { problemMediaType } from '../wire/problem.ts';

/** The forms of an operation's reply, the default first; none where nothing is sent. */
export function sentForms(operation: Operation): readonly ReplyForm[] {
  return replyForms(operation).filter(({ message }) => message.kind !== 'none');
}

/** Status of a reply that is no fault: 204 where nothing is sent and nothing else is declared. */
export function replyStatus(operation: Operation): number {
  return operation.status === 200 && sentForms(operation).length === 0 ? 204 : operation.status;
}

/** The forms of an operation's faults, those of its replies; problem details (RFC 9457) where it has no fault document. */
export function faultForms(operation: Operation): readonly ReplyForm[] {
  if (operation.fault === undefined)
    return [{ mediaType: problemMediaType, format: 'json', message: { kind: 'raw', raw: 'json' } }];
  const message: Message = { kind: 'document', document: operation.fault };
  const inJson: ReplyForm = { mediaType: 'application/json', format: 'json', message };
  const forms = sentForms(operation).map(({ format }): ReplyForm => {
    return format === 'json' || format === 'raw' ? inJson : { mediaType: 'application/xml', format, message };
  });
  const unique = new Map(forms.map((form) => [form.mediaType, form]));
  return unique.size > 0 ? [...unique.values()] : [inJson];
}
