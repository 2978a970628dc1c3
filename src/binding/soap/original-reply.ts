import { isAttachment } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import type { OriginalElement } from '../../model/original-shape.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { escapeAttribute, escapeText } from '../../wire/xml/text.ts';
import type { Pieces } from '../pieces.ts';

/** Where an element is written to: a text that grows, cut where an attachment stands. */
class Written {
  readonly pieces: (string | Attachment)[] = [];
  text = '';

  attach(attachment: Attachment): void {
    this.pieces.push(this.text, attachment);
    this.text = '';
  }
}

type Write = (value: DocumentValue, to: Written) => void;

/**
 * Compiles the writing of a reply's value as an element of the original, with default namespaces and, unless the element's
 * own name has one, without prefixes. The writer throws a CodecError for what is no document, or no list where one repeats.
 */
export function compileOriginalReply(root: OriginalElement): (value: DocumentValue) => Pieces {
  const write = compileElement(root, '');
  return (value) => {
    const to = new Written();
    write(value, to);
    return [...to.pieces, to.text];
  };
}

/** @param around the default namespace that holds where the element stands */
function compileElement(element: OriginalElement, around: string): Write {
  const { name, attributes = '', namespace = around, each, given } = element;
  const declared = namespace === around ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  const tag = `<${name}${declared}${attributes}`;
  const content = compileContent(element, namespace);
  const write: Write = (value, to) => {
    to.text += `${tag}>`;
    const { length } = to.text;
    const pieces = to.pieces.length;
    content(value, to);
    const isEmpty = to.text.length === length && to.pieces.length === pieces;
    if (isEmpty) to.text = `${to.text.slice(0, -1)}/>`;
    else to.text += `</${name}>`;
  };
  if (given !== undefined) return (value, to) => (isThere(value[given]) ? write(value, to) : undefined);
  if (each === undefined) return write;
  return (value, to) => {
    const entries = value[each] ?? [];
    if (!Array.isArray(entries)) throw new CodecError(each, 'is no list');
    // An entry that is a single value is the field of that name.
    for (const entry of entries as Value[]) write(isRecord(entry) ? entry : { [each]: entry }, to);
  };
}

function compileContent({ field, text, children = [] }: OriginalElement, namespace: string): Write {
  if (text !== undefined) {
    const escaped = escapeText(text);
    return (_, to) => {
      to.text += escaped;
    };
  }
  if (field !== undefined)
    return (value, to) => {
      const found = value[field];
      if (isAttachment(found)) to.attach(found);
      else if (isThere(found)) to.text += escapeText(String(found));
    };
  const writers = children.map((child) => compileElement(child, namespace));
  return (value, to) => {
    for (const write of writers) write(value, to);
  };
}

function isThere(value: Value): boolean {
  return value !== undefined && value !== null;
}

function isRecord(value: Value): value is DocumentValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
