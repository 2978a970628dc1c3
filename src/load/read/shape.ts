import type { ErrorObject } from 'ajv';
import type { Place } from '../diagnostic/diagnostic.ts';
import { nearest } from '../diagnostic/suggest.ts';
import type { Linking } from '../linking.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { Kind } from '../schema/kinds.ts';
import { METHOD_KEYS } from '../schema/operation.ts';
import type { Declaration } from './declaration.ts';
import type { Places } from './places.ts';
import { isTreeMap, type TreeMap, type TreeValue } from './tree.ts';
import { validatorOf } from './validator.ts';

/**
 * Holds a definition against the JSON Schema. What is wrong is reported and taken out, so that the rest of the definition
 * can still be checked; what may be missing in it from then on is in doubt.
 * @returns false when the rest is not a definition of its kind
 */
export function checkShape(declaration: Declaration, linking: Linking): boolean {
  const { kind, value: root } = declaration;
  let errors = schemaErrors(kind, root);
  for (const error of errors) raiseMistake(error, declaration, linking);
  while (errors.length > 0) {
    for (const error of errors) markDoubt(declaration, error, linking);
    for (const error of errors) if (!takeOut(root, error)) return false;
    errors = schemaErrors(kind, root);
  }
  return true;
}

/** Puts what holds the mistake in doubt, and the keys of its operation or definition that it may have meant. */
function markDoubt(declaration: Declaration, { path, params, schema }: SchemaError, { doubt }: Linking): void {
  const holders = [declaration.value, ...path.map((_, index) => valueAt(declaration.value, path.slice(0, index + 1)))];
  for (const each of holders) if (isContainer(each)) doubt.mark(each);
  const depth = declaration.kind === 'service' && path[0] === 'operations' && path.length > 1 ? 2 : 0;
  const owner = holders[depth];
  if (!isContainer(owner)) return;
  const key = path[depth];
  const extra = params.additionalProperty;
  if (key !== undefined) doubt.mark(owner, key);
  else if (extra !== undefined) {
    const others = Object.keys(schema.properties ?? {}).filter((each) => !(each in owner));
    const meant = nearest(extra, others);
    doubt.mark(owner, ...(meant === undefined ? others : [meant]));
  }
}

/** Removes what an error is about. @returns false where that is the definition itself */
function takeOut(root: TreeMap, { path, params, propertyName }: SchemaError): boolean {
  const extra = params.additionalProperty ?? propertyName;
  let way = extra === undefined ? path : [...path, extra];
  // An entry of a list goes with its list: without it the others would not mean the same.
  while (way.length > 0 && Array.isArray(valueAt(root, way.slice(0, -1)))) way = way.slice(0, -1);
  const key = way.at(-1);
  if (key === undefined) return false;
  const owner = valueAt(root, way.slice(0, -1));
  if (isContainer(owner)) delete (owner as TreeMap)[key];
  return true;
}

/** The value that a path leads to; undefined where it has been taken out. */
function valueAt(root: TreeMap, path: readonly string[]): TreeValue | undefined {
  let value: TreeValue | undefined = root;
  for (const key of path) {
    if (!isContainer(value)) return undefined;
    value = Array.isArray(value) ? value[Number(key)] : value[key];
  }
  return value;
}

function isContainer(value: TreeValue | undefined): value is TreeMap | TreeValue[] {
  return typeof value === 'object' && value !== null;
}

/** Documents whose root is declared as a list get a diagnostic of their own, in place of one about an unknown key. */
export function refuseRootLists(declaration: Declaration, linking: Linking): void {
  const { kind, value } = declaration;
  if (kind === 'document') {
    const key = 'list' in value ? 'list' : 'type' in value && isListText(value.type) ? 'type' : undefined;
    if (key !== undefined && !('fields' in value)) {
      refuse(value, key, `document ${declaration.id}`, linking);
      value.fields = Object.create(null) as TreeMap;
      linking.places.alias(value.fields, value);
      linking.doubt.mark(value);
    }
    return;
  }
  if (kind !== 'service') return;
  refuseIn(value, linking);
  const { operations } = value;
  if (isTreeMap(operations))
    for (const operation of Object.values(operations)) if (isTreeMap(operation)) refuseIn(operation, linking);
}

function refuseIn(container: TreeMap, linking: Linking): void {
  for (const key of ['request', 'response', 'fault', 'template']) {
    const value = container[key];
    if (!isTreeMap(value) || 'fields' in value || !('list' in value)) continue;
    refuse(value, 'list', `the ${key}`, linking);
    delete container[key];
    linking.doubt.mark(container, key);
  }
}

function refuse(container: TreeMap, key: string, what: string, { report, places }: Linking): void {
  report.raise('root-list', { what }, places.key(container, key));
  delete container[key];
}

const isListText = (value: TreeValue | undefined): boolean => typeof value === 'string' && /^list\s+of\s/.test(value);

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
function raiseMistake(error: SchemaError, declaration: Declaration, linking: Linking): void {
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
interface SchemaError {
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
