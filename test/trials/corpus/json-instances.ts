import type { Pick } from '../../../src/mock/instance.ts';
import { samplerOf } from './pattern-sample.ts';
import { Unmakeable } from './simple-text.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonSchema = Readonly<Record<string, unknown>>;

const DEEP = 4;
const DEEPEST = 20;
const TRIES = 40;

/** Keywords of numbers and texts, which hold for these alone. */
const UNTYPED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
];

const FORMATS: Readonly<Record<string, (pick: Pick) => string>> = {
  'date-time': (pick) => `2026-0${1 + pick(9)}-1${pick(10)}T0${pick(10)}:30:00${['Z', '+02:00', '.125Z'][pick(3)]}`,
  date: (pick) => `2026-0${1 + pick(9)}-1${pick(10)}`,
  time: () => '08:30:00Z',
  uuid: (pick) => `1234567${pick(10)}-89ab-4cde-8fff-0123456789ab`,
  email: () => 'a@example.com',
  uri: () => 'https://example.com/a?b=c',
  url: () => 'https://example.com/',
  'uri-reference': () => '/a',
  hostname: () => 'example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  byte: () => 'aGVsbG8=',
  duration: () => 'P1D',
};

/** Random instances of the schemas of an OpenAPI description, read apart from the import. */
export class JsonInstances {
  readonly #root: JsonSchema;
  readonly #pick: Pick;
  /** The constructs that the latest instance has. */
  readonly seen = new Set<string>();

  /** The members that name schemas. */
  readonly #discriminators: ReadonlySet<unknown>;

  constructor(root: JsonSchema, pick: Pick) {
    this.#root = root;
    this.#pick = pick;
    this.#discriminators = new Set(discriminatorsIn(root));
  }

  /** @throws Unmakeable */
  make(schema: unknown): Json {
    this.seen.clear();
    return this.#value(schema, 0);
  }

  #one<T>(all: readonly T[]): T {
    return all[this.#pick(all.length)] as T;
  }

  resolve(schema: unknown): JsonSchema {
    let found = schema;
    for (let n = 0; n < 20; n++) {
      const to = (found as JsonSchema | undefined)?.$ref;
      if (typeof to !== 'string') return (found ?? {}) as JsonSchema;
      if (!to.startsWith('#/')) throw new Unmakeable('a schema of another file');
      const steps = to.slice(2).split('/');
      found = steps.reduce<unknown>(
        (at, step) =>
          (at as JsonSchema | undefined)?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
        this.#root,
      );
    }
    throw new Unmakeable('a reference to itself');
  }

