import { isAttachment } from '../codec/binary.ts';
import { compileSameText } from '../codec/conditions.ts';
import { CodecError } from '../codec/index.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { everyField } from '../model/derivation.ts';
import { entryField, type Field, singleType } from '../model/field.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';

/** Any one of some values is wanted. */
export class OneOf {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.values = values;
  }
}

/** The fields of the input of an operation, as answers get it. */
export function inputOf(operation: Operation | ConsumerOperation): readonly Field[] {
  if ('kind' in operation) {
    if (operation.kind === 'rest') return everyField(operation.input);
    const { request } = operation.soap;
    return request.kind === 'document' ? everyField(request.document) : [];
  }
  const { request, uris, requestHeaders } = operation;
  const variables = uris.flatMap((uri) => uri.variables.map(({ field }) => field));
  const declared = request.kind === 'document' ? everyField(request.document) : [];
  return [...variables, ...requestHeaders.map(({ field }) => field), ...declared];
}

/**
 * Compiles whether an input of an operation has all that is wanted of it: of objects the members that are named, of lists all
 * entries in their order. Null is wanted of what is null or absent. Single values are compared as conditions of subscriptions
 * are: `12.5` is `12.50`, and a datetime is the same in every time zone.
 * @throws CodecError for a value that the field can't have
 */
export function compileWhen(
  operation: Operation | ConsumerOperation,
  when: Readonly<Record<string, unknown>>,
): (input: DocumentValue) => boolean {
  return compileMembers(inputOf(operation), when);
}

type Test = (value: Value | undefined) => boolean;

function compileMembers(fields: readonly Field[], wanted: Readonly<Record<string, unknown>>): Test {
  const tests = Object.entries(wanted).map(([name, each]) => {
    const named = fields.filter((field) => field.name === name);
    return [name, compileNamed(named, each as Value)] as const;
  });
  return (value) => isObject(value) && tests.every(([name, test]) => test(memberOf(value, name)));
}

/** @param fields of one name, of which documents that derive from one have several; none for content without a document */
function compileNamed(fields: readonly Field[], wanted: Value | OneOf): Test {
  if (fields.length === 0) return (value) => isLike(value, wanted as Value);
  const errors: unknown[] = [];
  const tests = fields.flatMap((field) => {
    try {
      return [compileField(field, wanted)];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  if (tests.length === 0) throw errors[0];
  return (value) => tests.some((test) => test(value));
}

function compileField(field: Field, wanted: Value | OneOf): Test {
  const { type } = field;
  if (wanted instanceof OneOf) {
    const tests = wanted.values.map((each) => compileField(field, each));
    return (value) => tests.some((test) => test(value));
  }
  if (type.kind === 'list' && Array.isArray(wanted)) {
    const tests = wanted.map((each: Value) => compileSingle(field, each));
    return (value) =>
      Array.isArray(value) && value.length === tests.length && tests.every((test, at) => test(value[at]));
  }
  if (type.kind === 'map' && isObject(wanted)) {
    const tests = Object.entries(wanted).map(([key, each]) => [key, compileSingle(field, each)] as const);
    return (value) => isObject(value) && tests.every(([key, test]) => test(memberOf(value, key)));
  }
  return compileSingle(field, wanted);
}

function compileSingle(field: Field, wanted: Value): Test {
  const type = singleType(field.type);
  if (type.kind === 'document' && isObject(wanted)) return compileMembers(everyField(type.document), wanted);
  const primitive = primitiveOf(type);
  if (wanted === undefined || wanted === null || typeof wanted === 'object' || primitive === 'json')
    return (value) => isLike(value, wanted);
  if (type.kind === 'document') throw new CodecError(field.name, 'is a document, not a single value');
  const same = compileSameText({ ...entryField(field), type });
  const text = same(wanted);
  return (value) => value !== undefined && value !== null && sameOrNone(same, value) === text;
}

/** `undefined` for a value of another field of that name. */
function sameOrNone(same: (value: Value) => string, value: Value): string | undefined {
  try {
    return same(value);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

const isObject = (value: Value | undefined): value is DocumentValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isAttachment(value);

const memberOf = (value: DocumentValue, name: string): Value | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** The same comparison of values without fields: JSON, and content without a document. */
function isLike(value: Value | undefined, wanted: Value): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return value === null || value === undefined;
  if (Array.isArray(wanted)) {
    const given: readonly Value[] | undefined = Array.isArray(value) ? value : undefined;
    return given?.length === wanted.length && wanted.every((each: Value, index) => isLike(given[index], each));
  }
  if (typeof wanted !== 'object') return isSame(value, wanted);
  if (!isObject(value)) return false;
  return Object.entries(wanted).every(([name, each]) => isLike(memberOf(value, name), each as Value));
}

/** Integers are numbers or, beyond 2^53 - 1, of type bigint. */
function isSame(value: Value | undefined, wanted: Value): boolean {
  return value === wanted || (isInteger(value) && isInteger(wanted) && BigInt(value) === BigInt(wanted));
}

const isInteger = (value: unknown): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);
