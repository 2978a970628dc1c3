import type { Document } from '../model/document.ts';
import type { DocumentValue } from '../model/value.ts';
import { compileJsonReader } from './json-read.ts';
import { compileJsonWriter } from './json-write.ts';
import { compileXmlWriter } from './xml-write.ts';

/** Reads and writes the values of one document, checked. Every function throws a {@link CodecError}. */
export interface DocumentCodec {
  /** The value that a JSON text holds, with defaults and fixed values filled in. */
  fromJson(text: string): DocumentValue;
  /** Compact JSON text. What it is given is not changed. */
  toJson(value: DocumentValue): string;
  /** The root element, without an XML declaration. */
  toXml(value: DocumentValue): string;
}

export interface CodecOptions {
  /** XML namespace of documents that name none: the service's. Empty for none. */
  readonly namespace: string;
}

/** Compiles a document, once, at load. */
export function compileDocument(document: Document, options: CodecOptions): DocumentCodec {
  return {
    fromJson: compileJsonReader(document),
    toJson: compileJsonWriter(document),
    toXml: compileXmlWriter(document, options.namespace),
  };
}
