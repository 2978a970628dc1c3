import { type Losses, type Place, placeWords, refuseInvalid } from '../place.ts';
import { hasSiblings, tellSiblings } from './siblings.ts';
import { type Node, pointerTokens, type TreeMap, type TreeValue } from './tree.ts';
import {
  byChoice,
  byMeaning,
  explained,
  NAMED,
  type OpenApiVersion,
  type SchemaError,
  validatorOf,
} from './validate.ts';

/** A part of a contract in another file, by its name among the components of OpenAPI 3. */
export type PartKind = 'parameters' | 'responses' | 'requestBodies' | 'pathItems';

/**
 * Takes what is valid of a contract: what is not valid by the schema of its version is removed, as little as possible, and recorded,
 * all of it at once.
 * @returns the pointers of what was removed, but for entries of lists
 * @throws ImportError for a contract of which nothing is left, with all that is recorded
 */
export function takeValid(root: Node, version: OpenApiVersion, losses: Losses): ReadonlySet<string> {
  if (validatorOf(version)(root.value)) return new Set();
  const mending = new Mending(root, version);
  // Path by path and component by component, since each round costs as much as what it checks.
  const isSound = mending.round((copy) => withoutPieces(copy as TreeMap));
  if (isSound)
    for (const piece of piecesOf(root))
      if (!mending.round((copy) => alone(copy as TreeMap, piece))) mending.leaveOut(piece);
  if (!isSound) mending.tellLast('nothing of the contract is taken');
  mending.report(losses);
  if (!isSound) refuseInvalid(losses.all(), 'Correct the contract: without this, nothing of it can be taken.');
  return mending.removed;
}

/** Takes what is valid of a part of a contract that is in another file, which many of them are not as a whole. */
export function takeValidPart(node: Node, kind: PartKind, version: OpenApiVersion, losses: Losses): void {
  const isItem = kind === 'pathItems';
  const inComponents = !isItem && version !== '2.0';
  const prefix = isItem ? ['paths', '/part'] : inComponents ? ['components', kind, 'part'] : [kind, 'part'];
  const mending = new Mending(node, version, prefix.length);
  if (!mending.round((copy) => framed(version, prefix, copy))) mending.tellLast('taken as far as it is known');
  mending.report(losses);
}

/** Members whose own members are checked one by one. */
const MAPS: readonly (readonly string[])[] = [
  ['paths'],
  ['webhooks'],
  ...['definitions', 'parameters', 'responses', 'securityDefinitions'].map((each) => [each]),
  ...[
    'schemas',
    'parameters',
    'responses',
    'requestBodies',
    'headers',
    'examples',
    'links',
    'callbacks',
    'securitySchemes',
    'pathItems',
  ].map((each) => ['components', each]),
];

type Pointer = readonly string[];

function piecesOf(root: Node): Pointer[] {
  return MAPS.flatMap((map) => (root.at(map)?.entries() ?? []).map(([name]) => [...map, name]));
}

function isMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A contract in which the maps of {@link MAPS} are empty. */
function withoutPieces(copy: TreeMap): TreeValue {
  const emptied = (map: TreeMap, names: readonly string[]): TreeMap =>
    Object.fromEntries(
      Object.entries(map).map(([key, value]) => [key, names.includes(key) && isMap(value) ? {} : value]),
    );
  const { components } = copy;
  const top = emptied(
    copy,
    MAPS.flatMap(([name = '', inner]) => (inner === undefined ? [name] : [])),
  );
  if (!isMap(components)) return top;
  return {
    ...top,
    components: emptied(
      components,
      MAPS.flatMap(([, inner]) => inner ?? []),
    ),
  };
}

/** A contract with one path or component. */
function alone(copy: TreeMap, piece: Pointer): TreeValue {
  const value = valueAt(copy, piece);
  return framed(copy.swagger === undefined ? String(copy.openapi) : '2.0', piece, value);
}

function framed(version: string, pointer: Pointer, value: TreeValue | undefined): TreeValue {
  const named = /^\d+\.\d+$/.test(version) && version !== '2.0' ? `${version}.0` : version;
  const inside = value === undefined ? {} : pointer.reduceRight((inner, key): TreeValue => ({ [key]: inner }), value);
  const contract = {
    [version === '2.0' ? 'swagger' : 'openapi']: named,
    info: { title: 'Part', version: '1' },
    paths: {},
  };
  return { ...contract, ...(inside as TreeMap) };
}

