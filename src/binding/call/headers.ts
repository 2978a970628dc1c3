import type { CodecError } from '../../codec/index.ts';
import type { CallHeader, RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { type CallContent, UNSENDABLE } from './content.ts';
import { compileCallText, type HeldOf, type Piece, sentText, shownText, type TextWriter, unusable } from './values.ts';

/** Headers by their names, in the order in which they travel. */
interface CallHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** With what is secret masked, and what is pending named. */
  readonly shown: Readonly<Record<string, string>>;
}

/** @throws CodecError */
type HeadersWriter = (heldOf: HeldOf, resolve: ResolveReference, content: CallContent | undefined) => CallHeaders;

interface HeaderWriter {
  readonly name: string;
  readonly isContentType: boolean;
  readonly write: TextWriter;
}

/** Compiles the headers of an operation. One whose text has a value that is not given is left out. */
export function compileCallHeaders(operation: RestConsumer): HeadersWriter {
  const writers = operation.headers.map(compileHeader);
  const accept = operation.headers.some(({ name }) => name.toLowerCase() === 'accept') ? '' : acceptOf(operation);
  return (heldOf, resolve, content) => {
    const headers: Record<string, string> = accept === '' ? {} : { Accept: accept };
    const shown = { ...headers };
    let contentType = content?.contentType;
    for (const { name, isContentType, write } of writers) {
      const pieces = write(heldOf, resolve);
      if (pieces === undefined) continue;
      if (isContentType) contentType = undefined;
      shown[name] = shownText(pieces);
      headers[name] = checked(name, isContentType, pieces);
    }
    if (contentType !== undefined) {
      headers['Content-Type'] = contentType;
      shown['Content-Type'] = contentType;
    }
    return { headers, shown };
  };
}

function compileHeader({ name, text }: CallHeader): HeaderWriter {
  return { name, isContentType: name.toLowerCase() === 'content-type', write: compileCallText(text, ', ') };
}

/** The media types that are asked for, the first one preferred (RFC 9110 section 12.5.1); empty when there is nothing to ask for. */
function acceptOf({ accepts }: RestConsumer): string {
  return accepts.map((type, i) => (i === 0 ? type : `${type};q=${Math.max(0.1, 1 - i / 10).toFixed(1)}`)).join(', ');
}

/** @throws CodecError that names the source of the text and never quotes it */
function checked(name: string, isContentType: boolean, pieces: readonly Piece[]): string {
  const where = `header ${name}`;
  for (const piece of pieces) {
    const [found] = UNSENDABLE.exec(piece.text) ?? [];
    if (found === undefined) continue;
    const reason =
      found === '\r' || found === '\n'
        ? 'holds a line end'
        : found < '\xa0'
          ? 'holds a control character'
          : 'holds a character beyond Latin-1';
    throw unusable(where, piece, reason);
  }
  const text = sentText(pieces);
  // Never sent; a pending value is empty here.
  if (pieces.some(({ pending }) => pending)) return text;
  // The receiver strips surrounding blanks, so the value would arrive changed.
  if (/^[\t ]/.test(text)) throw blankAt(where, pieces[0], 'begins with a blank');
  if (/[\t ]$/.test(text)) throw blankAt(where, pieces.at(-1), 'ends with a blank');
  if (isContentType && parseMediaType(text) === undefined)
    throw unusable(
      where,
      pieces.find(({ from }) => from !== ''),
      'is not a media type',
    );
  return text;
}

/** A literal blank is at an end when the value next to it is empty. */
function blankAt(where: string, end: Piece | undefined, reason: string): CodecError {
  return unusable(where, end, end?.text === '' ? 'is empty' : reason);
}
