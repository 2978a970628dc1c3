import type { Document } from '../../model/document.ts';
import { entryField, type Field, isCollection, singleType } from '../../model/field.ts';
import type { FieldSource, Mapping, MapSource, Shape } from '../../model/mapping.ts';
import { isComparable } from '../../model/message.ts';
import type { Value } from '../../model/value.ts';
import type { Code, ParametersOf } from '../diagnostic/catalogue.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { given, type Mutable } from '../object.ts';
import type { MembersDeclared, SourceDeclared } from '../schema/mapping.ts';
import { hasOwnValue, isNeeded } from './field.ts';
import { typeWords } from './field-type.ts';
import { fitValue } from './fit.ts';
import { valuesOf, whyNoValue } from './mapped-fields.ts';
import { restrictionBroken, restrictionOf, spelled } from './restriction.ts';
import { type Given, unprovenRestriction } from './unproven.ts';

type Single = string | number | boolean;

/** One of the two messages between which values are mapped. */
interface Side {
  readonly shape: Shape;
  /** What messages call it: `the request of ORDER_PUT`. */
  readonly words: string;
}

/** A mapping to link. */
interface MappingSources {
  readonly from: Side;
  readonly to: Side;
  readonly members: MembersDeclared | undefined;
  /** Where what is missing is reported. */
  readonly at: Place;
  /** Names of fields that fill nothing. */
  readonly unused?: ReadonlySet<string>;
  /** What was rejected is not reported as missing. */
  readonly complete: boolean;
}

/** Links how one message is filled from another: by `members`, and by the names of fields. One with errors is in doubt. */
export function linkMapping(
  linking: Linking,
  { from, to, members = {}, at, unused, complete }: MappingSources,
): Mapping {
  const linker = new MappingLinker(linking, from.words, to.words, complete);
  const entries = Object.keys(members).map((key) => ({ path: key, container: members, key }));
  const root = from.shape;
  const auto = unused === undefined ? root : { ...root, fields: root.fields.filter(({ name }) => !unused.has(name)) };
  const mapping = linker.mapping({ shape: root, auto: { shape: auto, prefix: [] } }, to.shape, entries, {
    at,
    above: [],
  });
  if (linker.hasRefused) linking.doubt.mark(mapping);
  return mapping;
}

/** An entry of `map`, below a document: the rest of its path, and where it is written. */
interface Entry {
  readonly path: string;
  readonly container: MembersDeclared;
  readonly key: string;
}

/** The document from which values are taken, and the one in which fields of the same name are found. */
interface Scope {
  readonly shape: Shape;
  readonly auto: { readonly shape: Shape; readonly prefix: readonly Field[] } | undefined;
}

/** Where something is missing, and the fields around it in the document that is filled. */
interface MappingPlace {
  readonly at: Place;
  readonly above: readonly string[];
}

class MappingLinker {
  readonly #linking: Linking;
  readonly #from: string;
  readonly #to: string;
  readonly #complete: boolean;
  /** Whether an error was reported. */
  hasRefused = false;
  /** Mappings by name alone, because documents may contain themselves. */
  readonly #known = new Map<Shape, Map<Shape, Mapping>>();

  constructor(linking: Linking, from: string, to: string, complete: boolean) {
    this.#linking = linking;
    this.#from = from;
    this.#to = to;
    this.#complete = complete;
  }

  mapping(scope: Scope, to: Shape, entries: readonly Entry[], spot: MappingPlace): Mapping {
    const mapping: Mutable<Mapping> = { from: scope.shape, to, members: [] };
    this.#fill(mapping, scope, entries, spot);
    return mapping;
  }

  #fill(mapping: Mutable<Mapping>, scope: Scope, entries: readonly Entry[], spot: MappingPlace): void {
    const { to } = mapping;
    const reason = whyNotAlike(scope.auto?.shape ?? scope.shape, to);
    if (reason !== undefined) this.#refuse(`${reason}`, spot);
    const byField = this.#byField(to, entries);
    for (const branch of this.#lostBranches(scope, mapping, byField))
      this.#refuse(`${branch} of ${scope.shape.id} is not one of the documents of ${to.id}`, spot);
    mapping.members = to.fields.flatMap((field) => {
      const from = this.#member(scope, field, byField.get(field) ?? [], spot);
      return from === undefined ? [] : [{ field, from }];
    });
  }

