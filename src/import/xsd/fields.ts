import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField, FieldOptions } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import { attribute, childrenNamed, proseOf, type QName } from '../xml.ts';
import { wildcardNamespaces } from './attributes.ts';
import { type Component, type Components, documentationOf, placeIn, type Schema } from './components.ts';
import { valueFrom } from './facets.ts';
import { type Group, isOnce, type Occurrence, type Particle, type Term } from './particles.ts';
import { XSD } from './sources.ts';
import type { Substitutions } from './substitutions.ts';
import { ANY_ELEMENT, repeatedField, singleField, type Typed } from './typed.ts';

/** Finds the type of an element; an anonymous complex type becomes a document with the name of the element. */
type TypeOfElement = (declaration: XmlElement, schema: Schema) => Typed;

/** Records a loss that many fields have in the same way: once in each file. */
type LoseOnce = (what: string, instead: string, element: XmlElement, schema: Schema) => void;

/** Most fields that the schemas of a contract have: many times those of the largest that were seen. */
const MOST_FIELDS = 200_000;

const ONCE: Occurrence = { min: 1, max: 1 };

/** Makes fields of the particles of content models. */
export class Fields {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #loseOnce: LoseOnce;
  readonly #substitutions: Substitutions;
  readonly #typeOf: TypeOfElement;
  readonly #anyContent: Typed;
  readonly #groups = new Map<XmlElement, Map<string, DraftDocument>>();
  readonly #heads = new Map<Component, DraftDocument>();
  /** Fields whose element may be nil, and has a document, with its declaration. */
  readonly #nullable: {
    readonly options: FieldOptions;
    readonly document: DraftDocument;
    readonly element: XmlElement;
    readonly schema: Schema;
  }[] = [];
  #made = 0;

  constructor(
    components: Components,
    losses: Losses,
    loseOnce: LoseOnce,
    substitutions: Substitutions,
    typeOf: TypeOfElement,
    anyContent: Typed,
  ) {
    this.#components = components;
    this.#losses = losses;
    this.#loseOnce = loseOnce;
    this.#substitutions = substitutions;
    this.#typeOf = typeOf;
    this.#anyContent = anyContent;
  }

  /** Adds the fields of a content model to a document, whose elements are in the namespace of a schema. */
  add(particle: Particle, document: DraftDocument, schema: Schema, names: Names): void {
    const items = particle.kind === 'sequence' && isOnce(particle) ? particle.items : [particle];
    const unqualified = isUnqualified(schema);
    if (unqualified) document.options.unqualified = true;
    const home = unqualified ? '' : schema.namespace;
    const fields = items.map((item) => this.#field(item, home));
    const named = new Map<DraftField, DraftField>();
    // Names of elements come before those that are made up for groups and wildcards.
    for (const each of [...fields.filter(isWired), ...fields]) if (!named.has(each)) named.set(each, names.named(each));
    for (const each of fields) document.fields.push(named.get(each) as DraftField);
    if (unqualified && !document.fields.some(isPlain)) delete document.options.unqualified;
  }

  /** The branches of a content model that is one choice of single elements; `undefined` for any other. */
  static branchesOf(particle: Particle): readonly Particle[] | undefined {
    if (particle.kind !== 'choice' || !isOnce(particle)) return undefined;
    return particle.items.every((item) => item.kind === 'element' && isOnce(item)) ? particle.items : undefined;
  }

  /** Adds the branches of a choice to its document. */
  addBranches(branches: readonly Particle[], document: DraftDocument, schema: Schema): void {
    document.choice = true;
    document.options.named = true;
    const names = new Names();
    for (const branch of branches)
      this.add(
        { kind: 'sequence', items: [branch], min: 1, max: 1, element: branch.element, schema },
        document,
        schema,
        names,
      );
    this.#settleBranches(document);
  }

  /** Exactly one branch has a value, so that none is required, and none is filled. */
  #settleBranches({ fields }: DraftDocument): void {
    for (const { options } of fields) {
      delete options.required;
      const { fixed } = options;
      delete options.fixed;
      if (fixed !== undefined) options.enum = [fixed];
    }
  }

  #field(particle: Particle, home: string): DraftField {
    this.#count(particle);
    switch (particle.kind) {
      case 'any':
        return this.#wildcard(particle);
      case 'element':
        return this.#element(particle, home);
      default:
        return this.#group(particle);
    }
  }

  /** Groups and substitutions can multiply what a small schema declares. */
  #count({ element, schema }: Particle): void {
    if (++this.#made > MOST_FIELDS)
      throw new ImportError(`the schemas have more than ${MOST_FIELDS} fields`, placeIn(element, schema));
  }

  #wildcard(term: Term): DraftField {
    const { element, schema } = term;
    const words = attribute(element, 'namespace') ?? '##any';
    if ((attribute(element, 'processContents') ?? 'strict') === 'strict')
      this.#loseOnce('elements of xs:any must be declared', 'any are accepted', element, schema);
    const { type, options } = occurring(ANY_ELEMENT, term);
    return {
      name: 'any',
      place: placeIn(element, schema),
      type,
      options: { ...options, any: wildcardNamespaces(words, schema) },
    };
  }

  #element(term: Term, home: string): DraftField {
    const { element, schema } = term;
    const name = this.#components.nameIn(element, 'ref', schema);
    if (name === undefined) {
      const local = attribute(element, 'name') ?? 'element';
      return this.#declared({ namespace: namespaceOf(element, schema), local }, term, element, schema, home);
    }
    const component = this.#components.find('element', name);
    if (component === undefined) return this.#unknown(name, term, home);
    const members = this.#substitutions.of(component);
    if (members === undefined) return this.#declared(name, term, component.element, component.schema, home);
    return this.#substituted(component, members, term, home);
  }

  /** An element whose declaration is not there. That of a schema itself is meant to be any schema. */
  #unknown(name: QName, term: Term, home: string): DraftField {
    const place = placeIn(term.element, term.schema);
    if (name.namespace !== XSD)
      this.#losses.add(`the element "${name.local}" is not declared`, 'taken as any XML', place);
    const { type, options } = occurring(this.#anyContent, term);
    return { name: name.local, place, type, options: { ...options, ...inNamespace(name.namespace, home) } };
  }

  #declared(name: QName, term: Term, declaration: XmlElement, schema: Schema, home: string): DraftField {
    const typed = this.#typeOf(declaration, schema);
    const { type, options } = occurring(typed, term);
    const { entry, ...values } = this.#valueOptions(typed, term, declaration, schema);
    if (entry !== undefined) options.entry = { ...options.entry, ...entry };
    // Each entry of a list has an element of its own, which may be nil.
    if (isNillable(declaration) && term.max !== 1) options.entry = { ...options.entry, nullable: true };
    if (values.fixed !== undefined) delete options.enum;
    const description = proseOf(documentationOf(term.element)) ?? proseOf(documentationOf(declaration));
    const field: DraftField = {
      name: name.local,
      place: placeIn(term.element, term.schema),
      type,
      options: {
        ...(description === undefined ? {} : { description }),
        ...options,
        ...inNamespace(name.namespace, home),
        ...values,
      },
    };
    if (typed.kind === 'document' && isNillable(declaration))
      this.#nullable.push({ options: field.options, document: typed.document, element: declaration, schema });
    tellIdentity(declaration, schema, this.#losses);
    return field;
  }

  /** What a declaration states about null, and about the value. */
  #valueOptions(typed: Typed, term: Term, declaration: XmlElement, schema: Schema): FieldOptions {
    const options: FieldOptions = {};
    if (isNillable(declaration) && term.max === 1) options.nullable = true;
    const simple = typed.kind === 'simple' && typed.simple.list === undefined ? typed.simple : undefined;
    for (const key of ['default', 'fixed'] as const) {
      const text = attributeOf(declaration, key);
      if (text === undefined) continue;
      const value = simple && valueFrom(simple.word, text, simple.facets);
      const what = `${key}="${text}" of the element "${attribute(declaration, 'name')}"`;
      const place = placeIn(declaration, schema);
      if (value === undefined || (term.max !== 1 && key === 'default')) this.#losses.add(what, 'left out', place);
      else if (term.max !== 1) options.entry = { enum: [value] };
      else options[key === 'fixed' ? 'fixed' : 'assumed'] = value;
    }
    return options;
  }

  /** Reports attributes that an element that is nil may have, or must have. To be called when all documents have their fields. */
  reportNil(): void {
    for (const { options, document, element, schema } of this.#nullable) {
      const attributes = attributesOf(document);
      if (attributes.some((each) => each.options.required)) {
        const what = `the element "${attribute(element, 'name')}" may be nil, and has an attribute then that is required`;
        this.#losses.add(what, 'refused when it is nil', placeIn(element, schema));
        delete options.nullable;
        if (options.entry !== undefined) delete options.entry.nullable;
      } else if (attributes.length > 0)
        this.#loseOnce('attributes of an element that is nil', 'refused when it has them', element, schema);
    }
    this.#nullable.length = 0;
  }

  /** A head of a substitution group as a choice of the elements that may stand for it. */
  #substituted(head: Component, members: readonly Component[], term: Term, home: string): DraftField {
    const [only] = members;
    if (only !== undefined && members.length === 1)
      return this.#declared(only.name, term, only.element, only.schema, home);
    if (members.length === 0) {
      const what = `the element "${head.name.local}" is abstract, and no other is declared to stand for it`;
      this.#losses.add(what, 'taken as any XML', placeIn(term.element, term.schema));
      const { type, options } = occurring(ANY_ELEMENT, term);
      return {
        name: head.name.local,
        place: placeIn(term.element, term.schema),
        type,
        options: { ...options, any: true },
      };
    }
    return this.#inline(head.name.local, this.#choiceOf(head, members), term);
  }

  #choiceOf(head: Component, members: readonly Component[]): DraftDocument {
    const known = this.#heads.get(head);
    if (known !== undefined) return known;
    const { name, element, schema } = head;
    const document: DraftDocument = {
      name: name.local,
      place: placeIn(element, schema),
      named: true,
      choice: true,
      options: { namespace: schema.namespace, named: true },
      fields: [],
    };
    this.#heads.set(head, document);
    const names = new Names();
    for (const member of members) {
      const term: Term = { kind: 'element', element: member.element, schema: member.schema, ...ONCE };
      this.#count(term);
      const field = this.#declared(member.name, term, member.element, member.schema, schema.namespace);
      document.fields.push(names.named(field));
    }
    this.#settleBranches(document);
    return document;
  }

  #group(group: Group): DraftField {
    const name = group.name ?? joinedName(group);
    return this.#inline(name, this.#groupDocument(group, name), group);
  }

  #inline(name: string, document: DraftDocument, particle: Particle): DraftField {
    const place = placeIn(particle.element, particle.schema);
    const typed: Typed = { kind: 'document', document };
    const { type, options } = occurring(typed, particle);
    return { name, place, type, options: { ...options, inline: true } };
  }

  /** The document of a group, one for all that refer to it. */
  #groupDocument(group: Group, name: string): DraftDocument {
    const { element, schema } = group;
    const known = this.#groups.get(element) ?? new Map<string, DraftDocument>();
    this.#groups.set(element, known);
    const found = known.get(schema.namespace);
    if (found !== undefined) return found;
    const document: DraftDocument = {
      name,
      place: placeIn(element, schema),
      named: group.name !== undefined,
      options: { namespace: schema.namespace },
      fields: [],
    };
    known.set(schema.namespace, document);
    if (group.kind === 'choice') this.addBranches(group.items, document, schema);
    else this.add({ ...group, ...ONCE }, document, schema, new Names());
    return document;
  }
}

