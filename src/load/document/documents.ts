import { bareField, type Choice, contentField, type Document, documentName } from '../../model/document.ts';
import { type Field, MAP_ENTRY, singleType } from '../../model/field.ts';
import { takesEmpty } from '../../model/particles.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Message } from '../../model/service.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { type Place, placeOf, placeText, positionOf } from '../diagnostic/diagnostic.ts';
import { declarationsOf, type Linking } from '../linking.ts';
import { eachOnce, given, type Mutable } from '../object.ts';
import type { ChoiceDeclared, DocumentDeclared, FieldsDeclared, InPlaceDeclared } from '../schema/document.ts';
import { checkChoice, type DeclaredChoice, linkBranches } from './choice.ts';
import { compileInherited, type Inherited, linkBases, linkKinds } from './derivation.ts';
import { hasOwnValue, linkField, madeField } from './field.ts';
import { type DerivedName, type DocumentSource, typeWords } from './field-type.ts';

/** The options of a document that is built from other definitions. */
type SynthesisOptions = Partial<Pick<Document, 'xmlName' | 'open' | 'namespace' | 'description' | 'patch' | 'bare'>>;

import { RESERVED } from './reserved.ts';
/** The documents of a project: the declared ones, and those in place as they are found. */
export class Documents implements DocumentSource {
  readonly linking: Linking;
  readonly byId = new Map<string, Document>();
  /** Whether all declared documents have their fields, so that choices can be checked. */
  private areFilled = false;
  private readonly choices: { readonly document: Document; readonly declared: DeclaredChoice }[] = [];

  /** Links every declared document. */
  constructor(linking: Linking) {
    this.linking = linking;
    const declarations = declarationsOf<DocumentDeclared>(linking, 'document');
    // All of them are created first, without fields, because they refer to each other, even in circles.
    const begun = declarations.map(({ id, value, at }) => {
      if (RESERVED.has(id)) {
        linking.report.raise('reserved-name', { name: id, why: 'it is the name of a type or a message' }, at);
      }
      const document = this.begin({ id, name: id }, value, at, false);
      if (linking.doubt.about(value)) linking.doubt.mark(document);
      return { document, value };
    });
    const inherited = compileInherited(linking);
    for (const each of linkBases(linking, begun, (id, at) => this.resolve(id, at)))
      this.fill(each.document, each.value, linking.places.start(each.value), inherited(each));
    linkKinds(linking, begun);
    this.areFilled = true;
    this.checkChoices();
    checkTypeNames(linking, begun);
  }

  /** Checks the choices that were found since the last time. */
  private checkChoices(): void {
    for (const { document, declared } of this.choices.splice(0)) checkChoice(this.linking, document, declared);
  }

  find(id: string): Document | undefined {
    const found = this.byId.get(id);
    return found?.inPlace === false ? found : undefined;
  }

  /** The document that a reference names. One that does not exist is reported. `words` are proposed besides ids. */
  resolve(id: string, at: Place, words: readonly string[] = []): Document {
    const found = this.find(id);
    if (found !== undefined) return found;
    const { report, declared } = this.linking;
    if (!declared.rejected('document').has(id) && !declared.rejected('type').has(id)) {
      const known = [...declared.of('document').keys(), ...words];
      report.raise('unknown-reference', { what: 'document', id, known }, at);
    }
    return this.inDoubt(undefined, at);
  }

  /**
   * A document in doubt, so that nothing is reported about what it lacks: a copy, or a stand-in for one that is not known. The
   * stand-in has no name in XML, so it is never mistaken for another element.
   */
  inDoubt(document: Document | undefined, at: Place): Document {
    const unknown = { id: '', xmlName: '', root: false, open: false, fields: [], inPlace: true, at: positionOf(at) };
    const copy = document === undefined ? unknown : { ...document };
    this.linking.doubt.mark(copy);
    return copy;
  }

  inPlace(derived: DerivedName, declared: InPlaceDeclared, at: Place): Document {
    const { linking } = this;
    const document = this.begin(derived, declared, at, true);
    if (linking.doubt.about(declared)) linking.doubt.mark(document);
    this.fill(document, declared, at, { fields: [], unqualified: derived.unqualified === true });
    if (this.areFilled) this.checkChoices();
    return document;
  }

  /** Adds a document built from existing fields. */
  synthesize(derived: DerivedName, fields: readonly Field[], at: Place, options: SynthesisOptions = {}): Document {
    const shape = { ...named(derived), xmlName: derived.name, root: false, open: false };
    const document: Document = { ...shape, ...options, fields, inPlace: true, at: positionOf(at) };
    this.register(document, at);
    return document;
  }

