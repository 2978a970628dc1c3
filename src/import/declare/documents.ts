import { SCALAR_KINDS, SCALARS } from '../../model/scalar.ts';
import type {
  DraftContract,
  DraftDocument,
  DraftField,
  DraftMessage,
  DraftScalar,
  DraftService,
  DraftType,
  Facets,
  FieldOptions,
} from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { settleAttribution } from './attribution.ts';
import { type Declared, type DeclaredMap, type DeclaredValue, given } from './declared.ts';
import { Families } from './families.ts';
import { settleNameless } from './nameless.ts';
import { Names, plainName, xmlNameOf } from './names.ts';
import { placeKey } from './settled.ts';
import { DeclaredTypes, type Value, withKnownLabels } from './types.ts';

/** Words that are types or messages and can't be ids of documents. */
const RESERVED = [...SCALAR_KINDS, 'none', 'list', 'map', '__proto__'];

/** The documents of a contract with their ids, and how messages and fields refer to them. */
export class DeclaredDocuments {
  readonly #ids = new Map<DraftDocument, string>();
  readonly #isXml: boolean;
  readonly #namespace: string | undefined;
  readonly #families: Families;
  readonly #types: DeclaredTypes;
  readonly #losses: Losses;

  /**
   * @param namespace the namespace that all services have, which documents then need not name
   * @param taken ids of other documents of the project
   */
  constructor(contract: DraftContract, namespace: string | undefined, taken: readonly string[], losses: Losses) {
    this.#losses = losses;
    this.#isXml = contract.language !== 'openapi';
    this.#namespace = namespace;
    if (this.#isXml) {
      const all = [...usesOf(contract).keys()];
      settleAttribution(all, losses);
      settleNameless(contract, all);
    }
    const uses = usesOf(contract);
    const declared = [...uses].flatMap(([document, use]) => (isInPlace(document, use) ? [] : [document]));
    const names = new Names([...taken, ...RESERVED]);
    const derived = derivedIds(contract, new Set(declared));
    const ids = new Map<DraftDocument, string>();
    // Types keep their names, then elements, then what has no name of its own.
    const rank = ({ named, options }: DraftDocument): number => (options['xml-type'] !== undefined ? 0 : named ? 1 : 2);
    for (const document of [...declared].sort((a, b) => rank(a) - rank(b))) {
      const wanted = xmlNameOf(document.name);
      const id = names.give(wanted);
      ids.set(document, derived.has(id) ? names.give(wanted) : id);
    }
    for (const document of declared) this.#ids.set(document, ids.get(document) as string);
    this.#types = new DeclaredTypes(contract, uses.keys(), namespace, names);
    this.#families = new Families(declared);
  }

