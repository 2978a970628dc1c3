import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Message } from '../../model/service.ts';
import { type Place, positionOf } from '../diagnostic/place.ts';
import { madeField } from './made-field.ts';

/** The document of a message; undefined where it has none. */
export function documentOf(message: Message | undefined): Document | undefined {
  return message?.kind === 'document' ? message.document : undefined;
}

/** The field that a message without a document becomes where it stands beside others. */
export function contentOf(message: Message, { at }: { readonly at: Place }): readonly Field[] {
  return message.kind === 'raw' ? [madeField('content', { kind: message.raw }, positionOf(at))] : [];
}

/** A message in words. */
export function messageWords(message: Message): string {
  if (message.kind === 'none') return 'nothing';
  return message.kind === 'raw' ? `${message.raw} without a document` : `the document ${message.document.id}`;
}