  private begin(derived: DerivedName, declared: DocumentDeclared, at: Place, inPlace: boolean): Mutable<Document> {
    const { report, places } = this.linking;
    const xmlName = declared.xml ?? derived.name;
    if (!isXmlName(xmlName)) {
      const place = declared.xml === undefined ? at : places.value(declared, 'xml');
      // The name of the field or operation that names a document in place has been checked.
      if (declared.xml !== undefined || !inPlace) report.raise('xml-name', { name: xmlName }, place);
    }
    const xmlType = declared['xml-type'];
    if (xmlType !== undefined && !isXmlName(xmlType))
      report.raise('xml-name', { name: xmlType }, places.value(declared, 'xml-type'));
    const document: Mutable<Document> = {
      ...named(derived),
      xmlName,
      root: declared.root ?? false,
      open: declared.open ?? false,
      fields: [],
      inPlace,
      ...given({
        description: declared.description,
        xmlType,
        namespace: declared.namespace,
        choice: isDeclaredChoice(declared) ? choiceOf(declared) : undefined,
        byValue: declared['by-value'],
        abstract: declared.abstract === true ? true : undefined,
      }),
      at: positionOf(at),
    };
    this.register(document, at);
    return document;
  }

  private register(document: Document, at: Place): void {
    const { report } = this.linking;
    const other = this.byId.get(document.id);
    if (other === undefined) this.byId.set(document.id, document);
    else report.raise('duplicate-id', { what: `document ${document.id}`, first: placeText(other.at) }, at);
  }

  /** Fills a document with its fields or branches, once all declared documents have begun. */
  private fill(document: Mutable<Document>, declared: DocumentDeclared, at: Place, inherited: Inherited): void {
    const { unqualified = inherited.unqualified } = declared;
    const owner = { id: document.id, name: documentName(document), unqualified };
    if (isDeclaredChoice(declared)) {
      document.fields = linkBranches(this, document, declared, owner);
      this.choices.push({ document, declared });
    } else {
      refuseChoiceKeys(this.linking, document, declared);
      const own = declared.fields === undefined ? [] : this.linkFields(document, declared.fields, owner);
      document.fields = [...inherited.fields, ...own];
      const mayLack = declared.extends !== undefined || this.linking.doubt.about(declared);
      if (declared.fields === undefined && !mayLack) {
        const what = document.inPlace ? 'The document' : `Document ${document.id}`;
        this.linking.report.raise('missing-key', { key: 'fields', owner: what }, at);
      }
    }
    const placed = ({ at }: Field): Place => placeOf(at);
    checkJsonNames(this.linking, document.fields, placed);
    checkXmlNames(
      this.linking,
      document.fields.filter(({ attribute, any }) => attribute && any === undefined),
      placed,
    );
    checkContent(this.linking, document, placed);
  }

  private linkFields(document: Document, declared: FieldsDeclared, owner: DerivedName): Field[] {
    const names = Object.keys(declared);
    const fields = names.flatMap((name) => linkField(this, declared, name, owner) ?? []);
    const { doubt } = this.linking;
    if (fields.length < names.length || doubt.about(declared)) doubt.mark(document);
    return fields;
  }
}

function isDeclaredChoice(declared: InPlaceDeclared): declared is DeclaredChoice {
  return declared['one-of'] !== undefined;
}

function choiceOf({ by, named }: ChoiceDeclared): Choice {
  return given({ tag: by, named: named === true ? true : undefined });
}

/** Keys that only a choice has. `by:` of a declared document may be that of a base. */
function refuseChoiceKeys({ report, places }: Linking, { id, inPlace }: Document, declared: InPlaceDeclared): void {
  for (const key of ['by', 'named'] as const) {
    if (declared[key] === undefined || (key === 'by' && !inPlace)) continue;
    const reason = `has \`${key}:\` and no \`one-of:\`, whose branches it would tell apart`;
    report.raise('bad-choice', { document: id, reason }, places.key(declared, key));
  }
}

/**
 * Two documents of one namespace can't have the same type in XML Schema. Those of other folders are another contract, or the same
 * one that is both served and called.
 */