  /** Branches of a choice that would become nothing. */
  #lostBranches({ shape }: Scope, { to }: Mapping, said: ReadonlyMap<Field, readonly Entry[]>): string[] {
    if (shape.choice === undefined || to.choice === undefined) return [];
    const taken = new Set([...said.values()].flat().map(({ container, key }) => sourceName(container[key])));
    return shape.fields.flatMap(({ name }) => {
      const isKept = taken.has(name) || to.fields.some((field) => field.name === name && !said.has(field));
      return isKept ? [] : [name];
    });
  }

  #byField(to: Shape, entries: readonly Entry[]): Map<Field, Entry[]> {
    const found = new Map<Field, Entry[]>();
    for (const entry of entries) {
      const step = firstStep(to, entry.path);
      if (step === undefined) {
        this.#unknown(entry.path, this.#to, to, this.#linking.places.key(entry.container, entry.key));
        continue;
      }
      const list = found.get(step.field) ?? [];
      list.push({ ...entry, path: step.rest });
      found.set(step.field, list);
    }
    return found;
  }

  #member(scope: Scope, field: Field, entries: readonly Entry[], { at, above }: MappingPlace): MapSource | undefined {
    const whole = entries.find(({ path }) => path === '');
    const inner = entries.filter((each) => each !== whole);
    const spot = { at, above: [...above, field.name] };
    if (whole !== undefined) {
      for (const { container, key } of inner)
        this.#refuse(`${key} is part of ${field.name}, which is filled as a whole`, spot, this.#key(container, key));
      return this.#said(scope, field, whole, spot);
    }
    if (inner.length > 0) return this.#parts(scope, field, inner, spot);
    const own = scope.auto?.shape.fields.find(({ name }) => name === field.name);
    if (own !== undefined) return this.#field(field, [...(scope.auto?.prefix ?? []), own], {}, spot);
    if (isNeeded(field) && field.absent !== 'blank' && this.#complete) {
      const path = spot.above.join('.');
      this.#raise('unfilled-field', { field: path, of: this.#to, from: this.#from }, at);
    }
    return undefined;
  }

  /** A document whose fields are filled one by one; those of the same name from the document of the same name, if there is one. */
  #parts(scope: Scope, field: Field, entries: readonly Entry[], spot: MappingPlace): MapSource | undefined {
    const [first] = entries as [Entry];
    if (field.type.kind !== 'document' || field.type.document.choice !== undefined) {
      const reason = `${field.name} is ${typeWords(field.type)}, so ${first.key} can't be filled by its path; use \`from\` and \`map\``;
      return this.#refuse(reason, spot, this.#key(first.container, first.key));
    }
    const own = scope.auto?.shape.fields.find(({ name }) => name === field.name);
    const document =
      own?.type.kind === 'document' && own.type.document.choice === undefined ? own.type.document : undefined;
    const auto = document && own && { shape: document, prefix: [...(scope.auto?.prefix ?? []), own] };
    const at = this.#key(first.container, first.key);
    const mapping: Mutable<Mapping> = { from: scope.shape, to: field.type.document, members: [] };
    this.#fill(mapping, { shape: scope.shape, auto }, entries, { at, above: spot.above });
    return { kind: 'parts', mapping };
  }

  /** A field with an entry of its own. */
  #said(scope: Scope, field: Field, { container, key }: Entry, spot: MappingPlace): MapSource | undefined {
    const said = container[key] as Single | SourceDeclared;
    const at = this.#linking.places.value(container, key);
    if (said === 'none') {
      if (isNeeded(field)) this.#refuse(`${key} is required, so it can't be \`none\``, spot, at);
      return undefined;
    }
    if (typeof said !== 'object') return this.#short(scope, field, { container, key }, spot);
    return this.#long(scope, field, said, { ...spot, at });
  }

  /** `"{FIELD}"`, or a value that is always the same. */
  #short(
    scope: Scope,
    field: Field,
    { container, key }: Omit<Entry, 'path'>,
    spot: MappingPlace,
  ): MapSource | undefined {
    const said = container[key] as Single;
    const at = this.#linking.places.value(container, key);
    const name = typeof said === 'string' ? /^\{([^{}]+)\}$/.exec(said)?.[1] : undefined;
    if (name !== undefined) {
      const path = this.#path(scope.shape, name, at);
      return path && this.#field(field, path, {}, { ...spot, at });
    }
    if (typeof said === 'string' && /[{}]/.test(said)) {
      const reason = `${JSON.stringify(said)} is neither one field in braces nor a text without them; write such a text as \`{ fixed: … }\``;
      return this.#refuse(reason, spot, at);
    }
    const value = this.#value(field, said, container, key);
    return value === undefined ? undefined : { kind: 'value', value };
  }

  #long(scope: Scope, field: Field, said: SourceDeclared, spot: MappingPlace): MapSource | undefined {
    if (said.fixed !== undefined) {
      const others = (['from', 'values', 'default', 'map', 'cut', 'fault'] as const).filter(
        (key) => said[key] !== undefined,
      );
      if (others.length > 0) return this.#refuse(`\`fixed\` and \`${others[0]}\` exclude each other`, spot);
      const value = this.#value(field, said.fixed, said, 'fixed');
      return value === undefined ? undefined : { kind: 'value', value };
    }
    if (said.from !== undefined) {
      const path = this.#path(scope.shape, said.from, this.#linking.places.value(said, 'from'));
      return path && this.#field(field, path, said, spot);
    }
    const { auto } = scope;
    const own = auto?.shape.fields.find(({ name }) => name === field.name);
    if (own !== undefined) return this.#field(field, [...(auto?.prefix ?? []), own], said, spot);
    if (this.#complete) this.#refuse(`${this.#from} has no field ${field.name}; name another one with \`from\``, spot);
    return undefined;
  }

  /** The field that a path leads to, after those in which it is. */
  #path(shape: Shape, text: string, at: Place): Field[] | undefined {
    const path: Field[] = [];
    let inside = shape;
    for (let rest = text; ; ) {
      const step = firstStep(inside, rest);
      if (step === undefined) {
        this.#unknown(rest, path.length === 0 ? this.#from : `${path.map(({ name }) => name).join('.')}`, inside, at);
        return undefined;
      }
      path.push(step.field);
      if (step.rest === '') return path;
      const { type, name } = step.field;
      if (type.kind !== 'document') {
        const words = `${name} is ${typeWords(type)}, which has no field ${step.rest} of its own`;
        return this.#refuse(isCollection(type) ? `${words}; use \`from: ${name}\` and \`map\`` : words, {
          at,
          above: [],
        });
      }
      inside = type.document;
      rest = step.rest;
    }
  }

  /** A field that is filled from another. */
  #field(field: Field, path: readonly Field[], said: SourceDeclared, spot: MappingPlace): FieldSource | undefined {
    const own = path.at(-1) as Field;
    const values = said.values === undefined ? undefined : this.#values(field, own, said.values);
    const otherwise = said.default === undefined ? undefined : this.#value(field, said.default, said, 'default');
    this.#checkPresent(field, path, said, spot);
    const source = { kind: 'field', path, ...given({ values, otherwise }) } as const;
    const [from, to] = [singleType(own.type), singleType(field.type)];
    const isAlike = isCollection(own.type) ? own.type.kind === field.type.kind : !isCollection(field.type);
    const what = `${spot.above.join('.')} of ${this.#to}`;
    if (isAlike && from.kind === 'document' && to.kind === 'document') {
      const counted = this.#proven(what, field, { own, values }, said, spot);
      if (counted === undefined) return undefined;
      const entries = { ...source, ...counted };
      if (from.document === to.document && said.map === undefined) return entries;
      return { ...entries, mapping: this.#inner(from.document, to.document, said.map, spot) };
    }
    if (said.map !== undefined)
      return this.#refuse(
        `\`map\` fills ${spot.above.join('.')}, which is ${typeWords(field.type)}, from ${own.name}, which is ${typeWords(own.type)}; both must be documents, or both lists or maps of documents`,
        spot,
      );
    const reason = whyNoValue(field, own, values);
    if (reason !== undefined) return this.#refuse(`${what} ${reason}`, spot);
    const proven = this.#proven(what, field, { own, values }, said, spot);
    return proven && { ...source, ...proven };
  }

  /** What is done to values that may not fit. Where nothing is declared for these, they are reported. */
  #proven(
    what: string,
    field: Field,
    given: Given,
    said: SourceDeclared,
    spot: MappingPlace,
  ): { cut?: true } | undefined {
    const unproven = unprovenRestriction(field, given);
    const cutting = said.cut === true ? ({ cut: true } as const) : {};
    if (unproven === undefined || said.fault === true || (unproven.cuts && said.cut === true)) return cutting;
    const remedies = [
      ...(unproven.cuts ? ['`cut: true`'] : []),
      ...(unproven.isCount ? [] : ['`values`']),
      '`fault: true`',
    ];
    return this.#refuse(
      `${what} ${unproven.reason}; say in \`map\` what becomes of such values: ${remedies.join(', ')}`,
      spot,
    );
  }

  #inner(from: Document, to: Document, said: MembersDeclared | undefined, spot: MappingPlace): Mapping {
    const scope = { shape: from, auto: { shape: from, prefix: [] } };
    if (said !== undefined) {
      const entries = Object.keys(said).map((key) => ({ path: key, container: said, key }));
      return this.mapping(scope, to, entries, spot);
    }
    const known = this.#known.get(from) ?? new Map<Shape, Mapping>();
    this.#known.set(from, known);
    const found = known.get(to);
    if (found !== undefined) return found;
    const mapping: Mutable<Mapping> = { from, to, members: [] };
    known.set(to, mapping);
    this.#fill(mapping, scope, [], spot);
    return mapping;
  }

  /** What is required must always be there. */
  #checkPresent(field: Field, path: readonly Field[], said: SourceDeclared, spot: MappingPlace): void {
    if (!isNeeded(field) || field.absent === 'blank' || said.default !== undefined) return;
    const own = path.at(-1) as Field;
    const name = path.map((each) => each.name).join('.');
    const optional = path.find((each) => !each.required && !hasOwnValue(each));
    const what = `${spot.above.join('.')} of ${this.#to} is required`;
    const remedy = 'give it a `default` in `map`';
    if (optional !== undefined) this.#refuse(`${what}, but ${name} of ${this.#from} is optional; ${remedy}`, spot);
    else if (own.nullable === true && field.nullable !== true)
      this.#refuse(`${what}, but ${name} of ${this.#from} may be null; ${remedy}`, spot);
  }

  #values(field: Field, own: Field, said: NonNullable<SourceDeclared['values']>): ReadonlyMap<string, Value> {
    const { places } = this.#linking;
    const known = valuesOf(own);
    return new Map(
      Object.keys(said).flatMap((key): [string, Value][] => {
        if (known !== undefined && !known.includes(key)) {
          const reason = `${own.name} of ${this.#from} never has the value ${JSON.stringify(key)}; it is one of ${known.join(', ')}`;
          this.#raise('bad-map', { reason }, places.key(said, key));
        }
        const value = this.#value(field, said[key] as Single, said, key);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  }

  /** A value of the definitions in the form of a field. One that does not fit is reported. */
  #value(field: Field, value: Single, container: object, key: string): Value {
    const { places } = this.#linking;
    const written = places.written(container, key) ?? String(value);
    const type = singleType(field.type);
    const fitted =
      type.kind === 'document' || !isComparable({ ...field, type }) ? undefined : fitValue({ value, written }, type);
    const refuse = (reason: string): undefined => {
      this.#raise('value-does-not-fit', { option: 'map value', value: written, reason }, places.value(container, key));
    };
    if (fitted === undefined || type.kind === 'document') return refuse(`${field.name} is ${typeWords(field.type)}`);
    if (!fitted.fits) return refuse(fitted.reason);
    const by = restrictionOf(entryField(field));
    const found = spelled(fitted.value, by);
    const reason = restrictionBroken(found, type, by);
    return reason === undefined ? found : refuse(reason);
  }

  #raise<C extends Code>(code: C, parameters: ParametersOf<C>, at: Place): void {
    this.hasRefused = true;
    this.#linking.report.raise(code, parameters, at);
  }

  #key(container: MembersDeclared, key: string): Place {
    return this.#linking.places.key(container, key);
  }

  #refuse(reason: string, spot: MappingPlace, at = spot.at): undefined {
    this.#raise('bad-map', { reason }, at);
  }

  #unknown(name: string, where: string, { fields }: Shape, at: Place): void {
    if (!this.#complete) return;
    this.#raise('unknown-map-field', { name, where, known: fields.map((field) => field.name) }, at);
  }
}

/** The field that an entry names. */
function sourceName(said: Single | SourceDeclared | undefined): string | undefined {
  return typeof said === 'object' ? said.from : /^\{([^{}]+)\}$/.exec(String(said))?.[1];
}

/** The field that begins a path, and the rest. Names of fields may contain dots, so the longest one is meant. */
function firstStep({ fields }: Shape, path: string): { readonly field: Field; readonly rest: string } | undefined {
  const found = fields.filter(({ name }) => path === name || path.startsWith(`${name}.`));
  const [field] = found.sort((a, b) => b.name.length - a.name.length);
  return field && { field, rest: path.slice(field.name.length + 1) };
}

/** Why values of one document can't become values of another at all. */
function whyNotAlike(from: Shape, to: Shape): string | undefined {
  if ((from.choice === undefined) === (to.choice === undefined)) return undefined;
  const [one, other] = from.choice === undefined ? [to, from] : [from, to];
  return `${one.id} is one of several documents, and ${other.id} is not`;
}
