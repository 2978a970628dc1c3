import type { Field, FieldType } from './field.ts';
import { traitsOf } from './scalar.ts';

/** The kinds of JSON values that fields have. */
type JsonKind = 'array' | 'object' | 'string' | 'number' | 'boolean';

/** What is known of the JSON values of a field; `undefined` for any. */
interface JsonValues {
  readonly kind: JsonKind | undefined;
  /** All values, as texts; in lower case where letter case does not matter. */
  readonly values: ReadonlySet<string> | undefined;
  readonly anyCase: boolean;
}

/** What the rule asks about a member of the JSON objects that a branch of a choice without a tag takes. */
export interface JsonMember
  extends Pick<Field, 'jsonName' | 'required' | 'default' | 'absent' | 'nullable' | 'fixed' | 'enum' | 'anyCase'> {
  /** Of a list, a map or a document, no more is asked. */
  readonly type: { readonly kind: FieldType['kind'] };
}

/** A branch of a choice without a tag: a document, as the JSON objects that are one. */
export interface JsonBranch<M extends JsonMember> {
  /** The members that each object has. */
  readonly needed: readonly M[];
  /** By the names of members. */
  readonly fields: ReadonlyMap<string, M>;
}

/** The branch of a document. A member with a fixed value belongs to each object, although readers fill it in. */
export function jsonBranch<M extends JsonMember>(fields: readonly M[]): JsonBranch<M> {
  return {
    needed: fields.filter((field) => field.required && field.default === undefined),
    fields: new Map(fields.map((field) => [field.jsonName, field])),
  };
}

/** Whether no JSON object is a value of both branches, by the names, kinds and values of members that one of them needs. */
export function areApart(one: readonly JsonMember[], other: readonly JsonMember[]): boolean {
  const [a, b] = [jsonBranch(one), jsonBranch(other)];
  return needsOther(a, b) || needsOther(b, a);
}

function needsOther({ needed }: JsonBranch<JsonMember>, { fields }: JsonBranch<JsonMember>): boolean {
  return needed.some((field) => {
    const other = fields.get(field.jsonName);
    return other === undefined || differs(field, other);
  });
}

/** Whether no value of a field that is always there is one of another. */
function differs(field: JsonMember, other: JsonMember): boolean {
  if (field.absent === 'blank' || other.absent === 'blank') return false;
  // Null of a field that is not nullable means that it is absent.
  if (field.nullable && (other.nullable || !other.required)) return false;
  const [a, b] = [jsonValues(field), jsonValues(other)];
  if (a.kind === undefined || b.kind === undefined) return false;
  if (a.kind !== b.kind) return true;
  if (a.values === undefined || b.values === undefined) return false;
  const fold = a.anyCase || b.anyCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  const taken = new Set([...b.values].map(fold));
  return ![...a.values].some((value) => taken.has(fold(value)));
}

/** Compiles the test whether a JSON value may be one of a field, by its kind and the values that there are. */
export function compileMayBe(field: JsonMember): (kind: JsonKind, text: string | undefined) => boolean {
  // A blank may have another kind.
  if (field.absent === 'blank') return () => true;
  const { kind, values, anyCase } = jsonValues(field);
  return (given, text) => {
    if (kind !== undefined && given !== kind) return false;
    return values === undefined || text === undefined || values.has(anyCase ? text.toLowerCase() : text);
  };
}

function jsonValues({ type: { kind: word }, fixed, enum: listed, anyCase }: JsonMember): JsonValues {
  if (word === 'list' || word === 'map' || word === 'document')
    return { kind: word === 'list' ? 'array' : 'object', values: undefined, anyCase };
  const { json, primitive, values: spellings, beyondNumbers } = traitsOf({ kind: word });
  const isAnyKind = primitive === 'json' || beyondNumbers;
  const kind = isAnyKind ? undefined : json.type === 'integer' ? 'number' : (json.type as JsonKind);
  // One date or number can be spelled in several ways.
  const isSpelledOnce = primitive === 'text' || primitive === 'integer' || primitive === 'boolean';
  const values = isSpelledOnce ? (fixed === undefined ? (listed ?? spellings) : [fixed]) : undefined;
  const fold = (value: string): string => (anyCase ? value.toLowerCase() : value);
  return { kind, values: values && new Set(values.map((each) => fold(String(each)))), anyCase };
}
