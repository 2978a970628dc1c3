import type { Place, Report } from '../diagnostic/diagnostic.ts';
import { type Linking, noteRefused } from '../linking.ts';
import type { JsonSchema } from '../schema/index.ts';
import { METHOD_KEYS } from '../schema/operation.ts';
import type { Declaration } from './declaration.ts';
import type { Places } from './places.ts';
import { nearest } from './suggest.ts';
import type { TreeMap, TreeValue } from './tree.ts';
import { type SchemaError, schemaErrors } from './validate.ts';

/**
 * Holds a definition against the JSON Schema. What is wrong is reported and taken out, so that the rest of the definition
 * can still be looked at; it counts as incomplete from then on.
 * @returns false where what is left is no definition of its kind
 */
export function checkShape(declaration: Declaration, linking: Linking): boolean {
  const { places, report } = linking;
  const root = declaration.value;
  let errors = schemaErrors(root);
  for (const error of errors) raise(error, declaration, places, report);
  while (errors.length > 0) {
    for (const error of errors) markIncomplete(declaration, error, linking);
    for (const error of errors) if (!takeOut(root, error)) return false;
    errors = schemaErrors(root);
  }
  return true;
}

/** What holds the mistake lacks something from now on, and its operation or definition may have meant a key with it. */
function markIncomplete(
  declaration: Declaration,
  { instancePath, params, schema }: SchemaError,
  linking: Linking,
): void {
  declaration.incomplete = true;
  const parts = instancePath.split('/');
  const holders = parts.map((_, index) => find(declaration.value, parts.slice(0, index + 1).join('/')));
  for (const each of holders) if (isContainer(each)) linking.incomplete.add(each);
  const depth = declaration.kind === 'service' && parts[1] === 'operations' && parts.length > 2 ? 2 : 0;
  const owner = holders[depth];
  if (!isContainer(owner)) return;
  const key = parts[depth + 1];
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  if (key !== undefined) noteRefused(linking, owner, [key]);
  else if (extra !== undefined) {
    const others = Object.keys(schema.properties ?? {}).filter((each) => !(each in owner));
    const meant = nearest(extra, others);
    noteRefused(linking, owner, meant === undefined ? others : [meant]);
  }
}

function isContainer(value: TreeValue | undefined): value is TreeMap | TreeValue[] {
  return typeof value === 'object' && value !== null;
}

/** A place of a tree: a map or list, and a key of it. */
interface Spot {
  readonly container: TreeMap | TreeValue[];
  readonly key: string | undefined;
  readonly value: TreeValue;
  /** As words: `limits.body`, `an entry of steps`, `keep.TOKEN of an entry of steps`. */
  readonly name: string;
}

function spotOf(root: TreeMap, pointer: string): Spot {
  let spot: Spot = { container: root, key: undefined, value: root, name: '' };
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
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

function raise(error: SchemaError, declaration: Declaration, places: Places, report: Report): void {
  const spot = spotOf(declaration.value, error.instancePath);
  const at = placeOf(spot, places);
  const name = spot.name === '' ? `The ${declaration.kind}` : spot.name;
  const owner =
    spot.name === ''
      ? `${declaration.kind} ${declaration.id}`
      : `${spot.name} of ${declaration.kind} ${declaration.id}`;
  const { params, schema } = error;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = params.additionalProperty as string;
      const known = Object.keys(schema.properties ?? {}).filter((each) => !(each in (spot.value as TreeMap)));
      const map = spot.value as TreeMap;
      const cutText = map[key] === null && places.inBraces(map);
      report.raise('unknown-key', { key, owner, known, cutText }, places.key(map, key));
      return;
    }
    case 'required':
      report.raise(
        'missing-key',
        { key: params.missingProperty as string, owner: isKeyName(spot) ? owner : capital(owner) },
        headOf(spot, places),
      );
      return;
    case 'type':
      raiseType(spot, name, schema, at, places, report);
      return;
    case 'enum':
      // A map or list has been complained of for its type.
      if (typeof spot.value === 'object') return;
      report.raise(
        'not-one-of',
        { name, given: spot.value, known: (params.allowedValues as unknown[]).map(String) },
        at,
      );
      return;
    case 'oneOf':
      raiseMethods(spot, places, report);
      return;
    case 'pattern':
      raisePattern(error, spot, name, at, places, report);
      return;
    default:
      report.raise('bad-value', { name, reason: reasonOf(error), examples: schema.examples ?? [] }, at);
  }
}

