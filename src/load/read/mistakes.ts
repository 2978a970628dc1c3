import type { ErrorObject } from 'ajv';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { Kind } from '../schema/kinds.ts';
import { METHOD_KEYS } from '../schema/operation.ts';
import type { Declaration } from './declaration.ts';
import type { Places } from './places.ts';
import { isTreeMap, type TreeMap, type TreeValue } from './tree.ts';
import { validatorOf } from './validator.ts';

/** A place of a tree: a map or list, and a key of it. */
interface Spot {
  readonly container: TreeMap | TreeValue[];
  readonly key: string | undefined;
  readonly value: TreeValue;
  /** As words: `limits.body`, `an entry of steps`, `keep.TOKEN of an entry of steps`. Empty for a definition as a whole. */
  readonly name: string;
}

/** What is wrong, and where. */
interface Mistake {
  readonly error: SchemaError;
  readonly spot: Spot;
  /** The spot in words, at the beginning of a sentence. */
  readonly name: string;
  readonly at: Place;
}

/** Reports what the schema says against a definition, in words for its author. */
export function raiseMistake(error: SchemaError, declaration: Declaration, linking: Linking): void {
  const { report, places } = linking;
  const spot = spotOf(declaration.value, error.path);
  const at = placeOf(spot, places);
  const name = spot.name === '' ? `The ${declaration.kind}` : spot.name;
  const whole = `${declaration.kind} ${declaration.id}`;
  const owner = spot.name === '' ? whole : `${spot.name} of ${whole}`;
  const mistake = { error, spot, name, at };
  const { params, schema } = error;
  switch (error.keyword) {
    case 'additionalProperties': {
      const { additionalProperty: key = '' } = params;
      const map = spot.value as TreeMap;
      const keys = Object.keys(schema.properties ?? {});
      const unused = keys.filter((each) => !(each in map));
      const cutText = map[key] === null && places.inBraces(map);
      report.raise('unknown-key', { key, owner, keys, unused, cutText }, places.key(map, key));
      return;
    }
    case 'required': {
      const { missingProperty: key = '' } = params;
      report.raise('missing-key', { key, owner: isKeyName(spot) ? owner : capital(owner) }, headOf(spot, places));
      return;
    }
    case 'type':
      raiseType(mistake, linking);
      return;
    case 'enum': {
      // A map or list has been complained of for its type.
      if (typeof spot.value === 'object') return;
      const known = (params.allowedValues ?? []).map(String);
      report.raise('not-one-of', { name, given: spot.value, known }, at);
      return;
    }
    case 'oneOf':
      raiseMethods(spot, linking);
      return;
    case 'pattern':
      raisePattern(mistake, linking);
      return;
    default:
      report.raise('bad-value', { name, reason: reasonOf(error), examples: schema.examples ?? [] }, at);
  }
}

function raiseType({ error: { schema }, spot: { value }, name, at }: Mistake, { report, places }: Linking): void {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.includes('string') && isBracedText(value, places)) {
    const text = `{${Object.keys(value as TreeMap).join(', ')}}`;
    report.raise('unquoted-braces', { text }, at);
    return;
  }
  const { title, examples = [] } = schema;
  const expected = title ?? types.map((type) => WORDS[type] ?? type).join(' or ');
  const shown = title === undefined && !types.includes('object') ? [] : examples;
  report.raise('wrong-type', { name, expected, given: value, examples: shown }, at);
}

/** `{REGION}` without quotes: a map in braces of a key without a value. */
function isBracedText(value: TreeValue, places: Places): boolean {
  if (!isTreeMap(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => each === null) && places.inBraces(value);
}

function raiseMethods({ container, key = '', value }: Spot, { report, places }: Linking): void {
  // Something that is no map satisfies `required`, whatever it names; its type has been complained of.
  if (!isTreeMap(value)) return;
  const methods = METHOD_KEYS.filter((each) => each in value);
  if (methods.length === 0) report.raise('no-method', { operation: key }, places.key(container, key));
  else report.raise('two-methods', { operation: key, methods }, places.key(value, methods[1] as string));
}

function raisePattern({ error, spot: { value }, name, at }: Mistake, { report, places }: Linking): void {
  const { title = 'acceptable', examples = [] } = error.schema;
  const { propertyName } = error;
  if (propertyName === undefined)
    report.raise('bad-value', { name, reason: `is not ${title}: ${JSON.stringify(value)}`, examples }, at);
  else {
    const key = places.key(value as object, propertyName);
    report.raise('bad-value', { name: propertyName, reason: `is not ${title}`, examples }, key);
  }
}

function spotOf(root: TreeMap, path: readonly string[]): Spot {
  let spot: Spot = { container: root, key: undefined, value: root, name: '' };
  for (const key of path) {
    const container = spot.value as TreeMap | TreeValue[];
    const value = (Array.isArray(container) ? container[Number(key)] : container[key]) as TreeValue;
    const name = Array.isArray(container) ? `${ENTRY}${spot.name}` : nameWithin(spot.name, key);
    spot = { container, key, value, name };
  }
  return spot;
}

/** The words for a key of what has these words. */
function nameWithin(name: string, key: string): string {
  if (name === '') return key;
  if (name.startsWith(ENTRY)) return `${key} of ${name}`;
  const entry = name.indexOf(` of ${ENTRY}`);
  return entry < 0 ? `${name}.${key}` : `${name.slice(0, entry)}.${key}${name.slice(entry)}`;
}

const ENTRY = 'an entry of ';

/** Its words begin with a key, which is written as it is. */
function isKeyName({ name }: Spot): boolean {
  return name !== '' && !name.startsWith(ENTRY);
}

function placeOf({ container, key }: Spot, places: Places): Place {
  if (key === undefined) return places.start(container);
  return places.value(container, Array.isArray(container) ? Number(key) : key);
}

/** Where something is missing: the key that the map stands under, or the id of a definition. */
function headOf({ container, key }: Spot, places: Places): Place {
  if (Array.isArray(container)) return places.start(container);
  const head = key ?? Object.keys(container)[0];
  return head === undefined ? places.start(container) : places.key(container, head);
}

function reasonOf({ keyword, params, schema }: SchemaError): string {
  switch (keyword) {
    case 'maxLength':
      return `is longer than ${params.limit} characters`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'is empty';
    case 'uniqueItems':
      return 'names the same thing twice';
    case 'minimum':
      return `is less than ${params.limit}`;
    case 'maximum':
      return `is more than ${params.limit}`;
    default:
      return `is not ${schema.title ?? 'acceptable'}`;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a map',
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
};

function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** What the schema says against a definition, and the part of the schema that says so. */
export interface SchemaError {
  readonly keyword: string;
  /** The keys on the way to what it is about. */
  readonly path: readonly string[];
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly allowedValues?: readonly unknown[];
    readonly limit?: number;
  };
  /** The key that is complained of, where keys are what the schema restricts. */
  readonly propertyName?: string;
  readonly schema: JsonSchema;
}

/** Holds a definition against the JSON Schema of its kind. */
export function schemaErrors(kind: Kind, value: object): readonly SchemaError[] {
  const validate = validatorOf(kind);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOfInterest);
  return errors.map((error) => ({
    ...error,
    path: error.instancePath.split('/').slice(1).map(unescaped),
    schema: error.parentSchema as JsonSchema,
  }));
}

/** Errors that only say that another one was found, or that a branch was not taken, say nothing to the author. */
function isOfInterest({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/\d+\//.test(schemaPath);
}

/** A key as it is, of one in a JSON Pointer (RFC 6901 section 4). */
function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
