// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition), read strictly; a document type has no place in it.
import { XML_LIMITS, type XmlLimits } from './limits.ts';
import { DocumentScanner } from './scan.ts';
import { XmlError } from './source.ts';
import type { XmlElement } from './tree.ts';

export { XML_LIMITS, XmlError, type XmlLimits };

/** Reads a whole document, as an {@link XmlReader} does. @throws XmlError */
export function readXml(text: string, limits?: Partial<XmlLimits>): XmlElement {
  const reader = new XmlReader(limits);
  reader.write(text);
  return reader.end();
}

/**
 * Takes a document in pieces of any size, and reads it once it has all of them: a text in one piece is searched many times
 * as fast. The five entities of section 4.6 and character references are all that there is to resolve; a DOCTYPE is
 * refused, comments and processing instructions are left out.
 */
export class XmlReader {
  readonly #limits: XmlLimits;
  #text = '';
  #failure: XmlError | undefined;

  constructor(limits?: Partial<XmlLimits>) {
    this.#limits = limits === undefined ? XML_LIMITS : { ...XML_LIMITS, ...limits };
  }

  /** @throws XmlError for too long a document, the same one again once there was one */
  write(text: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { document } = this.#limits;
    if (this.#text.length + text.length > document)
      throw this.#refuse(new XmlError(`the document has more than ${document} characters`, 0, 0));
    this.#text += text;
  }

  /** Reads the document. @returns its root @throws XmlError as {@link write} does */
  end(): XmlElement {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return new DocumentScanner(this.#text, this.#limits).read();
    } catch (error) {
      throw error instanceof XmlError ? this.#refuse(error) : error;
    }
  }

  #refuse(failure: XmlError): XmlError {
    this.#failure = failure;
    this.#text = '';
    return failure;
  }
}
