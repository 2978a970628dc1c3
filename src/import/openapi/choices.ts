import type { DraftDocument, DraftField } from '../draft.ts';
import { contentText } from './content-text.ts';
import { isBase, nameOfReference, referred, type Schemas, type Shape } from './shape.ts';
import { isReference } from './sources.ts';
import type { Node } from './tree.ts';
import { ANY_JSON, nullable, type SchemaNaming, type TypeRead, type TypeReader } from './type-read.ts';

/** A branch of `oneOf` or `anyOf`: its schema, together with the keywords next to it. */
interface Branch {
  readonly name: string;
  readonly schemas: Schemas;
  readonly place: Node;
}

/** Annotations beside alternatives, which say nothing about values. */
const ANNOTATIONS =
  /^(?:oneOf|anyOf|discriminator|description|title|example|examples|default|deprecated|nullable|readOnly|writeOnly|xml|externalDocs|\$id|\$schema|\$comment|x-.*)$/;

/** Keywords whose schemas have been combined already. */
const COMBINING: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'discriminator', '$ref', '$dynamicRef']);

/** Reads `oneOf`, `anyOf` and `discriminator`. */
export class Choices {
  readonly #reader: TypeReader;
  /** All choices of documents, in the order in which they were found. */
  readonly found: FoundChoice[] = [];
  /** What became of choices of other values, which others may have referred to in the meantime. */
  readonly replaced = new Map<DraftDocument, TypeRead>();
  /** Documents that others may extend, with the discriminator that says which of them a value is. */
  readonly bases = new Map<DraftDocument, Node>();

  constructor(reader: TypeReader) {
    this.#reader = reader;
  }

  /** A schema with alternatives; `undefined` for one without any, or when only its other keywords can be read. */
  read(shape: Shape, spot: SchemaNaming): TypeRead | undefined {
    const { losses } = this.#reader.context;
    const lists = (['oneOf', 'anyOf'] as const).flatMap((keyword) =>
      shape.all(keyword).map((node) => ({ keyword, node, items: node.items() })),
    );
    const [list, ...others] = lists;
    if (list === undefined || list.items.length === 0) return undefined;
    for (const each of others)
      losses.add(
        `a second "${each.keyword}"`,
        'not checked',
        each.node.place,
        contentText(each.node, this.#reader.context),
      );
    const { items, keyword, node } = list;
    const given = items.filter((item) => !isNull(item));
    const hasNull = given.length < items.length || shape.isNullable();
    const beside = this.#beside(shape, keyword);
    if (given.every((item) => isCondition(item)) && beside !== undefined) {
      losses.add(
        `"${keyword}" of required members`,
        'not checked',
        node.place,
        contentText(node, this.#reader.context),
      );
      return undefined;
    }
    const branches = this.#branches(given, beside, spot);
    const read = this.#alternatives(shape, spot, { keyword, node, branches, hasNull });
    return hasNull ? nullable(read) : read;
  }

  /** The keywords next to the alternatives, if they restrict values. */
  #beside(shape: Shape, keyword: string): Shape | undefined {
    const isPlain = shape.parts.every((part) =>
      part.entries().every(([key, { value }]) => ANNOTATIONS.test(key) || (key === 'type' && value === 'object')),
    );
    return isPlain || shape.parts.some((part) => part.has(keyword) && (part.has('$ref') || part.has('$dynamicRef')))
      ? undefined
      : shape;
  }

  #branches(items: readonly Node[], beside: Shape | undefined, spot: SchemaNaming): Branch[] {
    const { context } = this.#reader;
    return items.map((item, index) => {
      const { name } = referred(item, context);
      const title = item.get('title')?.text;
      const own = name ?? title ?? this.#nameOf(item) ?? `${spot.name}${index + 1}`;
      const others = beside === undefined ? [] : beside.parts.map((part) => part.without(COMBINING));
      return {
        name: own,
        schemas: beside?.base === undefined ? [item, ...others] : [item, ...others, beside.base],
        place: item,
      };
    });
  }

