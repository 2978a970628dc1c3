import { compileDocument } from '../../codec/index.ts';
import type { Foreign } from '../../codec/value.ts';
import type { Document } from '../../model/document.ts';
import type { DocumentValue } from '../../model/value.ts';
import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { WSU } from '../../wire/soap/wsse-names.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';

/** The header blocks of a message. */
export interface HeaderCodec {
  /** XML of the blocks that a value gives. @throws CodecError */
  writeHeaders(value: DocumentValue): string;
  /** Whether a block is one of them. */
  understands(block: XmlElement): boolean;
}

/** Of a message without header blocks. */
export const NO_HEADERS: HeaderCodec = { writeHeaders: () => '', understands: () => false };

/** An element around header blocks, which declares no namespace, so that each of them does. */
const AROUND = { name: 'h', namespace: '' } as const;

/**
 * Compiles the header blocks of a message, in any order.
 * @param document its fields are the blocks
 */
export function compileHeaders(
  document: Document,
  service: string,
  foreign: Foreign = 'refuse',
): HeaderCodec & { read(blocks: readonly XmlElement[]): DocumentValue } {
  const { fromXml, toXml } = compileDocument(document, { namespace: service, root: AROUND, foreign });
  const known = new Set(
    document.fields.map(({ xmlName, namespace = document.namespace ?? service }) => `{${namespace}}${xmlName}`),
  );
  const names = new Set(document.fields.map(({ name }) => name));
  const understands = ({ local, namespace }: XmlElement): boolean => known.has(`{${namespace}}${local}`);
  return {
    understands,
    read(blocks) {
      const content = blocks.filter(understands).map(plainBlock);
      const place = { prefix: '', attributes: [], line: 0, column: 0, namespaceOf: () => undefined };
      return fromXml({ local: AROUND.name, namespace: AROUND.namespace, content, ...place });
    },
    writeHeaders(value) {
      const own = Object.entries(value).filter(([name]) => names.has(name));
      const text = toXml(Object.fromEntries(own));
      return text === '<h/>' ? '' : text.slice('<h>'.length, -'</h>'.length);
    },
  };
}

/** Namespaces of attributes by which an envelope, or a signature, says something about a block. */
const OF_ENVELOPES: ReadonlySet<string> = new Set([...Object.values(SOAP_NAMESPACES), WSU]);

function plainBlock(block: XmlElement): XmlElement {
  return { ...block, attributes: block.attributes.filter(({ namespace }) => !OF_ENVELOPES.has(namespace)) };
}
