import { CharsetError, declaredEncoding, decoderFor, decodeText } from '../wire/charset.ts';
import { ImportError, type Losses } from './place.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const ANY_UTF_8 = new TextDecoder('utf-8');
const ISO_8859_1 = decoderFor('windows-1252', { fatal: true });

const LINE_END = 0x0a;

/**
 * The text of a source, in the encoding that it declares. A text that is not UTF-8, and declares nothing else, is recorded as not
 * valid, and its lines that are not are read as ISO-8859-1.
 * @throws ImportError for bytes that are not a text
 */
export function textOf(bytes: Uint8Array, location: string, isXml: boolean, losses: Losses): string {
  try {
    return decodeText(bytes, undefined, isXml);
  } catch (error) {
    if (!(error instanceof CharsetError)) throw error;
    const declared = isXml ? declaredEncoding(bytes) : undefined;
    const isOther = bytes.includes(0) || (declared !== undefined && declared.toLowerCase() !== 'utf-8');
    if (isOther) throw new ImportError(error.message, { source: location, line: 0, column: 0 });
  }
  const lines: string[] = [];
  let isRecorded = false;
  for (let at = 0; at <= bytes.length; ) {
    const found = bytes.indexOf(LINE_END, at);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(at, end);
    const text = utf8Of(line);
    lines.push(text ?? ISO_8859_1.decode(line));
    if (text === undefined && !isRecorded) {
      isRecorded = true;
      const column = ANY_UTF_8.decode(line).indexOf('\ufffd') + 1;
      losses.invalid(
        'the text is not UTF-8',
        'read as ISO-8859-1',
        { source: location, line: lines.length, column },
        'Convert it to UTF-8, or declare its encoding if it is XML.',
      );
    }
    at = end + 1;
  }
  return lines.join('\n');
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}