  /** The value by which an unnamed branch says what it is: `kind: { const: card }`. */
  #nameOf(item: Node): string | undefined {
    for (const [, each] of item.get('properties')?.entries() ?? []) {
      const values = each.get('enum')?.items() ?? [];
      const value = each.get('const')?.text ?? (values.length === 1 ? values[0]?.text : undefined);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #alternatives(shape: Shape, spot: SchemaNaming, { keyword, node, branches, hasNull }: Alternatives): TypeRead {
    const { losses } = this.#reader.context;
    const [only, second] = branches;
    if (only === undefined) return ANY_JSON;
    if (second === undefined) return this.#reader.read(only.schemas, spot.name);
    const { name, isNamed, key } = spot;
    const document: DraftDocument = {
      name,
      place: shape.node.place,
      named: isNamed,
      options: {},
      fields: [],
      choice: true,
    };
    // Branches may contain the choice.
    this.#reader.begin(key, document, hasNull);
    const reads = branches.map((branch) => ({ branch, read: this.#reader.read(branch.schemas, branch.name) }));
    const documents = reads.flatMap(({ branch, read }) =>
      read.type.kind === 'document' ? [{ branch, document: read.type.document }] : [],
    );
    const distinct = new Set(documents.map((each) => each.document));
    if (documents.length === reads.length && distinct.size > 1) {
      this.#fill(document, shape, documents, { keyword, node });
      const read: TypeRead = { type: { kind: 'document', document }, options: {} };
      return reads.some((each) => each.read.options.nullable) ? nullable(read) : read;
    }
    const read = this.#merged(reads.map((each) => each.read)) ?? this.#compared(document, reads);
    if (read === undefined)
      losses.add(
        `"${keyword}" of values that are not all objects`,
        'any JSON is accepted',
        node.place,
        contentText(node, this.#reader.context),
      );
    else if (!read.isExact)
      losses.add(
        `"${keyword}" of texts or numbers`,
        'which of them a value is, is not checked',
        node.place,
        contentText(node, this.#reader.context),
      );
    this.replaced.set(document, read?.read ?? ANY_JSON);
    return read?.read ?? ANY_JSON;
  }

  /** Alternatives of several types as optional fields of a document, each with the name of its type, so that they can be compared. */
  #compared(
    document: DraftDocument,
    reads: readonly { readonly branch: Branch; readonly read: TypeRead }[],
  ): Merged | undefined {
    if (this.#reader.context.purpose !== 'comparison') return undefined;
    const fields: DraftField[] = [];
    for (const { branch, read } of reads) {
      const { type, options } = read;
      const word = type.kind === 'scalar' ? type.word.replace(/\(.*$/, '') : type.kind === 'list' ? 'array' : 'object';
      const same = fields.filter(({ name }) => name === word || name.startsWith(`${word}_`)).length;
      const name = same === 0 ? word : `${word}_${same + 1}`;
      fields.push({ name, place: branch.place.place, type, options: { ...options, required: false } });
    }
    const compared: DraftDocument = {
      name: document.name,
      place: document.place,
      named: document.named,
      options: {},
      fields,
    };
    this.#reader.documents.push(compared);
    return { read: { type: { kind: 'document', document: compared }, options: {} }, isExact: true };
  }

  #merged(reads: readonly TypeRead[]): Merged | undefined {
    const [first, ...others] = reads as readonly [TypeRead, ...TypeRead[]];
    const same = (read: TypeRead): boolean =>
      read.type.kind === 'document' && first.type.kind === 'document'
        ? read.type.document === first.type.document
        : JSON.stringify(simple(read)) === JSON.stringify(simple(first));
    return others.every(same) ? { read: first, isExact: true } : mergedScalars(reads);
  }

  #fill(
    document: DraftDocument,
    shape: Shape,
    branches: readonly { readonly branch: Branch; readonly document: DraftDocument }[],
    said: { readonly keyword: string; readonly node: Node },
  ): void {
    const reader = this.#reader;
    reader.documents.push(document);
    const discriminator = shape.first('discriminator');
    const tag = tagOf(discriminator);
    const description = shape.first('description')?.text ?? shape.first('title')?.text;
    if (description !== undefined) document.description = description.trim();
    if (tag !== undefined) document.options.by = tag;
    this.found.push({ document, ...said });
    const names = new Map<DraftDocument, string[]>();
    for (const [value, each] of discriminator === undefined ? [] : this.mappedBy(discriminator))
      names.set(each, [...(names.get(each) ?? []), value]);
    for (const { branch, document: each } of branches) {
      for (const name of names.get(each) ?? [branch.name]) document.fields.push(branchField(name, branch.place, each));
    }
  }

  /** The document that a value of a discriminator's mapping leads to. */
  #mapped(target: Node): DraftDocument | undefined {
    const { context } = this.#reader;
    const text = target.text;
    if (text === undefined) return undefined;
    const section = context.version === '2.0' ? 'definitions' : 'components/schemas';
    const node = isReference(text)
      ? context.references.at(text, target)
      : context.references.at(`#/${section}/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`, target);
    if (node === undefined) {
      context.losses.add(
        `the reference "${text}" of a discriminator leads nowhere`,
        'the value is not known',
        target.place,
      );
      return undefined;
    }
    const read = this.#reader.named(isReference(text) ? nameOfReference(text) : text, node);
    return read.type.kind === 'document' ? read.type.document : undefined;
  }

  /** Keeps the discriminator of a document that others may extend. */
  noteBase(document: DraftDocument, shape: Shape): void {
    const own = shape.parts.find((part) => isBase(part));
    const discriminator = own?.get('discriminator');
    if (discriminator !== undefined) this.bases.set(document, discriminator);
  }

  /** The documents by the values of a discriminator. */
  mappedBy(discriminator: Node): (readonly [string, DraftDocument])[] {
    return (discriminator.get('mapping')?.entries() ?? []).flatMap(([value, target]) => {
      const document = this.#mapped(target);
      return document === undefined ? [] : [[value, document] as const];
    });
  }
}

/** The property of a discriminator; a text in OpenAPI 2.0. */
export function tagOf(discriminator: Node | undefined): string | undefined {
  return discriminator?.text ?? discriminator?.get('propertyName')?.text;
}

/** A choice, with the keyword that makes it one. */
export interface FoundChoice {
  readonly document: DraftDocument;
  readonly keyword: string;
  readonly node: Node;
}

interface Alternatives {
  readonly keyword: string;
  readonly node: Node;
  readonly branches: readonly Branch[];
  readonly hasNull: boolean;
}

/** One type for several, and whether it has the same values. */
interface Merged {
  readonly read: TypeRead;
  readonly isExact: boolean;
}

function mergedScalars(reads: readonly TypeRead[]): Merged | undefined {
  const words = reads.map(({ type }) => (type.kind === 'scalar' ? type.word.replace(/\(.*$/, '') : undefined));
  const all = (...known: readonly string[]): boolean =>
    words.every((word) => word !== undefined && known.includes(word));
  const plain = (word: string, isExact: boolean): Merged => ({
    read: { type: { kind: 'scalar', word }, options: {} },
    isExact,
  });
  const isFree = ({ type, options }: TypeRead): boolean =>
    type.kind === 'scalar' && type.word === 'string' && Object.keys(options).length === 0;
  if (all('string')) {
    const lists = reads.map(
      ({ options }) => options.enum ?? (options.fixed === undefined ? undefined : [options.fixed]),
    );
    if (lists.every((list) => list !== undefined))
      return {
        read: { type: { kind: 'scalar', word: 'string' }, options: { enum: [...new Set(lists.flat())] as string[] } },
        isExact: true,
      };
  }
  if (all('string', 'uri', 'uuid', 'date', 'datetime', 'time')) return plain('string', reads.some(isFree));
  if (all('int')) return plain('int', false);
  if (all('int', 'long', 'integer')) return plain('integer', false);
  if (all('int', 'long', 'integer', 'number', 'double', 'float', 'decimal'))
    return plain(
      'number',
      reads.some(
        ({ type, options }) => type.kind === 'scalar' && type.word === 'number' && Object.keys(options).length === 0,
      ),
    );
  return undefined;
}

function simple({ type, options }: TypeRead): unknown {
  return type.kind === 'scalar'
    ? [type.word, options]
    : type.kind !== 'document' && type.item.kind === 'scalar'
      ? [type.kind, type.item.word, options]
      : Symbol();
}

function branchField(name: string, node: Node, document: DraftDocument): DraftField {
  return { name, place: node.place, type: { kind: 'document', document }, options: {} };
}

function isNull(node: Node): boolean {
  const type = node.get('type')?.value;
  const values = node.get('enum')?.items();
  return (
    type === 'null' ||
    (values?.length === 1 && values[0]?.value === null) ||
    (node.has('const') && node.get('const')?.value === null)
  );
}

/** Whether a branch only says which members must be there. */
function isCondition(node: Node): boolean {
  const keys = node.entries().map(([key]) => key);
  return (
    keys.length > 0 &&
    keys.every((key) => key === 'required' || key === 'not' || key === 'title' || key === 'description')
  );
}
