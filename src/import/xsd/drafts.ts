import type { XmlElement } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import type { Sources } from '../source.ts';
import type { QName } from '../xml.ts';

/** A schema, and the location of the file that contains it. */
export interface SchemaPart {
  /** An `xs:schema`. */
  readonly root: XmlElement;
  readonly location: string;
}

/** Documents and fields from schemas. */
export class SchemaDrafts {
  /** @param parts the schemas to begin with; what they refer to is taken from the sources */
  constructor(_parts: readonly SchemaPart[], _sources: Sources<XmlElement>, _losses: Losses) {}

  /** The document of a global element, with its root element in XML. */
  element(name: QName, place: Place): DraftDocument {
    return { name: name.local, place, named: true, options: {}, fields: [] };
  }

  /** A field with a type, for a part of a message. */
  field(name: string, _type: QName, place: Place): DraftField {
    return { name, place, type: { kind: 'scalar', word: 'string' }, options: {} };
  }

  /** The documents of all global elements and complex types, in the order of the source. */
  documents(): readonly DraftDocument[] {
    return [];
  }
}
