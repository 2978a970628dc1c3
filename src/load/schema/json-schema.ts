import { DURATION } from '../../wire/duration.ts';

export type TextsDeclared = Readonly<Record<string, string>>;

/** The subset of JSON Schema (draft 7) that the definitions use. */
export interface JsonSchema {
  readonly $ref?: string;
  /** A noun phrase for messages (`10 MB is not a size`). */
  readonly title?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly uniqueItems?: boolean;
  readonly default?: string | number | boolean | Readonly<Record<string, string | number>>;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** A schema that states the value of an absent key. */
export type Defaulted<T> = JsonSchema & { readonly default: T };

/** The schema of an object with the keys of `P` only. */
export type KeysSchema<P> = JsonSchema & { readonly properties: P };

/**
 * The schema of an object with these keys only. `K` is the keys of its TypeScript interface, so that neither can have a key
 * that the other lacks. Where linkers read the defaults, `K` is left out and the properties are written with
 * `satisfies Record<keyof ..., JsonSchema>`, which checks the same and keeps the type of each default.
 */
export function keys<K extends string, P extends Readonly<Record<K, JsonSchema>> = Readonly<Record<K, JsonSchema>>>(
  schema: Omit<JsonSchema, 'properties' | 'additionalProperties' | 'type'>,
  properties: P,
): KeysSchema<P> {
  return { ...schema, type: 'object', properties, additionalProperties: false };
}

/** The defaults in a schema, by key. */
export type Defaults<P> = {
  readonly [K in keyof P as P[K] extends { readonly default: unknown } ? K : never]: P[K] extends {
    readonly default: infer T;
  }
    ? T
    : never;
};

/**
 * The values that the schema states for absent keys. They are not entered into definitions when these are read, because what is
 * absent may still come from elsewhere (an operation has some keys of its service), and an error must not concern a key that
 * no one wrote: each linker takes the default of an absent key from here.
 */
export function defaultsOf<P extends object>({ properties }: KeysSchema<P>): Defaults<P> {
  const found = Object.entries(properties).flatMap(([key, { default: value }]: [string, JsonSchema]) =>
    value === undefined ? [] : [[key, value]],
  );
  return Object.fromEntries(found) as Defaults<P>;
}

export const description: JsonSchema = {
  type: 'string',
  description: 'Description for users. It is included in contracts.',
};

export const reference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** A reference with a description and examples of its own. */
export const refersTo = (name: string, description: string, ...examples: readonly string[]): JsonSchema => ({
  ...reference(name),
  description,
  examples,
});

/** A text that is not empty. */
export const text = (description: string, ...examples: readonly string[]): JsonSchema => ({
  type: 'string',
  minLength: 1,
  description,
  examples,
});

/** A text with a pattern; `title` is the noun phrase for it. */
export const matching = (
  title: string,
  pattern: string,
  description: string,
  ...examples: readonly string[]
): JsonSchema => ({ title, type: 'string', pattern, description, examples });

/** One of several words. */
export function word<const W extends string>(
  words: readonly W[],
  description: string,
  more: { readonly default: NoInfer<W>; readonly examples?: readonly W[] },
): Defaulted<W>;
export function word(words: readonly string[], description: string, more?: Pick<JsonSchema, 'examples'>): JsonSchema;
export function word(
  words: readonly string[],
  description: string,
  more: Pick<JsonSchema, 'default' | 'examples'> = {},
): JsonSchema {
  return { type: 'string', enum: words, description, ...more };
}

/** A list of unique texts. */
export const texts = (description: string, ...example: readonly string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  minItems: 1,
  uniqueItems: true,
  description,
  examples: [example],
});

/** One text, or several. @param what one of them is, as in `a secret` */
export const textOrTexts = (what: string, description: string, ...examples: readonly [string, readonly string[]]) =>
  ({
    title: `${what} or a list of them`,
    type: ['string', 'array'],
    minLength: 1,
    items: { type: 'string', minLength: 1 },
    minItems: 1,
    uniqueItems: true,
    description,
    examples,
  }) satisfies JsonSchema;

/** A token of HTTP (RFC 9110 section 5.6.2). */
export const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

/** A media type with its parameters, as a pattern: `application/json;version=1` (RFC 9110, section 8.3.1). */
export const MEDIA_TYPE =
  '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?: *; *[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.+-]+|"[ !#-\\[\\]-~]*"))*$';

export const headerName = (description: string, example: string): JsonSchema =>
  matching('a header name', `^${TOKEN}$`, description, example);

