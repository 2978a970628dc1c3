import { isAttachment } from '../../codec/binary.ts';
import { readJsonText } from '../../codec/index.ts';
import {
  compileMasked,
  fieldsOf,
  LEFT_OUT,
  replyFields,
  type ShowMasked,
  type ShownParts,
} from '../../codec/redact/declared.ts';
import { hidingOf } from '../../invoke/outgoing.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Field } from '../../model/field.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation } from '../../model/service.ts';
import type { JsonValue } from '../../model/value.ts';
import { showPayload } from './mask.ts';
import { REQUEST } from './store.ts';

/**
 * The parts of the content of a recorded call, each as JSON. `call` has the facts of the exchange with its headers, `request`
 * and `reply` the payloads of a routing with `log: full`.
 */
export type RecordedParts = Readonly<Partial<Record<'call' | 'request' | 'reply', unknown>>>;

/** Renders the payloads of an operation's calls, without what is sensitive by the definitions, or too long. */
interface RecordedPayload {
  request(value: unknown, redactor: Redactor): unknown;
  reply(value: unknown, redactor: Redactor): unknown;
}

/** Maximum characters of one payload. */
const MOST = 16_384;
/** Characters beyond the cut of a text that are searched for secrets too, so that a secret at the cut is not partly kept. */
const BEYOND = 1024;

/** Compiles the masking of payloads: fields declared `sensitive`, at any depth, and secrets elsewhere. */
export function compileRecorded(operation: Operation | ConsumerOperation): RecordedPayload {
  const { request, reply } = masksOf(operation);
  return {
    request: (value, redactor) => request(value, shortened(redactor)),
    reply: (value, redactor) => reply(value, shortened(redactor)),
  };
}

const isMarked = ({ sensitive }: Field): boolean => sensitive;

/**
 * Values of prompts and parameters in requests to the package's own services: only the definitions of queries and
 * processes state which are sensitive.
 */
const isValue = ({ name, sensitive }: Field): boolean => sensitive || /value$/i.test(name);

function masksOf(operation: Operation | ConsumerOperation): {
  readonly request: ShowMasked;
  readonly reply: ShowMasked;
} {
  if (!('answer' in operation))
    return { request: compileMasked(sentFields(operation)), reply: compileMasked(replyFields(operation)) };
  const { responses, soap, answer } = operation;
  const isSecret = answer.kind === 'delivered' ? isValue : isMarked;
  const replies = [...responses.flatMap(({ message }) => fieldsOf(message)), ...fieldsOf(soap?.response)];
  return { request: compileMasked(requestFields(operation), isSecret), reply: compileMasked(replies, isSecret) };
}

/** The fields of the input of a call to another system. */
export function sentFields(operation: ConsumerOperation): readonly Field[] {
  return operation.kind === 'rest' ? operation.input.fields : fieldsOf(operation.soap.request);
}

/** Every field that a request may fill, in any part of it; a field can be listed more than once. */
export function requestFields({ uris, request, requestHeaders, soap }: Operation): readonly Field[] {
  return [
    ...fieldsOf(request),
    ...fieldsOf(soap?.request),
    ...uris.flatMap((uri) => [...uri.variables.map(({ field }) => field), ...uri.body]),
    ...requestHeaders.map(({ field }) => field),
  ];
}

/** Collects the parts of one payload until it is full. */
function shortened(redactor: Redactor): ShownParts {
  let left = MOST;
  const textOf = (text: string): string => {
    const most = Math.max(left, 0);
    left -= text.length;
    if (text.length <= most) return redactor.text(text);
    const shown = redactor.text(text.slice(0, most + BEYOND));
    return shown.slice(0, most) + LEFT_OUT;
  };
  return {
    room(characters) {
      if (left <= 0) return false;
      left -= characters;
      return true;
    },
    single(value) {
      if (typeof value === 'string' || typeof value === 'bigint') return textOf(String(value));
      if (isAttachment(value)) return { contentType: value.contentType, length: value.length };
      left -= 5;
      return typeof value === 'number' ? redactor.value(value) : value;
    },
  };
}

/**
 * A part of a recorded call as people may see it. It was masked when it was written; what has become sensitive since then is
 * masked too, and all of it when the operation is not defined any more.
 */
export function showRecorded(
  registry: Registry,
  id: string,
  part: string,
  text: string,
  redactor: Redactor,
): JsonValue {
  const raw = readJsonText(text, 'pass');
  if (part === 'call') return redactor.value(raw) as JsonValue;
  const operation = registry.operations.get(id) ?? registry.consumers.get(id);
  if (operation === undefined) return showPayload(undefined, text, redactor).value;
  // What was sent to another system is kept as the text that it was.
  if (typeof raw === 'string' && !('answer' in operation)) return redactor.text(hidingOf(operation)(raw));
  const mask = masksOf(operation)[part === REQUEST ? 'request' : 'reply'];
  return redactor.value(mask(raw, WHOLE)) as JsonValue;
}

/** All parts, as JSON can have them. */
export const WHOLE: ShownParts = {
  single(value) {
    if (typeof value === 'bigint') return String(value);
    if (!isAttachment(value)) return value;
    const { contentType, name, length } = value;
    return { contentType, name, length };
  },
  room: () => true,
};