function valueAt(value: TreeValue | undefined, pointer: Pointer): TreeValue | undefined {
  let found = value;
  for (const token of pointer) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found)
      ? (found as readonly TreeValue[])[Number(token)]
      : Object.hasOwn(found, token)
        ? (found as TreeMap)[token]
        : undefined;
  }
  return found;
}

/** Something that is not valid, with what is taken. */
interface Problem {
  readonly what: string;
  instead: string;
  readonly place: Place;
  readonly hint: string | undefined;
}

/** Removes what is not valid from a tree. */
class Mending {
  readonly #root: Node;
  readonly #version: OpenApiVersion;
  /** The depth of the root in what is checked. */
  readonly #depth: number;
  /** The values as they are checked, which has members too that only make it valid. */
  readonly #copy: TreeValue;
  readonly #problems: Problem[] = [];
  readonly #siblings: { readonly node: Node }[] = [];
  /** Members that were removed, by the map in the copy: what lacks one afterwards is no problem of its own. */
  readonly #removed = new Map<unknown, Map<string, Problem>>();
  /** Members of the copy that were added, so that it is valid: what adds one again leads nowhere. */
  readonly #added = new Map<unknown, Set<string>>();
  /** The pointers of what was removed, but for entries of lists. */
  readonly removed = new Set<string>();
  /** The error that could not be repaired. */
  #last: SchemaError | undefined;

  constructor(root: Node, version: OpenApiVersion, depth = 0) {
    this.#root = root;
    this.#version = version;
    this.#depth = depth;
    this.#copy = structuredClone(root.value) as TreeValue;
  }