/** Records constraints of identity of an element. */
export function tellIdentity(declaration: XmlElement, schema: Schema, losses: Losses): void {
  for (const each of childrenNamed(declaration, XSD, 'unique', 'key', 'keyref')) {
    const what = `xs:${each.local} "${attribute(each, 'name')}" of the element "${attribute(declaration, 'name')}"`;
    losses.add(what, 'not checked', placeIn(each, schema));
  }
}

/** The attributes of a document and its bases in XML. */
function attributesOf({ fields, extends: base }: DraftDocument): readonly DraftField[] {
  const own = fields.filter(({ options }) => options.attribute);
  return base === undefined ? own : [...own, ...attributesOf(base)];
}

/** Names of the fields of one document, each once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** A field under its own name, or a similar one if that is taken: then its name in XML is stated. */
  named(field: DraftField): DraftField {
    const name = this.free(field.name, field.options.attribute === true ? `${field.name}_attribute` : undefined);
    if (name === field.name) return field;
    const { options } = field;
    if (isWired(field)) options.xml ??= field.name;
    return { ...field, name };
  }

  free(name: string, other?: string): string {
    let free = name;
    if (other !== undefined && this.#taken.has(free)) free = other;
    for (let n = 2; this.#taken.has(free); n++) free = `${other ?? name}_${n}`;
    this.#taken.add(free);
    return free;
  }
}

function occurring(typed: Typed, occurrence: Occurrence): { type: DraftField['type']; options: FieldOptions } {
  const { type, options } = occurrence.max === 1 ? singleField(typed) : repeatedField(typed, occurrence);
  return { type, options: { ...options, ...(occurrence.min > 0 ? { required: true } : {}) } };
}

export function isNillable(declaration: XmlElement): boolean {
  return /^(?:true|1)$/.test(attribute(declaration, 'nillable') ?? '');
}

/** Whether the name of a field is in XML. Groups, wildcards and the text of an element have none there. */
function isWired({ type, options: { inline, any, content, attribute: isAttribute } }: DraftField): boolean {
  return inline !== true && any === undefined && content !== true && !(isAttribute === true && type.kind === 'map');
}

/** Whether the element of a field is in the namespace of its document, or elements that are inline, whose document may be in place. */
function isPlain({ options: { attribute: isAttribute, any, content, namespace } }: DraftField): boolean {
  return isAttribute !== true && any === undefined && content !== true && namespace === undefined;
}

/** Whether local elements have no namespace, although the schema has one. */
function isUnqualified({ root, namespace }: Schema): boolean {
  return namespace !== '' && attribute(root, 'elementFormDefault') !== 'qualified';
}

function namespaceOf(element: XmlElement, schema: Schema): string {
  const form = attribute(element, 'form') ?? attribute(schema.root, 'elementFormDefault');
  return form === 'qualified' ? schema.namespace : '';
}

function inNamespace(namespace: string, home: string): FieldOptions {
  return namespace === home ? {} : { namespace };
}

/** Most branches and characters of a name that is joined from those of a group. */
const JOINED = { branches: 3, characters: 40 } as const;

/** `cardOrTransfer`; `choice` where that would be long. */
function joinedName({ kind, items }: Group): string {
  const names = items.map(
    ({ element }) => attribute(element, 'name') ?? attribute(element, 'ref')?.replace(/^.*:/, ''),
  );
  const words = names.filter((name) => name !== undefined);
  const joined = words
    .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(kind === 'choice' ? 'Or' : 'And');
  const isShort = items.length <= JOINED.branches && joined.length <= JOINED.characters;
  return isShort && words.length === items.length ? joined : kind;
}