function raiseType(spot: Spot, name: string, schema: JsonSchema, at: Place, places: Places, report: Report): void {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const { value } = spot;
  if (types.includes('string') && isBracedText(value, places)) {
    const text = `{${Object.keys(value as TreeMap).join(', ')}}`;
    report.raise('unquoted-braces', { text }, at);
    return;
  }
  const { title, examples = [] } = schema;
  const expected = title ?? types.map(typeWord).join(' or ');
  report.raise(
    'wrong-type',
    { name, expected, given: value, examples: title === undefined && !types.includes('object') ? [] : examples },
    at,
  );
}

/** `{REGION}` without quotes: a map in braces of a key without a value. */
function isBracedText(value: TreeValue, places: Places): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => each === null) && places.inBraces(value);
}

function raiseMethods({ container, key, value }: Spot, places: Places, report: Report): void {
  // Something that is no map satisfies `required`, whatever it names; its type has been complained of.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const methods = METHOD_KEYS.filter((each) => each in value);
  const operation = key ?? '';
  if (methods.length === 0) report.raise('no-method', { operation }, places.key(container, operation));
  else report.raise('two-methods', { operation, methods }, places.key(value, methods[1] as string));
}

function raisePattern(error: SchemaError, spot: Spot, name: string, at: Place, places: Places, report: Report): void {
  const { title = 'acceptable', examples = [] } = error.schema;
  const { propertyName } = error;
  if (propertyName === undefined) {
    report.raise('bad-value', { name, reason: `is not ${title}: ${JSON.stringify(spot.value)}`, examples }, at);
  } else {
    const key = places.key(spot.value as object, propertyName);
    report.raise('bad-value', { name: propertyName, reason: `is not ${title}`, examples }, key);
  }
}

/** Where something is missing: the key that the map stands under, or the id of a definition. */
function headOf({ container, key }: Spot, places: Places): Place {
  if (key === undefined || Array.isArray(container)) {
    const [first] = Object.keys(container);
    return first === undefined || Array.isArray(container) ? places.start(container) : places.key(container, first);
  }
  return places.key(container, key);
}

function reasonOf({ keyword, params, schema }: SchemaError): string {
  const limit = String((params as { limit?: number }).limit);
  switch (keyword) {
    case 'minLength':
      return 'is empty';
    case 'maxLength':
      return `is longer than ${limit} characters`;
    case 'minItems':
    case 'minProperties':
      return 'is empty';
    case 'uniqueItems':
      return 'names the same thing twice';
    case 'minimum':
      return `is less than ${limit}`;
    case 'maximum':
      return `is more than ${limit}`;
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

function typeWord(type: string): string {
  return WORDS[type] ?? type;
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** Removes what an error is about. @returns false where that is the definition itself */
function takeOut(root: TreeMap, error: SchemaError): boolean {
  let pointer = error.instancePath;
  const extra = (error.params as { additionalProperty?: string }).additionalProperty ?? error.propertyName;
  if (extra !== undefined) {
    const owner = find(root, pointer);
    if (typeof owner === 'object' && owner !== null && !Array.isArray(owner)) delete owner[extra];
    return true;
  }
  // An entry of a list goes with its list: without it the others would not mean the same.
  while (pointer !== '' && Array.isArray(find(root, pointer.slice(0, pointer.lastIndexOf('/'))))) {
    pointer = pointer.slice(0, pointer.lastIndexOf('/'));
  }
  if (pointer === '') return false;
  const owner = find(root, pointer.slice(0, pointer.lastIndexOf('/')));
  const key = pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  if (typeof owner === 'object' && owner !== null) delete (owner as TreeMap)[key];
  return true;
}

/** The value at a pointer; undefined where it has been taken out. */
function find(root: TreeMap, pointer: string): TreeValue | undefined {
  let value: TreeValue | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Array.isArray(value) ? value[Number(key)] : value[key];
  }
  return value;
}