  /** Repairs until the values in a frame are valid, or nothing is repaired any more. @returns whether they are */
  round(frame: (copy: TreeValue) => TreeValue): boolean {
    for (;;) {
      const framedCopy = frame(this.#copy);
      const first = validatorOf(this.#version);
      if (first(framedCopy)) return true;
      const all = validatorOf(this.#version, 'all');
      all(framedCopy);
      const errors = this.#inside(all.errors ?? []);
      const order = new Map(errors.map((error, index) => [error, index]));
      const { certain, choices } = byChoice(errors);
      const likely = (some: readonly SchemaError[]): readonly SchemaError[] =>
        byMeaning(some, this.#root, this.#version);
      if (this.#mendAll(likely(certain), order)) continue;
      if (
        choices.length > 1 &&
        this.#mendAll(
          choices.flatMap((each) => likely(each).slice(0, 1)),
          order,
        )
      )
        continue;
      const [error] = likely(this.#inside(first.errors ?? []));
      this.#last = error;
      if (error === undefined || !this.#mendAll([error])) return false;
    }
  }

  /** Repairs the errors that have nothing to do with an earlier one. @returns whether anything was changed */
  #mendAll(errors: readonly SchemaError[], order: ReadonlyMap<SchemaError, number> = new Map()): boolean {
    const mended = new Places();
    const plans = errors.flatMap((error) => {
      const pointer = pointerTokens(error.instancePath);
      const unknown = unknownKeyOf(error);
      const target = unknown === undefined ? pointer : [...pointer, unknown];
      if (mended.touches(target)) return [];
      const plan = this.#planOf(error, pointer);
      if (plan === undefined || (plan.removes !== undefined && mended.touches(plan.removes))) return [];
      mended.add(target);
      if (plan.removes !== undefined) mended.add(plan.removes);
      return [{ ...plan, pointer, order: order.get(error) ?? 0 }];
    });
    for (const { tell } of plans.toSorted((one, other) => one.order - other.order)) tell?.();
    // From the end of each list on, so that its entries keep their positions.
    const fromEnd = plans.toSorted((one, other) =>
      compared(other.removes ?? other.pointer, one.removes ?? one.pointer),
    );
    return fromEnd.filter(({ apply }) => apply()).length > 0;
  }

  /** Errors with paths from the root. */
  #inside(errors: readonly SchemaError[]): readonly SchemaError[] {
    if (this.#depth === 0) return errors;
    return errors.flatMap((error) => {
      const tokens = error.instancePath.split('/').slice(1);
      const path = tokens.slice(this.#depth).map((each) => `/${each}`);
      return tokens.length < this.#depth ? [] : [{ ...error, instancePath: path.join('') }];
    });
  }

  leaveOut(pointer: Pointer): void {
    const node = this.#root.at(pointer);
    if (node === undefined) return;
    this.tellLast(`"${pointer.at(-1)}" is left out`);
    this.#remove(pointer);
  }

  /** Records the error that could not be repaired. */
  tellLast(instead: string): void {
    if (this.#last === undefined) return;
    const { reason, place } = explained(this.#last, this.#root, this.#version);
    this.#problems.push({ what: reason, instead, place, hint: undefined });
  }

  report(losses: Losses): void {
    for (const { node } of this.#siblings) tellSiblings(node, this.#version, losses);
    const known = new Set<string>();
    for (const { what, instead, place, hint } of this.#problems) {
      const key = `${placeWords(place)} ${what}`;
      if (!known.has(key)) losses.invalid(what, instead, place, hint);
      known.add(key);
    }
  }

  /** How one error is repaired; `undefined` if it can't be. */
  #planOf(error: SchemaError, pointer: Pointer): Plan | undefined {
    const holder = this.#referenceAround(pointer);
    if (holder !== undefined) {
      const node = this.#root.at(holder);
      const tell = (): void => {
        if (node !== undefined) this.#siblings.push({ node });
      };
      return { removes: holder, tell, apply: () => this.#ignoreSiblings(holder) };
    }
    const { reason, place, hint } = explained(error, this.#root, this.#version);
    const problem: Problem = { what: reason, instead: 'ignored', place, hint };
    const how = this.#repairOf(error, pointer);
    if (how === undefined) return undefined;
    const cause =
      error.keyword === 'required' ? this.#causeOf(pointer, String(error.params.missingProperty)) : undefined;
    const tell = (): void => {
      if (cause === undefined) this.#problems.push(problem);
      if (cause === undefined || how.removes !== undefined) (cause ?? problem).instead = how.instead;
    };
    const { removes } = how;
    return removes === undefined
      ? { tell, apply: how.adapts }
      : { removes, tell, apply: () => this.#remove(removes, cause ?? problem) };
  }

  #causeOf(pointer: Pointer, missing: string): Problem | undefined {
    return this.#removed.get(valueAt(this.#copy, pointer))?.get(missing);
  }

  /** The reference around a place that has other members too, if these don't count. */
  #referenceAround(pointer: Pointer): Pointer | undefined {
    if (hasSiblings(this.#version)) return undefined;
    for (let length = pointer.length; length > 0; length--) {
      const holder = pointer.slice(0, length);
      const value = valueAt(this.#copy, holder);
      const areNames = NAMED.has(holder.at(-1) ?? '') && !NAMED.has(holder.at(-2) ?? '');
      if (areNames || holder.at(-2) === 'paths' || !isMap(value) || typeof value.$ref !== 'string') continue;
      if (Object.keys(value).length > 1) return holder;
    }
    return undefined;
  }

  /** What is next to a reference does not count in OpenAPI 2.0 and 3.0, but for paths, where it may (3.0.3, section 4.7.9). */
  #ignoreSiblings(holder: Pointer): boolean {
    const value = valueAt(this.#copy, holder) as Record<string, TreeValue>;
    for (const key of Object.keys(value)) if (key !== '$ref') delete value[key];
    return true;
  }

  #repairOf(error: SchemaError, pointer: Pointer): Repair | undefined {
    const { keyword, params } = error;
    const holder = valueAt(this.#copy, pointer);
    const unknown = unknownKeyOf(error);
    if (unknown !== undefined) return this.#unknownKey(unknown, pointer);
    if (keyword === 'required' && isMap(holder))
      return this.#missingKey(String(params.missingProperty), holder, pointer);
    if (keyword === 'uniqueItems')
      return { removes: [...pointer, String(Math.max(Number(params.i), Number(params.j)))], instead: 'taken once' };
    const both = keyword === 'not' ? requiredTogether(error) : [];
    if (both.length > 0)
      return { removes: [...pointer, both.at(-1) as string], instead: `"${both.at(-1)}" is ignored` };
    const key = pointer.at(-1);
    const only = onlyValue(error);
    if (key === undefined) return undefined;
    if (key === 'openapi' && pointer.length === 1)
      return this.#set(pointer, `${this.#version}.0`, `taken as ${this.#version}`);
    if (isKind(pointer)) return { removes: pointer.slice(0, -1), instead: 'left out' };
    if (key === 'required' && only === true) return this.#set(pointer, true, 'taken as true');
    if (isOfOtherVersion(key, holder))
      return this.#set(pointer, undefined, asIn(typeof holder === 'boolean' ? '3.0' : '3.1'));
    const around = pointer.at(-2) ?? '';
    const isEntry = Array.isArray(valueAt(this.#copy, pointer.slice(0, -1))) || NAMED.has(around);
    return { removes: pointer, instead: isEntry ? 'left out' : 'ignored' };
  }

  #unknownKey(key: string, pointer: Pointer): Repair {
    const member = [...pointer, key];
    // A path without its slash is one all the same.
    const isPath = pointer.length === 1 && pointer[0] === 'paths';
    if (isPath && this.#root.get('paths')?.has(`/${key}`))
      return { removes: member, instead: `left out, since "/${key}" is there too` };
    if (isPath) return this.#set(member, undefined, `taken as "/${key}"`);
    const holder = this.#root.at(pointer);
    const isSchema = holder !== undefined && isSchemaAt(pointer);
    if (isSchema && !hasSiblings(this.#version) && OF_LATER_VERSIONS.has(key))
      return this.#set(member, undefined, asIn(OF_THREE.has(key) ? '3.0' : '3.1'));
    return { removes: member, instead: 'ignored' };
  }

  /** What lacks something is taken without it, if its meaning does not depend on that; else it is left out. */
  #missingKey(key: string, holder: TreeMap, pointer: Pointer): Repair | undefined {
    const stand = STAND_INS[key]?.(holder, pointer);
    if (stand !== undefined) return this.#set([...pointer, key], stand.value, stand.instead ?? 'taken without it');
    return pointer.length === 0
      ? undefined
      : { removes: pointer, instead: `${shownName(pointer, holder)} is left out` };
  }

  /** Changes what is checked, and not what is read. @param value `undefined` to remove it */
  #set(pointer: Pointer, value: TreeValue | undefined, instead: string): Repair {
    const adapts = (): boolean => {
      const map = valueAt(this.#copy, pointer.slice(0, -1)) as Record<string, TreeValue>;
      const key = pointer.at(-1) as string;
      if (value === undefined) return Object.hasOwn(map, key) && delete map[key];
      const added = this.#added.get(map) ?? new Set();
      if (added.has(key)) return false;
      this.#added.set(map, added.add(key));
      map[key] = value;
      return true;
    };
    return { instead, adapts };
  }

  #remove(pointer: Pointer, problem?: Problem): boolean {
    const [around, key] = [pointer.slice(0, -1), pointer.at(-1) as string];
    const container = valueAt(this.#copy, around);
    if (typeof container !== 'object' || container === null) return false;
    if (Array.isArray(container)) (container as TreeValue[]).splice(Number(key), 1);
    else if (!Object.hasOwn(container, key)) return false;
    else delete (container as Record<string, TreeValue>)[key];
    this.#root.at(around)?.remove(key);
    if (!Array.isArray(container)) this.removed.add(pointer.join('/'));
    if (problem !== undefined) {
      const known = this.#removed.get(container) ?? new Map<string, Problem>();
      this.#removed.set(container, known.set(key, problem));
    }
    return true;
  }
}

/** A repair that can be done. */
interface Plan {
  readonly removes?: Pointer;
  readonly tell?: () => void;
  /** @returns whether anything was changed */
  readonly apply: () => boolean;
}

/** Places of which no two are inside one another. */
class Places {
  readonly #own = new Set<string>();
  readonly #around = new Set<string>();

  add(pointer: Pointer): void {
    pointer.forEach((_, length) => {
      this.#around.add(keyOf(pointer.slice(0, length)));
    });
    this.#own.add(keyOf(pointer));
  }

  /** Whether a place is around or inside one of them. */
  touches(pointer: Pointer): boolean {
    if (this.#around.has(keyOf(pointer)) || this.#own.has(keyOf(pointer))) return true;
    return pointer.some((_, length) => this.#own.has(keyOf(pointer.slice(0, length))));
  }
}

const keyOf = (pointer: Pointer): string => pointer.map((each) => `/${each.replaceAll('/', '~1')}`).join('');

/** An order of places in which the entries of a list are as in it. */
function compared(one: Pointer, other: Pointer): number {
  const at = one.findIndex((token, index) => token !== other[index]);
  const [a = '', b = ''] = at === -1 ? [] : [one[at], other[at]];
  const [x, y] = [a, b].map((each) => (/^\d+$/.test(each) ? Number(each) : Number.POSITIVE_INFINITY)) as [
    number,
    number,
  ];
  return x === y ? Number(a > b) - Number(a < b) : x - y;
}

function unknownKeyOf({ params }: SchemaError): string | undefined {
  const unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return typeof unknown === 'string' ? unknown : undefined;
}

/** What is done about an error: something is removed, or only what is checked is changed. */
type Repair =
  | { readonly instead: string; readonly removes: Pointer }
  | { readonly instead: string; readonly removes?: undefined; readonly adapts: () => boolean };

const asIn = (version: string): string => `taken as OpenAPI ${version} has it`;

function shownName(pointer: Pointer, holder: TreeMap): string {
  const [around = '', last = ''] = pointer.slice(-2);
  const isEntry = /^\d+$/.test(last) && (around === 'parameters' || !NAMED.has(around));
  if (!isEntry) return `"${last}"`;
  return typeof holder.name === 'string' ? `"${holder.name}"` : 'it';
}

/** What a contract may lack, by the key, with a value that makes it valid. */
const STAND_INS: Readonly<
  Record<
    string,
    (holder: TreeMap, pointer: Pointer) => { readonly value: TreeValue; readonly instead?: string } | undefined
  >
> = {
  info: () => ({ value: { title: 'Untitled', version: '1' } }),
  title: () => ({ value: 'Untitled' }),
  version: () => ({ value: '1' }),
  paths: () => ({ value: {} }),
  description: () => ({ value: '' }),
  responses: () => ({ value: { default: { description: '' } } }),
  content: () => ({ value: {} }),
  schema: () => ({ value: {}, instead: 'taken as a text' }),
  items: () => ({ value: { type: 'string' }, instead: 'entries are taken as texts' }),
  required: (holder) => (holder.in === 'path' ? { value: true, instead: 'taken as required' } : undefined),
  type: (holder) => (holder.in === undefined ? undefined : { value: 'string', instead: 'taken as a text' }),
  flows: () => ({ value: {} }),
  scopes: () => ({ value: {} }),
  authorizationUrl: () => ({ value: 'https://unknown.invalid' }),
  openIdConnectUrl: () => ({ value: 'https://unknown.invalid' }),
  default: () => ({ value: '' }),
};

/** Keywords of schemas that OpenAPI 3.0 has, and 2.0 has not. */
const OF_THREE = new Set(['oneOf', 'anyOf', 'not', 'nullable', 'deprecated', 'writeOnly']);

/** Keywords of schemas that later versions have, and that are read in all. */
const OF_LATER_VERSIONS = new Set([
  ...OF_THREE,
  ...['const', 'examples', 'patternProperties', 'prefixItems', 'contentEncoding', 'contentMediaType', 'propertyNames'],
  ...['$defs', '$id', '$schema', '$comment', '$anchor', 'if', 'then', 'else', 'contains', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', 'minContains', 'maxContains', 'unevaluatedItems', 'contentSchema'],
]);

/** Whether a keyword has a form of another version that is read in all: exclusive bounds, several types. */
function isOfOtherVersion(key: string, value: TreeValue | undefined): boolean {
  if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum')
    return typeof value === 'boolean' || typeof value === 'number';
  const types = key === 'type' && Array.isArray(value) ? (value as readonly TreeValue[]) : [];
  return types.length > 0 && types.every((each) => typeof each === 'string' && TYPES.has(each));
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Whether a member says what kind of thing the map around it is: the place of a parameter, the type of a security scheme. */
function isKind(pointer: Pointer): boolean {
  const [around, , key] = pointer.slice(-3);
  if (key === 'in') return around === 'parameters';
  return key === 'type' && (around === 'securitySchemes' || around === 'securityDefinitions');
}

/** Members whose values are schemas, and those with a schema for each name. */
const SCHEMAS = new Set(['schema', 'items', 'additionalProperties', 'not']);
const MAPS_OF_SCHEMAS = new Set(['properties', 'definitions', 'schemas', 'patternProperties']);

function isSchemaAt(pointer: Pointer): boolean {
  const [around, key] = [pointer.at(-2) ?? '', pointer.at(-1) ?? ''];
  return MAPS_OF_SCHEMAS.has(around) || SCHEMAS.has(key) || /^(?:allOf|oneOf|anyOf)$/.test(around);
}

/** The members that exclude each other, of a `not: { required }`. */
function requiredTogether({ schema }: SchemaError): readonly string[] {
  const required =
    typeof schema === 'object' && schema !== null ? (schema as { required?: unknown }).required : undefined;
  return Array.isArray(required) ? required.map(String) : [];
}

/** The only value that a schema permits; `undefined` if there are several. */
function onlyValue({ keyword, params }: SchemaError): unknown {
  if (keyword === 'const') return params.allowedValue;
  const allowed = params.allowedValues;
  return keyword === 'enum' && Array.isArray(allowed) && allowed.length === 1 ? allowed[0] : undefined;
}
