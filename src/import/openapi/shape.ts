import type { Purpose } from '../draft.ts';
import type { Losses } from '../place.ts';
import { checkHops, type References, referenceOf } from './references.ts';
import { HARMLESS_SIBLINGS, hasSiblings, tellSiblings } from './siblings.ts';
import { type Node, pointerTokens } from './tree.ts';
import type { OpenApiVersion } from './validate.ts';

/** Schemas that all hold: one as written, or several that `allOf` combines for one property. */
export type Schemas = readonly Node[];

/** The types of JSON Schema, and `file` of OpenAPI 2.0. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null' | 'file';

/** What the reading of schemas needs to know about the contract. */
export interface SchemaContext {
  readonly version: OpenApiVersion;
  readonly references: References;
  readonly losses: Losses;
  /** Whether a message of the contract is XML. */
  readonly hasXml: boolean;
  /** Whether types that definitions can't say are kept in a form of their own, to be compared. */
  readonly purpose: Purpose;
  /** What has been reported once for all places. */
  readonly told: Set<string>;
}

/** Records a loss at its first place only: many values share a format, and many replies a header. */
export function tellOnce({ losses, told }: SchemaContext, what: string, instead: string, node: Node | undefined): void {
  if (node === undefined || told.has(what)) return;
  told.add(what);
  losses.add(what, instead, node.place);
}

/** Notes something at its first place only. */
export function noteOnce({ losses, told }: SchemaContext, what: string, instead: string, node: Node): void {
  if (told.has(what)) return;
  told.add(what);
  losses.note(what, instead, node.place);
}

/** A schema with the keywords of all schemas that it combines by `allOf` and `$ref`. */
export class Shape {
  /** Where it is written. */
  readonly node: Node;
  readonly parts: readonly Node[];
  /** A schema with a discriminator that it extends by `allOf`. */
  readonly base: Node | undefined;
  /** Whether no value is valid. */
  readonly isNever: boolean;

  constructor(node: Node, parts: readonly Node[], base: Node | undefined, isNever: boolean) {
    this.node = node;
    this.parts = parts;
    this.base = base;
    this.isNever = isNever;
  }

  all(keyword: string): Node[] {
    return this.parts.flatMap((part) => part.get(keyword) ?? []);
  }

  first(keyword: string): Node | undefined {
    for (const part of this.parts) {
      const found = part.get(keyword);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  has(...keywords: readonly string[]): boolean {
    return keywords.some((keyword) => this.first(keyword) !== undefined);
  }

  /** The schemas of each property. */
  properties(): Map<string, Node[]> {
    const found = new Map<string, Node[]>();
    for (const [name, node] of this.all('properties').flatMap((each) => each.entries())) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [node]);
      else if (!known.some((each) => each.value === node.value)) known.push(node);
    }
    return found;
  }

  required(): Map<string, Node> {
    const names = this.all('required').flatMap((each) => each.items());
    return new Map(names.flatMap((each) => (each.text === undefined ? [] : [[each.text, each] as const])));
  }

  /** The types that all parts allow; `undefined` for any. */
  types(): Set<JsonType> | undefined {
    let types: Set<JsonType> | undefined;
    for (const part of this.parts) {
      const type = part.get('type');
      if (type === undefined) continue;
      const listed = (Array.isArray(type.value) ? type.items() : [type]).flatMap(({ text }) => text ?? []);
      const own = new Set(listed as JsonType[]);
      if (part.get('nullable')?.flag || part.get('x-nullable')?.flag) own.add('null');
      types = types === undefined ? own : common(types, own);
    }
    return types;
  }

  /** Whether null is a value, of those that have a type. */
  isNullable(): boolean {
    const types = this.types();
    if (types?.has('null')) return true;
    const own = this.node;
    return (own.get('nullable')?.flag || own.get('x-nullable')?.flag) === true;
  }
}

