import type { CallBody } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import { FORM_MEDIA_TYPE, formField } from '../../wire/form.ts';
import { PercentError, percentEncode } from '../../wire/percent.ts';
import { type CallContent, pendingContent, textContent } from './content.ts';
import type { HeldOf } from './held.ts';
import { compileCallText, type Piece, unusable } from './text-write.ts';

/** Compiles a body of form fields. One whose text has a value that is not given is left out. */
export function compileFormContent({
  fields,
}: Extract<CallBody, { kind: 'form' }>): (heldOf: HeldOf, resolve: ResolveReference) => CallContent {
  const writers = fields.map(({ name, text }) => ({ name, write: compileCallText(text) }));
  return (heldOf, resolve) => {
    const sent: string[] = [];
    const shown: string[] = [];
    let isPending = false;
    for (const { name, write } of writers) {
      const pieces = write(heldOf, resolve)?.map((piece) => ({ ...piece, encoded: encoded(name, piece) }));
      if (pieces === undefined) continue;
      isPending ||= pieces.some(({ pending }) => pending);
      sent.push(formField(name, pieces.map((piece) => piece.encoded).join('')));
      shown.push(formField(name, pieces.map((piece) => piece.shown ?? piece.encoded).join('')));
    }
    if (isPending) return pendingContent(FORM_MEDIA_TYPE, shown.join('&'));
    return textContent(sent.join('&'), FORM_MEDIA_TYPE, shown.join('&'));
  };
}

function encoded(name: string, piece: Piece): string {
  try {
    return percentEncode(piece.text);
  } catch (error) {
    if (!(error instanceof PercentError)) throw error;
    throw unusable(`form field ${name}`, piece, error.reason.replace(/^it /, ''));
  }
}