function checkTypeNames(
  { report, places }: Linking,
  declared: readonly { readonly document: Document; readonly value: DocumentDeclared }[],
): void {
  eachOnce(
    declared.filter(({ document: { xmlType, namespace } }) => xmlType !== undefined && namespace !== undefined),
    ({ document: { xmlType, namespace, at } }) => `${namespace} ${xmlType} ${at.file.replace(/[^/]*$/, '')}`,
    ({ document, value }, { document: { id: other } }) => {
      const name = document.xmlType as string;
      report.raise('duplicate-name', { name, where: 'XML Schema', other }, places.value(value, 'xml-type'));
    },
  );
}

/** An id, and a name if it differs. */
function named({ id, name }: DerivedName): Pick<Document, 'id' | 'name'> {
  return id === name ? { id } : { id, name };
}

type PlaceOfField = (field: Field) => Place;

/** A document whose own element has text has attributes besides, and no elements. */
function checkContent({ report }: Linking, document: Document, at: PlaceOfField): void {
  const { id, fields, open } = document;
  const content = contentField(document);
  if (content === undefined) return;
  const refuse = (reason: string, place: Place): void => report.raise('bad-structure', { document: id, reason }, place);
  const { name, type, required } = content;
  if (open) refuse(`is \`open\`, and with \`content\` its element holds text, not undeclared elements`, at(content));
  for (const field of fields) {
    if (field === content || field.attribute || field.header || Array.isArray(field.attachment)) continue;
    refuse(
      `has the text ${name} for the content of its element, so its field ${field.name} has to be an attribute`,
      at(field),
    );
  }
  if (!required && !hasOwnValue(content) && primitiveOf(type) !== undefined && !takesEmpty(content, type))
    refuse(`needs \`required: true\` for ${name}: an empty element has no such value`, at(content));
}

/** Two fields of a document can't have the same name in JSON. */
function checkJsonNames({ report }: Linking, fields: readonly Field[], at: PlaceOfField): void {
  eachOnce(
    fields,
    ({ jsonName }) => jsonName,
    (field, { name: other }) =>
      report.raise('duplicate-name', { name: field.jsonName, where: 'JSON', other }, at(field)),
  );
}

/** Nor the same name in XML. */
export function checkXmlNames({ report }: Linking, fields: readonly Field[], at: PlaceOfField): void {
  eachOnce(
    fields,
    ({ attribute, namespace = '', xmlName }) => `${attribute ? '@' : ''}${namespace} ${xmlName}`,
    (field, { name: other }) => report.raise('duplicate-name', { name: field.xmlName, where: 'XML', other }, at(field)),
  );
}

/**
 * Refuses fields whose documents have attributes that XML has no place for: a nullable document with a required one, since in
 * XML Schema a nil element still has it (Part 1, 3.3.4), and in a map one that is called as the key is.
 */
export function checkAttributes({ report }: Linking, documents: ReadonlyMap<string, Document>): void {
  for (const { fields } of documents.values()) {
    for (const { name, type, nullable, entry, at } of fields) {
      const single = singleType(type);
      if (single.kind !== 'document') continue;
      const attributes = single.document.fields.filter(({ attribute }) => attribute);
      const needed = attributes.find(({ required }) => required);
      if (needed !== undefined && (entry?.nullable || (nullable && type.kind === 'document'))) {
        const reason = `is ${typeWords(type)}, whose XML attribute ${needed.name} is required of a nil element too`;
        report.raise('no-null', { name, reason }, placeOf(at));
      }
      const key = attributes.find(({ xmlName, namespace = '' }) => xmlName === MAP_ENTRY.key && namespace === '');
      if (key === undefined || type.kind !== 'map') continue;
      report.raise('duplicate-name', { name: MAP_ENTRY.key, where: 'XML', other: `the key of ${name}` }, placeOf(at));
    }
  }
}

/** The document of a message; `undefined` without one. */
export function documentOf(message: Message | undefined): Document | undefined {
  return message?.kind === 'document' ? message.document : undefined;
}

/** The name of the field that is a whole message: one without a document, a list or a single value. */
export const CONTENT = 'content';

/** The field that stands for a message without a document among other fields. */
export function contentOf(message: Message, { at }: { readonly at: Place }): readonly Field[] {
  return message.kind === 'raw' ? [madeField(CONTENT, { kind: message.raw }, positionOf(at))] : [];
}

/** A message in words. */
export function messageWords(message: Message): string {
  if (message.kind === 'none') return 'nothing';
  if (message.kind === 'raw') return `${message.raw} without a document`;
  const whole = bareField(message.document);
  return whole === undefined ? `the document ${message.document.id}` : typeWords(whole.type);
}
