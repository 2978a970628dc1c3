import { isAttachment } from '../../codec/binary.ts';
import { compileMasked, fieldsOf, LEFT_OUT, type ShownParts } from '../../codec/redact/declared.ts';
import type { Field } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';

/** Renders payloads for the audit log when the routing requests them (`log: full`). */
export interface PayloadWords {
  /** A decoded request. */
  input(value: DocumentValue, redactor: Redactor): unknown;
  /** A reply: its value, or the type and length of streamed content. */
  output(outcome: Outcome, redactor: Redactor): unknown;
}

/** Maximum characters of one payload. */
const MOST = 16_384;
/** Characters beyond the cut of a text that are searched for secrets too, so that a secret at the cut is not partly kept. */
const BEYOND = 1024;

const isMarked = ({ sensitive }: Field): boolean => sensitive;

/**
 * Values of prompts and parameters in requests to the package's own services: only the definitions of queries and
 * processes state which are sensitive.
 */
const isValue = ({ name, sensitive }: Field): boolean => sensitive || /value$/i.test(name);

/** Compiles the masking of an operation's payloads: fields declared `sensitive`, at any depth, and secrets elsewhere. */
export function compilePayload(operation: Operation): PayloadWords {
  const { responses, soap, answer } = operation;
  const isSecret = answer.kind === 'delivered' ? isValue : isMarked;
  const input = compileMasked(requestFields(operation), isSecret);
  const output = compileMasked(
    [...responses.flatMap(({ message }) => fieldsOf(message)), ...fieldsOf(soap?.response)],
    isSecret,
  );
  return {
    input: (value, redactor) => input(value, shortened(redactor)),
    output(outcome, redactor) {
      if (outcome.kind === 'value') return output(outcome.value, shortened(redactor));
      const { contentType, length } = outcome.bytes;
      return { contentType, length };
    },
  };
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