  all(): readonly Declared[] {
    const sources = new Set([...this.#ids.keys()].map(({ place }) => place.source));
    const documents = [...this.#ids].map(
      ([document, id]): Declared => ({
        kind: 'document',
        id,
        keys: this.#document(document, id),
        // Documents of several files keep to files.
        file: sources.size > 1 ? `documents-${fileName(document.place.source)}` : 'documents',
      }),
    );
    return [...documents, ...this.#types.all(spelledValue)];
  }

  /** Where documents are in the source. */
  places(): readonly (readonly [string, Place])[] {
    const documents = [...this.#ids].map(([{ place }, id]) => [placeKey({ kind: 'document', id }), place] as const);
    return [...documents, ...this.#types.places()];
  }

  /**
   * A message as a `request` or `response`; `undefined` for none.
   * @param service whose namespace a message in place has anyway
   * @param around the element that is around it anyway
   */
  message(message: DraftMessage, service: DraftService, around?: string): DeclaredValue | undefined {
    switch (message.kind) {
      case 'none':
        return undefined;
      case 'raw':
        return message.raw;
      case 'type':
        return this.#messageWord(message.type);
      case 'document': {
        const { document } = message;
        const id = this.#ids.get(document);
        if (id !== undefined) return id;
        const { xml, namespace, unqualified } = document.options;
        const { description, ...rest } = this.#inPlace(document);
        return given({
          description,
          xml: xml === around ? undefined : xml,
          namespace: namespace === service.namespace ? undefined : namespace,
          unqualified,
          ...rest,
        });
      }
    }
  }

  /** The id of a document that is not declared in place. */
  idOf(document: DraftDocument): string {
    return this.#ids.get(document) as string;
  }

  #namespaceOf({ options: { namespace } }: DraftDocument): string | undefined {
    return namespace === this.#namespace ? undefined : namespace;
  }

  #document(document: DraftDocument, id: string): DeclaredMap {
    const { description, options, fields, choice } = document;
    const {
      named,
      xml,
      'xml-type': xmlType,
      open,
      by: _,
      namespace: _own,
      abstract: _it,
      unqualified: _too,
      ...others
    } = options;
    const { abstract, by, unqualified, isInNamespace } = this.#families.keysOf(document, this.#losses);
    // The id takes the place of the name, unless another document has it.
    const wire = this.#isXml ? xmlNameOf(document.name) : id;
    const root = xml ?? wire;
    return given({
      description,
      extends: document.extends && this.idOf(document.extends),
      restricts: document.restricts && this.idOf(document.restricts),
      ...(others as DeclaredMap),
      open: open || undefined,
      xml: root === id ? undefined : root,
      'xml-type': xmlType === id ? undefined : xmlType,
      namespace: isInNamespace ? options.namespace : this.#namespaceOf(document),
      abstract,
      unqualified,
      by,
      'by-value': document.tag === id ? undefined : document.tag,
      ...(choice ? { named, 'one-of': this.#branches(document) } : { fields: this.#fields(fields) }),
    });
  }

  /** The keys of a document in place. Its namespace is that of the document around. */
  #inPlace(document: DraftDocument): DeclaredMap {
    const { description, options, fields, choice } = document;
    const { open, named, by } = options;
    if (choice) return given({ description, by, named, 'one-of': this.#branches(document) });
    return given({ description, open: open || undefined, fields: this.#fields(fields) });
  }

  /** The branches of a choice. Their names in the contract are in JSON only if something of it names them. */
  #branches({ fields, options: { named, by } }: DraftDocument): DeclaredMap {
    if (this.#isXml || named || by !== undefined) return this.#fields(fields);
    const names = fieldNames(fields);
    return this.#fields(fields.map((field, index) => ({ ...field, name: names[index] as string })));
  }

  #fields(fields: readonly DraftField[]): DeclaredMap {
    const names = fieldNames(fields);
    return Object.fromEntries(fields.map((field, index) => [names[index], this.#field(field, names[index] as string)]));
  }

  #field(field: DraftField, name: string): DeclaredValue {
    const { name: wire, type } = field;
    const inPlace = this.#inPlaceOf(type);
    const { type: word, options } = this.#types.referring(field) ?? this.#typed(field, inPlace);
    const { description, json = this.#isXml ? name : wire, xml = this.#isXml ? wire : name, ...others } = options;
    const keys = given({
      type: word,
      description: describedEntries(description, type, inPlace),
      ...(withKnownLabels(withoutFilling(others)) as DeclaredMap),
      json: json === name ? undefined : json,
      xml: xml === name ? undefined : xml,
      ...inPlace,
    });
    return Object.keys(keys).length === 1 && typeof keys.type === 'string' ? keys.type : keys;
  }

  /** The type word of a field and its options; without a word when its document is in place. */
  #typed(field: DraftField, inPlace: DeclaredMap | undefined) {
    const { type, options } = spelledIn(field);
    return { type: inPlace === undefined ? this.#typeWord(type) : undefined, options };
  }

  /** The keys that declare the type of a field in place; `undefined` when its document has an id. */
  #inPlaceOf(type: DraftType): DeclaredMap | undefined {
    const single = type.kind === 'list' ? type.item : type;
    if (single.kind !== 'document' || this.#ids.has(single.document)) return undefined;
    const keys = this.#inPlace(single.document);
    if (type.kind !== 'list') return keys;
    const { description: _, ...list } = keys;
    return { list };
  }

  /** The type of a message without a document, which has the facets of its named type. */
  #messageWord(type: DraftType): string {
    const isCollection = type.kind === 'list' || type.kind === 'map';
    const single = isCollection ? type.item : type;
    const id = single.kind === 'scalar' ? this.#types.idOf(single) : undefined;
    if (id === undefined) return this.#typeWord(type);
    return isCollection ? `${type.kind} of ${id}` : id;
  }

  /** A type in words; its document has an id. */
  #typeWord(type: DraftType): string {
    if (type.kind === 'scalar') return type.word;
    if (type.kind === 'document') return this.idOf(type.document);
    return `${type.kind} of ${this.#typeWord(type.item)}`;
  }
}

/** The options of a field, in which only a value that the contract requires is one that fills it. */
function withoutFilling({ fixed, assumed, ...others }: FieldOptions): FieldOptions {
  if (fixed === undefined) return { ...others, ...(assumed === undefined ? {} : { assumed }) };
  if (others.required === true && others.nullable !== true) return { ...others, fixed };
  return { ...others, enum: [fixed], ...(assumed === undefined ? {} : { assumed }) };
}

/** The description of a field, with that of its entries when these are declared in place, where they have none. */
function describedEntries(
  description: string | undefined,
  type: DraftType,
  inPlace: DeclaredMap | undefined,
): string | undefined {
  if (inPlace === undefined || type.kind !== 'list' || type.item.kind !== 'document') return description;
  const inner = type.item.document.description;
  if (description === undefined || inner === undefined || description.includes(inner)) return description ?? inner;
  return `${description}\n\n${inner}`;
}

/** The names that fields have in definitions, each distinct. */
export function fieldNames(fields: readonly DraftField[]): string[] {
  const names = new Set<string>(['__proto__']);
  return fields.map((field) => {
    // A variable of a URI keeps its name: `page%2Dsize` is page-size on the wire.
    const wanted = PERCENT.test(field.name) ? field.name : xmlNameOf(field.name);
    let name = wanted;
    for (let n = 2; names.has(name); n++) name = `${wanted}_${n}`;
    names.add(name);
    return name;
  });
}

/** A percent-encoded character in the name of a variable (RFC 6570, section 2.3). */
const PERCENT = /^[A-Za-z0-9_]*(?:%[0-9A-F]{2}[A-Za-z0-9_]*)+$/;

/** The name of a source without its folder and ending, for a file: `common-types` for `../xsd/CommonTypes.xsd`. */
export function fileName(source: string): string {
  const base = source
    .replace(/[?#].*$/, '')
    .replace(/^.*\//, '')
    .replace(/\.[A-Za-z]+$/, '');
  return plainName(base, 'part')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/_+/g, '-')
    .toLowerCase();
}

/** The type of integers of 32 bits, `xs:int` and `int32`, and its bounds. */
const INT = { kind: 'scalar', word: 'int' } as const;
const [LEAST, MOST] = [Number(SCALARS.int.range?.minimum), Number(SCALARS.int.range?.maximum)];

/** An integer that begins or ends where 32 bits do is an `int` with the bounds that are left. */
function spelledIn(field: DraftField): DraftField {
  const { type, options } = field;
  if (isInteger(type)) {
    const rest = withinInt(options);
    return rest === undefined ? field : { ...field, type: INT, options: rest };
  }
  if (type.kind === 'scalar' || type.kind === 'document' || !isInteger(type.item) || options.entry === undefined)
    return field;
  const entry = withinInt(options.entry);
  if (entry === undefined) return field;
  const { entry: _, ...others } = options;
  const isPlain = Object.keys(entry).length === 0;
  return { ...field, type: { ...type, item: INT }, options: isPlain ? others : { ...others, entry } };
}

function spelledValue({ word, facets }: Value): Value {
  const field: DraftField = { name: '', place: NOWHERE, type: { kind: 'scalar', word }, options: facets };
  const { type, options } = spelledIn(field);
  return { word: (type as DraftScalar).word, facets: options };
}

const NOWHERE: Place = { source: '', line: 0, column: 0 };

function isInteger(type: DraftType): boolean {
  return type.kind === 'scalar' && type.word === 'integer';
}

/** The options without the bounds of an `int`; `undefined` for those of another type. */
function withinInt<T extends Facets>({ minimum, maximum, ...others }: T): T | undefined {
  if (minimum === undefined || maximum === undefined) return undefined;
  const [low, high] = [Number(minimum), Number(maximum)];
  if (low < LEAST || high > MOST || (low !== LEAST && high !== MOST)) return undefined;
  return { ...others, ...(low === LEAST ? {} : { minimum }), ...(high === MOST ? {} : { maximum }) } as T;
}

/** How a contract uses a document. */
interface Use {
  /** The fields and messages that it is the type of. */
  count: number;
  /** It is referred to by its id alone: as the base of another, as a fault, in `list of` or `map of` at a message. */
  byId: boolean;
  /** Nesting in documents that are declared in place, if it is declared in place itself. */
  depth: number;
}

/** Documents that are declared in place are at most so deep: deeper ones are hard to read. */
const DEEPEST = 3;

/** The uses of all documents of a contract, in the order in which they are met: from the operations on. */
export function usesOf({ services, documents }: DraftContract): ReadonlyMap<DraftDocument, Use> {
  const uses = new Map<DraftDocument, Use>();
  const open: DraftDocument[] = [];
  const add = (document: DraftDocument, byId: boolean, depth: number, counts = 1): void => {
    let use = uses.get(document);
    if (use === undefined) {
      use = { count: 0, byId: false, depth };
      uses.set(document, use);
      open.push(document);
    }
    use.count += counts;
    use.byId ||= byId;
  };
  const addMessage = (message: DraftMessage): void => {
    if (message.kind === 'document') add(message.document, false, 0);
    else if (message.kind === 'type') addType(message.type, (document) => add(document, true, 0));
  };
  for (const { operations } of services) {
    for (const { request, responses, faults, rest } of operations) {
      addMessage(request);
      if (rest?.template !== undefined) add(rest.template, false, 0);
      for (const { message } of responses) addMessage(message);
      for (const { document } of faults) add(document, true, 0);
    }
  }
  const walk = (): void => {
    // Those that are found on the way are appended.
    for (let document = open.shift(); document !== undefined; document = open.shift()) {
      const depth = document.named ? 1 : (uses.get(document)?.depth ?? 0) + 1;
      for (const base of [document.extends, document.restricts]) if (base !== undefined) add(base, true, 0);
      for (const field of document.fields) {
        const { type } = field;
        addType(type, (inner) => add(inner, type.kind === 'map' || isElsewhere(inner, field, document), depth));
      }
    }
  };
  walk();
  for (const document of documents) add(document, false, 0, 0);
  walk();
  return uses;
}

/** Whether elements of a document are in another namespace than they would be in if it was in place. */
function isElsewhere(inner: DraftDocument, { options }: DraftField, around: DraftDocument): boolean {
  const hasElements = inner.fields.some((field) => !field.options.attribute && !field.options.content);
  const isOther = (inner.options.unqualified === true) !== (around.options.unqualified === true);
  return hasElements && (options.namespace !== undefined || isOther);
}

/** Calls `add` with the document of a type. */
function addType(type: DraftType, add: (document: DraftDocument) => void): void {
  const single = type.kind === 'list' || type.kind === 'map' ? type.item : type;
  if (single.kind === 'document') add(single.document);
}

/** Whether a document is declared where it is used: once, without a name of its own, and without anything that needs one. */
function isInPlace(document: DraftDocument, { count, byId, depth }: Use): boolean {
  const { named, options, extends: base, restricts } = document;
  if (named || byId || count !== 1 || depth > DEEPEST) return false;
  return base === undefined && restricts === undefined && options.abstract === undefined;
}

/** The ids that documents in place get from their position, `LOCATIONS_GET_REQUEST`. @param declared those that are not in place */
function derivedIds({ services }: DraftContract, declared: ReadonlySet<DraftDocument>): ReadonlySet<string> {
  const ids = new Set<string>();
  const visit = (document: DraftDocument, id: string): void => {
    if (declared.has(document)) return;
    ids.add(id);
    for (const field of document.fields) addType(field.type, (inner) => visit(inner, `${id}_${xmlNameOf(field.name)}`));
  };
  for (const { operations } of services)
    for (const { name, request, responses, rest } of operations) {
      const operation = plainName(name, 'Operation');
      const messages = { REQUEST: [request], RESPONSE: responses.map(({ message }) => message) };
      for (const [suffix, all] of Object.entries(messages))
        for (const message of all) if (message.kind === 'document') visit(message.document, `${operation}_${suffix}`);
      if (rest?.template !== undefined) visit(rest.template, `${operation}_TEMPLATE`);
    }
  for (const document of declared)
    for (const field of document.fields)
      addType(field.type, (inner) => visit(inner, `${xmlNameOf(document.name)}_${xmlNameOf(field.name)}`));
  return ids;
}
