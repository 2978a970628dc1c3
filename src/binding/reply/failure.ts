import { CodecError, readJsonText } from '../../codec/index.ts';
import type { JsonValue } from '../../model/value.ts';
import type { ReplyFailure } from './fault.ts';

/**
 * What well-known JSON says of a failure: problem details (RFC 9457 section 3.1), errors of OAuth 2.0 (RFC 6749 section
 * 5.2), and an `error` with a message inside (OData JSON 4.01 section 21.1). Undefined for anything else.
 */
export function recogniseFailure(text: string): Omit<ReplyFailure, 'fault'> | undefined {
  const found = objectIn(text);
  if (found === undefined) return undefined;
  const { error } = found;
  if (typeof error === 'string' && error !== '') return { reason: error, detail: textIn(found, 'error_description') };
  const message = textIn(error, 'message');
  if (message !== '') return { reason: message, detail: textIn(error, 'detail') };
  const isProblem = typeof found.status === 'number' || typeof found.type === 'string';
  const [title, detail] = [textIn(found, 'title'), textIn(found, 'detail')];
  if (!isProblem || (title === '' && detail === '')) return undefined;
  return title === '' ? { reason: detail, detail: '' } : { reason: title, detail };
}

type JsonObject = Readonly<Record<string, JsonValue>>;

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = readJsonText(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text of an object; of OData 3 it stands one level deeper, beside its language. */
function textIn(value: JsonValue | undefined, name: string): string {
  if (!isObject(value) || !Object.hasOwn(value, name)) return '';
  const member = value[name];
  return typeof member === 'string' ? member : isObject(member) ? textIn(member, 'value') : '';
}
