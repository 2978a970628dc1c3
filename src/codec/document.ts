import type { Document } from '../model/document.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { compileJsonReader } from './json/read.ts';
import { compileJsonWriter } from './json/write.ts';
import type { Foreign } from './names.ts';
import type { Resolve } from './xml/binary.ts';
import { compileXmlPieces } from './xml/pieces.ts';
import { compileXmlReader } from './xml/read.ts';
import { compileXmlWriter } from './xml/write.ts';

/** Reads and writes the values of one document, checked. Every function throws a {@link CodecError}. */
export interface DocumentCodec {
  /** The value that a JSON text holds, with defaults and fixed values filled in. */
  fromJson(text: string): DocumentValue;
  /** Compact JSON text. What it is given is not changed. */
  toJson(value: DocumentValue): string;
  /**
   * The value that an element holds, as {@link DocumentCodec.fromJson} gives it. The element's own name is not looked at:
   * whoever found it went by that.
   * @param resolve finds the content of an XOP Include; what it throws is thrown on
   */
  fromXml(element: XmlElement, resolve?: Resolve): DocumentValue;
  /** The root element, without an XML declaration. */
  toXml(value: DocumentValue): string;
  /**
   * The root element in pieces: XML text, and where a binary element's base64 would stand, its attachment, which may be a
   * stream. Between two attachments there is always a text.
   */
  toXmlPieces(value: DocumentValue): readonly (string | Attachment)[];
}

export interface CodecOptions {
  /** XML namespace of documents that name none: the service's. Empty for none. */
  readonly namespace: string;
  /** Stands for the document's own root element where XML is written: a SOAP wrapper. */
  readonly root?: { readonly name: string; readonly namespace: string };
  /**
   * What becomes of what is read and not declared; refused unless said otherwise. Where it is passed over, names of documents
   * without a namespace of their own hold in whatever namespace they come.
   */
  readonly foreign?: Foreign;
}

/**
 * Compiles a document, once. Each direction is compiled when it is first used: an operation reads its request and writes its
 * reply, in one form or two, and never the other way round.
 */
export function compileDocument(document: Document, options: CodecOptions): DocumentCodec {
  const { namespace, root, foreign } = options;
  const toXml = atFirstUse(() => compileXmlWriter(document, namespace, root));
  return {
    fromJson: atFirstUse(() => compileJsonReader(document, foreign)),
    toJson: atFirstUse(() => compileJsonWriter(document)),
    fromXml: atFirstUse(() => compileXmlReader(document, namespace, foreign)),
    toXml,
    toXmlPieces: atFirstUse(() => compileXmlPieces(document, namespace, root) ?? ((value) => [toXml(value)])),
  };
}

function atFirstUse<A extends readonly unknown[], R>(compile: () => (...given: A) => R): (...given: A) => R {
  let compiled: ((...given: A) => R) | undefined;
  return (...given) => {
    compiled ??= compile();
    return compiled(...given);
  };
}
