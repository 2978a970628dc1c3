import { escapeAttribute, escapeText, type Unfit } from '../../wire/xml/text.ts';
import { refuse } from '../error.ts';

// A value of a document arrives at its reader unchanged, or it is refused.

/** Escapes the text of an element. @throws CodecError without a path for a character that XML can't represent */
export const exactText = (text: string): string => escapeText(text, refuseUnit);

/** The same for the value of an attribute. */
export const exactAttribute = (text: string): string => escapeAttribute(text, refuseUnit);

const refuseUnit: Unfit = (unit) => {
  if (unit >= 0xd800 && unit <= 0xdfff) return refuse('holds half of a surrogate pair, which XML does not carry');
  return refuse(`holds the character U+${unit.toString(16).toUpperCase().padStart(4, '0')}, which XML does not carry`);
};