export function yesNo(description: string, otherwise: boolean): Defaulted<boolean>;
export function yesNo(description: string): JsonSchema;
export function yesNo(description: string, otherwise?: boolean): JsonSchema {
  return {
    type: 'boolean',
    description,
    ...(otherwise === undefined ? {} : { default: otherwise }),
    examples: [!otherwise],
  };
}

export const count = (description: string, otherwise: number, minimum = 1): Defaulted<number> => ({
  type: 'integer',
  minimum,
  description,
  default: otherwise,
  examples: [otherwise],
});

/**
 * An entry of a list of ids. Without a type next to the reference, `uniqueItems` would compare the entries as if they could be
 * maps.
 */
export const idItem = (name: string): JsonSchema => ({ type: 'string', ...reference(name) });

export const namespaceUri: JsonSchema = {
  title: 'a namespace URI',
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>"{}|\\\\^`]+$',
};

export const duration: JsonSchema = {
  title: 'a time with its unit',
  type: 'string',
  pattern: `^${DURATION}$`,
  examples: ['30 s', '500 ms', '2 m'],
};

export function time(description: string, otherwise: string, ...examples: readonly string[]): Defaulted<string>;
export function time(description: string, otherwise?: undefined, ...examples: readonly string[]): JsonSchema;
export function time(description: string, otherwise?: string, ...examples: readonly string[]): JsonSchema {
  return {
    ...duration,
    ...(examples.length === 0 ? {} : { examples }),
    description,
    ...(otherwise === undefined ? {} : { default: otherwise }),
  };
}

export const date = (what: string): JsonSchema => ({
  title: 'a date',
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: what,
  examples: ['2027-01-01'],
});

/** A whole number within bounds. */
export const integer = <B extends Pick<JsonSchema, 'minimum' | 'maximum'> & { readonly default?: number }>(
  description: string,
  bounds: B,
  ...examples: readonly number[]
): JsonSchema & B => ({ type: 'integer', ...bounds, description, examples });

/** HTTP statuses of errors, one or several. */
export const statuses = (description: string, ...examples: readonly unknown[]): JsonSchema => ({
  ...status,
  title: 'a status from 400 to 599, or a list of them',
  type: ['integer', 'array'],
  items: status,
  minItems: 1,
  uniqueItems: true,
  description,
  examples,
});

const status: JsonSchema = { title: 'a status from 400 to 599', type: 'integer', minimum: 400, maximum: 599 };

export const filePath = (description: string, ...examples: readonly string[]): JsonSchema => ({
  title: 'the path of a file',
  type: 'string',
  minLength: 1,
  description,
  examples,
});

/** A list of unique ids. */
export const ids = (name: string, description: string, ...example: readonly string[]): JsonSchema => ({
  type: 'array',
  items: idItem(name),
  uniqueItems: true,
  description,
  examples: [example],
});

/** One schema for a map, another for everything else. */
export const mapOr = (map: JsonSchema, otherwise: JsonSchema): Pick<JsonSchema, 'if' | 'then' | 'else'> => ({
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: map,
  else: otherwise,
});

/** The id of a query, component or process, which requests contain. */
export const name = (what: string, example: string): JsonSchema => ({
  title: 'a name',
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  maxLength: 30,
  description: what,
  examples: [example],
});

export const cors: JsonSchema = {
  type: 'array',
  items: {
    title: 'an origin',
    type: 'string',
    pattern: '^(\\*|https?://[^/?#\\s@]+)$',
    examples: ['https://app.example.org', '*'],
  },
  uniqueItems: true,
  description:
    'Origins whose pages may call from a browser. `"*"` allows any, without credentials. Without it, no CORS headers are sent.',
  examples: [['https://app.example.org']],
};

/** `infinity:` of a query and of a datasource. YAML reads a bare `null` as no value. */
export const infinity = (whose: string): JsonSchema => ({
  title: 'null or text',
  type: ['string', 'null'],
  enum: ['null', 'text', null],
  description: `What becomes of values of ${whose} that the type of their column has not: \`infinity\`, \`NaN\`, dates BC, dates such as 0000-00-00. \`null\` reads them as NULL, \`text\` as the text that the database has for them. Without it they are an error that names row and column.`,
  examples: ['text'],
});

/** The value of `infinity:`. */
export function linkInfinity(given: 'null' | 'text' | null | undefined): 'null' | 'text' | undefined {
  return given === null ? 'null' : given;
}
