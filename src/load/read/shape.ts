import type { ErrorObject } from 'ajv';
import type { KindWord } from '../../kinds/kinds.ts';
import { DURATION, durationMeant } from '../../wire/duration.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { booleanMeant, nearest } from '../diagnostic/suggest.ts';
import type { Linking } from '../linking.ts';
import type { JsonSchema } from '../schema/index.ts';
import { METHOD_KEYS } from '../schema/operation.ts';
import type { Declaration } from './declaration.ts';
import { successorOf } from './former-keys.ts';
import type { Places } from './places.ts';
import { isTreeMap, type TreeMap, type TreeValue } from './tree.ts';
import { validatorOf } from './validator.ts';

/**
 * Checks a definition against its JSON Schema. Errors are reported and removed, so that the rest can still be checked; anything
 * that may be missing then is in doubt.
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

/** Marks the containers of an error as in doubt, and the keys of its operation or definition that it may have meant. */
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

/**
 * Removes the subject of an error.
 * @returns false when it is the definition itself
 */
function takeOut(root: TreeMap, { path, params, propertyName }: SchemaError): boolean {
  const extra = params.additionalProperty ?? propertyName;
  let way = extra === undefined ? path : [...path, extra];
  // An entry is removed together with its list, because the others alone would have another meaning.
  while (way.length > 0 && Array.isArray(valueAt(root, way.slice(0, -1)))) way = way.slice(0, -1);
  const key = way.at(-1);
  if (key === undefined) return false;
  const owner = valueAt(root, way.slice(0, -1));
  if (isContainer(owner)) delete (owner as TreeMap)[key];
  return true;
}

/** The value at a path; `undefined` after it was removed. */
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

/** Reports a document whose root is a list with a diagnostic of its own, instead of as an unknown key. */
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
  for (const key of ['request', 'response', 'fault', 'variables']) {
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

/** A position in a tree: a map or list, and one of its keys. */
interface TreePosition {
  readonly container: TreeMap | TreeValue[];
  readonly key: string | undefined;
  readonly value: TreeValue;
  /** In words: `limits.body`, `an entry of steps`, `keep.TOKEN of an entry of steps`. Empty for the whole definition. */
  readonly name: string;
}

/** An error and its place. */
interface Mistake {
  readonly error: SchemaError;
  readonly spot: TreePosition;
  /** The spot in words, to begin a sentence. */
  readonly name: string;
  readonly at: Place;
}

/** Reports an error of the JSON Schema. */
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
      const successor = successorOf(key, keys);
      report.raise('unknown-key', { key, owner, keys, unused, cutText, successor }, places.key(map, key));
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
      // The type of a map or list has been reported.
      if (typeof spot.value === 'object') return;
      const known = (params.allowedValues ?? []).map(String);
      report.raise('not-one-of', { name, given: spot.value, known }, at);
      return;
    }
    case 'oneOf':
      raiseMethods(spot, linking);
      return;
    case 'pattern':
      // `soap: yes` is text in YAML 1.2, and could be a name.
      if (schema.title?.startsWith('true') && booleanMeant(spot.value) !== undefined) raiseType(mistake, linking);
      else raisePattern(mistake, linking);
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
  report.raise('wrong-type', { name, expected, given: value, examples: shown, meant: timeMeant(value, schema) }, at);
}

/** An unquoted `{REGION}`: a map in braces with a key without a value. */
function isBracedText(value: TreeValue, places: Places): boolean {
  if (!isTreeMap(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => each === null) && places.inBraces(value);
}

function raiseMethods({ container, key = '', value }: TreePosition, { report, places }: Linking): void {
  // Anything that is not a map satisfies `required`; its type has been reported.
  if (!isTreeMap(value)) return;
  const methods = METHOD_KEYS.filter((each) => each in value);
  if (methods.length === 0) report.raise('no-method', { operation: key }, places.key(container, key));
  else report.raise('two-methods', { operation: key, methods }, places.key(value, methods[1] as string));
}

function raisePattern({ error, spot: { value }, name, at }: Mistake, { report, places }: Linking): void {
  const { title = 'acceptable', examples = [] } = error.schema;
  const { propertyName } = error;
  if (propertyName === undefined) {
    const reason = `is not ${title}: ${JSON.stringify(value)}`;
    report.raise('bad-value', { name, reason, examples, meant: timeMeant(value, error.schema) }, at);
  } else {
    const key = places.key(value as object, propertyName);
    report.raise('bad-value', { name: propertyName, reason: `is not ${title}`, examples }, key);
  }
}

/** What a time in another notation can mean in ours, also within a rate, if the schema has times. */
function timeMeant(value: TreeValue, { pattern }: JsonSchema): readonly string[] {
  if ((typeof value !== 'string' && typeof value !== 'number') || !pattern?.includes(DURATION)) return [];
  const [, before = '', time = ''] = /^(.* per )?(.*)$/s.exec(String(value)) ?? [];
  // `100 per minute` means one.
  const length = before === '' || /\d/.test(time) ? time : `1 ${time}`;
  return durationMeant(length).flatMap((each) => (new RegExp(pattern).test(before + each) ? [before + each] : []));
}

function spotOf(root: TreeMap, path: readonly string[]): TreePosition {
  let spot: TreePosition = { container: root, key: undefined, value: root, name: '' };
  for (const key of path) {
    const container = spot.value as TreeMap | TreeValue[];
    const value = (Array.isArray(container) ? container[Number(key)] : container[key]) as TreeValue;
    const name = Array.isArray(container) ? `${ENTRY}${spot.name}` : nameWithin(spot.name, key);
    spot = { container, key, value, name };
  }
  return spot;
}

/** The words for a key inside something with these words. */
function nameWithin(name: string, key: string): string {
  if (name === '') return key;
  if (name.startsWith(ENTRY)) return `${key} of ${name}`;
  const entry = name.indexOf(` of ${ENTRY}`);
  return entry < 0 ? `${name}.${key}` : `${name.slice(0, entry)}.${key}${name.slice(entry)}`;
}

const ENTRY = 'an entry of ';

/** Whether the words begin with a key, which is not capitalised. */
function isKeyName({ name }: TreePosition): boolean {
  return name !== '' && !name.startsWith(ENTRY);
}

function placeOf({ container, key }: TreePosition, places: Places): Place {
  if (key === undefined) return places.start(container);
  return places.value(container, Array.isArray(container) ? Number(key) : key);
}

/** The place of something missing: the key of its map, or the id of the definition. */
function headOf({ container, key }: TreePosition, places: Places): Place {
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
      return 'contains the same entry twice';
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

/** An error of the JSON Schema, and the part of the schema that raised it. */
interface SchemaError {
  readonly keyword: string;
  /** The keys that lead to its subject. */
  readonly path: readonly string[];
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly allowedValues?: readonly unknown[];
    readonly limit?: number;
  };
  /** The invalid key, for restrictions on keys. */
  readonly propertyName?: string;
  readonly schema: JsonSchema;
}

/** Validates a definition with the JSON Schema of its kind. */
export function schemaErrors(kind: KindWord, value: object): readonly SchemaError[] {
  const validate = validatorOf(kind);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOfInterest);
  return errors.map((error) => ({
    ...error,
    path: error.instancePath.split('/').slice(1).map(unescaped),
    schema: error.parentSchema as JsonSchema,
  }));
}

/** Drops errors that only repeat another one, or report a branch that was not taken. */
function isOfInterest({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/\d+\//.test(schemaPath);
}

/** The key for a segment of a JSON Pointer (RFC 6901 section 4). */
function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
