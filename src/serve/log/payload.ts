import { isAttachment } from '../../codec/binary.ts';
import { compileMasked, fieldsOf, LEFT_OUT, type ShownParts } from '../../codec/redact/declared.ts';
import type { Field } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';

/** What the audit log keeps of a payload where its routing asks for it (`log: full`). */
export interface PayloadWords {
  /** A request as it was decoded. */
  input(value: DocumentValue, redactor: Redactor): unknown;
  /** A reply: its value, or type and length of what streams. */
  output(outcome: Outcome, redactor: Redactor): unknown;
}

/** Characters of one payload. */
const MOST = 16_384;
/** Characters of a text beyond its cut that are searched for secrets too, so that none is kept by half. */
const BEYOND = 1024;

const isMarked = ({ sensitive }: Field): boolean => sensitive;

/** What the package's own services take for prompts and parameters, which only their definitions know to be sensitive. */
const isValue = ({ name, sensitive }: Field): boolean => sensitive || /value$/i.test(name);

/** Compiles what is masked in the payloads of an operation: fields declared `sensitive`, at any depth, and secrets elsewhere. */
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

/** Every field that a request may fill, wherever it is; the same field may be there more than once. */
export function requestFields({ uris, request, requestHeaders, soap }: Operation): readonly Field[] {
  return [
    ...fieldsOf(request),
    ...fieldsOf(soap?.request),
    ...uris.flatMap((uri) => [...uri.variables.map(({ field }) => field), ...uri.body]),
    ...requestHeaders.map(({ field }) => field),
  ];
}

/** The parts of one payload, as long as there is room for them. */
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