  #value(given: unknown, depth: number): Json {
    if (depth > DEEPEST) throw new Unmakeable('too deep');
    const schema = this.resolve(given);
    if (schema.default !== undefined) this.seen.add('default');
    if (schema.nullable === true && this.#pick(5) === 0) {
      this.seen.add('nullable');
      return null;
    }
    for (const key of ['oneOf', 'anyOf'] as const) {
      const branches = schema[key];
      if (!Array.isArray(branches)) continue;
      this.seen.add(key);
      const { [key]: _, discriminator, ...rest } = schema;
      if (discriminator !== undefined) this.seen.add('discriminator');
      const branch = this.#one(branches);
      return Object.keys(rest).length === 0
        ? this.#value(branch, depth + 1)
        : this.#value(this.#merged([rest, branch]), depth + 1);
    }
    if (Array.isArray(schema.allOf)) {
      this.seen.add('allOf');
      const { allOf, ...rest } = schema;
      return this.#value(this.#merged([...allOf, rest]), depth + 1);
    }
    if (schema.const !== undefined) return schema.const as Json;
    if (Array.isArray(schema.enum)) {
      this.seen.add('enum');
      return this.#one(schema.enum) as Json;
    }
    return this.#typed(schema, depth);
  }

  /** One schema of several that all hold. */
  #merged(schemas: readonly unknown[]): JsonSchema {
    const merged: Record<string, unknown> = {};
    for (const each of schemas) {
      const schema = this.resolve(each);
      const { properties, required, allOf, ...rest } = schema;
      const inner: JsonSchema = Array.isArray(allOf) ? this.#merged(allOf) : {};
      Object.assign(merged, inner, rest, {
        properties: { ...(merged.properties as object), ...(inner.properties as object), ...(properties as object) },
        required: [merged.required, inner.required, required].flatMap((all) => (Array.isArray(all) ? all : [])),
      });
    }
    return merged;
  }

  #typed(schema: JsonSchema, depth: number): Json {
    const { type = schema.properties === undefined ? undefined : 'object' } = schema;
    const one = Array.isArray(type) ? this.#one(type) : type;
    switch (one) {
      case 'object':
        return this.#object(schema, depth);
      case 'array': {
        this.seen.add('array');
        const least = Number(schema.minItems ?? 0);
        const most = Math.min(Number(schema.maxItems ?? 3), least + 3);
        const count = depth > DEEP ? least : least + this.#pick(most - least + 1);
        return this.#entries(schema, count, depth);
      }
      case 'integer':
      case 'number':
        return this.#number(schema, one);
      case 'boolean':
        return this.#pick(2) === 0;
      case 'null':
        return null;
      case 'string':
        return this.#text(schema);
      default:
        this.seen.add('any value');
        if (UNTYPED.some((key) => schema[key] !== undefined)) this.seen.add('untyped');
        return this.#one<Json>(['text', 1, true, { a: [1, null] }, ['x']]);
    }
  }

  #object(schema: JsonSchema, depth: number): Json {
    const properties = (schema.properties ?? {}) as Readonly<Record<string, unknown>>;
    const required = new Set((schema.required as readonly string[] | undefined) ?? []);
    const made: Record<string, Json> = {};
    for (const [name, each] of Object.entries(properties)) {
      if (this.#discriminators.has(name)) this.seen.add('discriminator');
      if (this.resolve(each).default !== undefined) this.seen.add('default');
      if (!required.has(name) && (depth > DEEP || this.#pick(2) === 0)) continue;
      made[name] = this.#value(each, depth + 1);
    }
    const { additionalProperties: more } = schema;
    if (typeof more === 'object' && more !== null && depth <= DEEP) {
      this.seen.add('additionalProperties');
      for (const key of ['one', 'two words'].slice(0, this.#pick(3))) made[key] ??= this.#value(more, depth + 1);
    } else if (more === true && this.#pick(3) === 0) {
      this.seen.add('undeclared member');
      made.undeclaredMember = 'x';
    }
    return made;
  }

  #entries({ items = { type: 'string' }, uniqueItems }: JsonSchema, count: number, depth: number): Json {
    const made = Array.from({ length: count }, () => this.#value(items, depth + 1));
    return uniqueItems === true ? [...new Map(made.map((each) => [JSON.stringify(each), each])).values()] : made;
  }

  #number(schema: JsonSchema, type: string): number {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const low = Number(minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined) ?? -50);
    const above = exclusiveMinimum === true ? low + 1 : low;
    const high = Number(
      maximum ?? (typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : undefined) ?? above + 200,
    );
    const step = Number(multipleOf ?? 1);
    const whole =
      Math.ceil(above / step) * step +
      this.#pick(Math.max(1, Math.min(1000, Math.floor((high - above) / step)))) * step;
    if (type === 'integer' || multipleOf !== undefined || whole + 0.5 > high || this.#pick(2) === 0) return whole;
    return whole + 0.5;
  }

  #text(schema: JsonSchema): string {
    const { minLength = 0, maxLength, pattern, format } = schema;
    if (typeof format === 'string' && pattern === undefined && FORMATS[format] !== undefined) {
      this.seen.add(`format ${format}`);
      return FORMATS[format](this.#pick);
    }
    const least = Number(minLength);
    const most = Math.min(Number(maxLength ?? least + 12), least + 20);
    for (let n = 0; n < TRIES; n++) {
      const text =
        typeof pattern === 'string' ? this.#matching(pattern) : this.#letters(least + this.#pick(most - least + 1));
      if (text.length >= least && text.length <= most) return text;
    }
    throw new Unmakeable(`no text for ${JSON.stringify(schema)}`);
  }

  #matching(pattern: string): string {
    this.seen.add('pattern');
    try {
      return samplerOf(pattern.replace(/^\^|\$$/g, '').replaceAll('(?:', '('), this.#pick)();
    } catch (error) {
      if (error instanceof RangeError) throw new Unmakeable(`a text for ${pattern}`);
      throw error;
    }
  }

  #letters(length: number): string {
    const all = [...'abc XYZ 019 -_.,/äß€"\\<&'];
    return Array.from({ length }, () => this.#one(all)).join('');
  }
}

function discriminatorsIn(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  const { discriminator } = node as JsonSchema;
  const own = typeof discriminator === 'object' ? (discriminator as JsonSchema | null)?.propertyName : discriminator;
  return [own, ...Object.values(node).flatMap(discriminatorsIn)];
}
