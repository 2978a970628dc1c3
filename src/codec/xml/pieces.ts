import type { Document } from '../../model/document.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { holdsKind } from '../search.ts';
import { compileXmlWriter, type RootElement } from './write.ts';

/** Stands in the text for an attachment; nothing else can be it, as XML has no such character. */
const MARK = '\0';

/**
 * Compiles the writing of a document as XML in pieces, its attachments between the texts around them. An attribute can't
 * hold a piece, so that a binary one is base64 as ever.
 * @returns undefined where the document holds no binary field, and is one text
 */
export function compileXmlPieces(
  document: Document,
  service: string,
  root: RootElement | undefined,
): ((value: DocumentValue) => readonly (string | Attachment)[]) | undefined {
  if (!holdsKind({ kind: 'document', document }, 'binary')) return undefined;
  // Written and split without a pause, so that one list serves every call.
  let held: Attachment[] = [];
  const write = compileXmlWriter(document, service, root, (attachment) => {
    held.push(attachment);
    return MARK;
  });
  return (value) => {
    try {
      const texts = write(value).split(MARK);
      return held.length === 0 ? texts : texts.flatMap((text, i) => (i === 0 ? [text] : [held[i - 1]!, text]));
    } finally {
      held = [];
    }
  };
}
