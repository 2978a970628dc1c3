import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { ReplyPath } from '../../model/flow.ts';
import type { Place } from '../diagnostic/place.ts';
import { typeWords } from '../document/field-type.ts';
import { messageWords } from '../document/message.ts';
import type { Linking } from '../linking.ts';
import { replyOf } from './calls.ts';

/** A path into the reply of a call, `access_token` or `result.token`; one that leads to no single value is reported. */
export function linkReplyPath(
  linking: Linking,
  operation: ConsumerOperation,
  path: string,
  at: Place,
): ReplyPath | undefined {
  const { message, complete } = replyOf(linking, operation);
  if (message.kind !== 'document') {
    const reason = `${operation.id} answers ${messageWords(message)}, so that there are no fields`;
    if (complete) linking.report.raise('reply-path', { path, reason }, at);
    return undefined;
  }
  const found = follow(message.document, path);
  if ('unknown' in found) {
    const { unknown, document } = found;
    const reason = `${unknown} is no field of ${document.id}`;
    const known = document.fields.map((field) => field.name);
    if (complete && !linking.incomplete.has(document))
      linking.report.raise('reply-path', { path, reason, meant: { given: unknown, known } }, at);
    return undefined;
  }
  const reason = 'reason' in found ? found.reason : whyNoSingleValue(found.field);
  if (reason !== undefined) linking.report.raise('reply-path', { path, reason }, at);
  return 'reason' in found || reason !== undefined ? undefined : found;
}

type Followed =
  | ReplyPath
  | { readonly unknown: string; readonly document: Document }
  /** Why the way does not go on. */
  | { readonly reason: string };

function follow(root: Document, text: string): Followed {
  const path: string[] = [];
  let document = root;
  for (let rest = text; ; ) {
    const field = fieldAt(document, rest);
    if (field === undefined) return { unknown: rest.split('.', 1)[0] ?? rest, document };
    path.push(field.name);
    if (rest.length === field.name.length) return { path, field };
    if (field.type.kind !== 'document')
      return { reason: `${field.name} of ${document.id} is ${typeWords(field.type)}, which has no fields to name` };
    document = field.type.document;
    rest = rest.slice(field.name.length + 1);
  }
}

/** The field that a path begins with. Names may hold dots themselves: the longest that fits is meant. */
function fieldAt({ fields }: Document, path: string): Field | undefined {
  const found = fields.filter(({ name }) => path === name || path.startsWith(`${name}.`));
  return found.toSorted((a, b) => b.name.length - a.name.length)[0];
}

function whyNoSingleValue({ name, type }: Field): string | undefined {
  if (type.kind === 'binary') return `${name} is binary content, which can be read once`;
  return type.kind === 'list' || type.kind === 'document'
    ? `${name} is ${typeWords(type)}, and no single value`
    : undefined;
}
