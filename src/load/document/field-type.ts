import type { Document } from '../../model/document.ts';
import { type CompoundType, type FieldType, SCALAR_KINDS, type ScalarType } from '../../model/field.ts';
import type { Place } from '../diagnostic/place.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import type { FieldDeclared, InPlaceDeclared } from '../schema/field.ts';
import { type DerivedName, derivedName } from './derived-name.ts';
import { parseTypeWord, typeText } from './type-word.ts';

/** Where fields find documents, and put those that are written in place. */
export interface DocumentSource {
  readonly linking: Linking;
  /** A declared document; undefined where there is none, or none that can be used. */
  find(id: string): Document | undefined;
  /** Adds a document that is written in place. `declared` is the map that holds `fields`. */
  inPlace(derived: DerivedName, declared: InPlaceDeclared, at: Place): Document;
}

/** A field as it stands: its name, what is said of it, and the map that it stands in. */
export interface FieldSpot {
  readonly name: string;
  readonly declared: FieldDeclared;
  /** The map of fields. */
  readonly container: object;
  /** The document, query or process that it belongs to. */
  readonly owner: DerivedName;
}

/** The field's type; undefined where it can't be told, which has been reported. */
export function linkType(source: DocumentSource, spot: FieldSpot): FieldType | undefined {
  const { report, places, incomplete } = source.linking;
  const { declared, name, container, owner } = spot;
  const said = (['type', 'fields', 'list'] as const).filter((key) => declared[key] !== undefined);
  if (said.length > 1) {
    const [first, second] = said as [string, string];
    refuseBoth(source.linking, declared, first, second, 'each of them says the type');
    return undefined;
  }
  const inner = derivedName(owner, name);
  const at = places.key(container, name);
  if (declared.fields !== undefined) {
    return { kind: 'document', document: source.inPlace(inner, declared as InPlaceDeclared, at) };
  }
  if (declared.list !== undefined) {
    const item: CompoundType = { kind: 'document', document: source.inPlace(inner, declared.list, at) };
    return { kind: 'list', item, flat: declared.flat ?? false };
  }
  if (declared.type === undefined) {
    if (!incomplete.has(declared)) report.raise('missing-key', { key: 'type', owner: `The field ${name}` }, at);
    return undefined;
  }
  return linkTypeWord(source, declared.type, typePlace(source, spot), declared.flat ?? false);
}

/** Where the word for the type stands: the value of `type:`, or of the field itself. */
function typePlace({ linking: { places } }: DocumentSource, { container, name }: FieldSpot): Place {
  const value = (container as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? places.value(container, name) : places.value(value as object, 'type');
}

function linkTypeWord(source: DocumentSource, text: string, at: Place, flat: boolean): FieldType | undefined {
  const { report, declared } = source.linking;
  const word = parseTypeWord(text);
  if (word.kind === 'bad') {
    report.raise('bad-type', { type: text, reason: word.reason }, at);
    return undefined;
  }
  let item: ScalarType | CompoundType;
  if (word.kind === 'scalar') item = word.type;
  else {
    const document = source.find(word.id);
    if (document === undefined) {
      if (!declared.isSetAside('document', word.id)) {
        report.raise(
          'unknown-type',
          { type: word.id, known: [...SCALAR_KINDS, ...declared.of('document').keys()] },
          at,
        );
      }
      return undefined;
    }
    item = { kind: 'document', document };
  }
  return word.list ? { kind: 'list', item, flat } : item;
}

/** A type in words, for messages. */
export function typeWords(type: FieldType): string {
  if (type.kind === 'document') return `the document ${type.document.id}`;
  if (type.kind === 'list')
    return `a list of ${type.item.kind === 'document' ? type.item.document.id : typeText(type.item)}`;
  return typeText(type);
}