/** An integer is a number too. */
function common(a: ReadonlySet<JsonType>, b: ReadonlySet<JsonType>): Set<JsonType> {
  const found = new Set([...a].filter((type) => b.has(type)));
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const)
    if (one.has('integer') && other.has('number')) found.add('integer');
  return found;
}

/** Combines schemas with those that they refer to and that they name in `allOf`. */
export function shapeOf(schemas: Schemas, context: SchemaContext): Shape {
  const { references, version } = context;
  const parts: Node[] = [];
  const seen = new Set<unknown>();
  let base: Node | undefined;
  let isNever = false;
  let depth = 0;
  const open = new Set<unknown>();
  const visit = (node: Node, from = node): void => {
    if (node.value === false) isNever = true;
    if (open.has(node.value))
      tellOnce(context, `a schema that is part of itself by "${from.text}"`, 'taken once', from);
    if (node.map === undefined || seen.has(node.value)) return;
    seen.add(node.value);
    open.add(node.value);
    checkHops(++depth, node);
    const reference = referenceOf(node);
    if (reference !== undefined) {
      if (hasSiblings(version)) parts.push(node);
      else tellSiblings(node, version, context.losses);
      visit(references.target(reference, node), reference);
    } else parts.push(node);
    const isAlone = reference !== undefined && !hasSiblings(version);
    for (const member of isAlone ? [] : (node.get('allOf')?.items() ?? [])) {
      const target = references.follow(member);
      if (base === undefined && target !== member && !seen.has(target.value) && isBase(target)) base = target;
      else visit(member);
    }
    open.delete(node.value);
    depth--;
  };
  for (const schema of schemas) visit(schema);
  return new Shape(schemas[0] as Node, parts, base, isNever);
}

/** Whether other schemas extend one: it names the property that says which of them a value is. */
export function isBase(node: Node): boolean {
  return node.has('discriminator') && !node.has('oneOf') && !node.has('anyOf');
}

/** Keywords beside a single `allOf` that leave it what it is. */
const AROUND =
  /^(?:allOf|description|summary|title|default|example|examples|deprecated|nullable|readOnly|writeOnly|xml|externalDocs|x-.*)$/;

/** A schema that another stands for. */
export interface Referred {
  readonly node: Node;
  /** Its name in the contract; absent if nothing was referred to. */
  readonly name: string | undefined;
  /** Whether null is a value too. */
  readonly isNullable: boolean;
}

/** The schema that a node stands for, by `$ref` or a single `allOf`, if the node adds nothing to it but null. */
export function referred(node: Node, { references, version }: SchemaContext): Referred {
  let found = node;
  let name: string | undefined;
  let isNullable = false;
  const seen = new Set<unknown>();
  while (!seen.has(found.value)) {
    seen.add(found.value);
    const reference = referenceOf(found);
    const adds = (harmless: RegExp): boolean => found.entries().some(([key]) => !harmless.test(key));
    if (reference !== undefined) {
      if (hasSiblings(version) && adds(HARMLESS_SIBLINGS)) break;
      checkHops(seen.size, reference);
      name = nameOfReference(reference.text as string);
      found = references.target(reference, found);
      continue;
    }
    const [only, ...others] = found.get('allOf')?.items() ?? [];
    if (only === undefined || others.length > 0 || adds(AROUND)) break;
    checkHops(seen.size, only);
    isNullable ||= (found.get('nullable')?.flag || found.get('x-nullable')?.flag) === true;
    // The name of the schema around says as much as that of what it stands for.
    found = only;
  }
  return { node: found, name, isNullable };
}

/** The name of what is referred to: the last part of the pointer, or the name of the file. */
export function nameOfReference(text: string): string {
  const [to = '', fragment = ''] = text.split(/#(.*)/s);
  const token = pointerTokens(fragment).at(-1) ?? fragment;
  if (token !== '') return decodedName(token);
  const file =
    to
      .replace(/[?].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  return decodedName(file.replace(/(.)\.(?:json|ya?ml|schema\.json)$/i, '$1')) || 'Schema';
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
