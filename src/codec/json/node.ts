import type { JsonValue } from '../../model/value.ts';
import { CodecError, shown, stepOf } from '../error.ts';
import { readJsonText } from './plain.ts';

/** A value of a JSON text: one of three kinds. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

const NOUNS = { object: 'an object', array: 'a list', scalar: 'a single value' } as const;

/** Members common to all nodes. Each function throws a {@link CodecError} that names the place. */
abstract class Node {
  abstract readonly kind: JsonNode['kind'];
  /** Its path: `result[2].status`; empty at the root. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The JSON text: members in their order, numbers with their digits. */
  abstract toString(): string;

  /** As plain values; of members with one name the last is used. Integers beyond 2^53 - 1 are bigints. */
  toValue(): JsonValue {
    return readJsonText(this.toString());
  }

  asObject(): JsonObject {
    return this instanceof JsonObject ? this : this.#not('object');
  }

  asArray(): JsonArray {
    return this instanceof JsonArray ? this : this.#not('array');
  }

  asScalar(): JsonScalar {
    return this instanceof JsonScalar ? this : this.#not('scalar');
  }

  #not(kind: JsonNode['kind']): never {
    throw new CodecError(this.path, `is ${NOUNS[this.kind]}, not ${NOUNS[kind]}`);
  }
}

export class JsonObject extends Node {
  override readonly kind = 'object';
  /** All properties in document order, including repeated names. */
  readonly properties: readonly (readonly [name: string, value: JsonNode])[];
  readonly #byName: ReadonlyMap<string, JsonNode>;

  constructor(path: string, properties: JsonObject['properties']) {
    super(path);
    this.properties = properties;
    this.#byName = new Map(properties);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Of properties with one name the last, as in JavaScript. */
  get(name: string): JsonNode | undefined {
    return this.#byName.get(name);
  }

  /** @throws CodecError when the property is missing */
  require(name: string): JsonNode {
    const found = this.get(name);
    if (found === undefined) throw new CodecError(memberPath(this.path, name), 'is missing');
    return found;
  }

  /** @throws CodecError when it is missing, or of another kind */
  object(name: string): JsonObject {
    return this.require(name).asObject();
  }

  /** @throws CodecError when it is missing, or of another kind */
  array(name: string): JsonArray {
    return this.require(name).asArray();
  }

  /** @throws CodecError when it is missing, or of another kind */
  scalar(name: string): JsonScalar {
    return this.require(name).asScalar();
  }

  /** The text of a single value. @throws CodecError when it is missing, or of another kind */
  text(name: string): string {
    return this.scalar(name).text;
  }

  override toString(): string {
    return `{${this.properties.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }
}

export class JsonArray extends Node {
  override readonly kind = 'array';
  readonly entries: readonly JsonNode[];

  constructor(path: string, entries: readonly JsonNode[]) {
    super(path);
    this.entries = entries;
  }

  get length(): number {
    return this.entries.length;
  }

  [Symbol.iterator](): Iterator<JsonNode> {
    return this.entries[Symbol.iterator]();
  }

  override toString(): string {
    return `[${this.entries.join(',')}]`;
  }
}

/** A string, a number, true, false or null. */
export class JsonScalar extends Node {
  override readonly kind = 'scalar';
  readonly type: 'string' | 'number' | 'boolean' | 'null';
  /** A string without its quotes and escapes; any other value as written, so a number keeps its digits. */
  readonly text: string;

  constructor(path: string, type: JsonScalar['type'], text: string) {
    super(path);
    this.type = type;
    this.text = text;
  }

  /** A number as JavaScript's, or as a bigint where it is an integer beyond 2^53 - 1. */
  get value(): string | number | bigint | boolean | null {
    return this.type === 'string' ? this.text : (readJsonText(this.text) as number | bigint | boolean | null);
  }

  override toString(): string {
    return this.type === 'string' ? JSON.stringify(this.text) : this.text;
  }
}

/** The path of a member of the node at `path`. */
export function memberPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  const own = shown(stepOf(step));
  return path === '' ? own : `${path}.${own}`;
}

/** The error response of a third party (specification 2.5). */
export interface FailureResponse {
  readonly status: 'failure';
  readonly error: { readonly message: string; readonly detail: string };
}

/** The reply to an import: the result of each row (specification 2.5). */
export interface ImportResponse {
  readonly import_set: string;
  readonly staging_table: string;
  readonly result: readonly { readonly status: string; readonly error_message: string }[];
}

/** Reads a failure response; `undefined` for any other response. @throws CodecError when it is incomplete */
export function readFailureResponse(root: JsonNode): FailureResponse | undefined {
  if (root.kind !== 'object') return undefined;
  const status = root.get('status');
  if (status?.kind !== 'scalar' || status.text !== 'failure') return undefined;
  const error = root.object('error');
  return { status: 'failure', error: { message: error.text('message'), detail: textOr(error, 'detail') } };
}

/** Reads an import response; `undefined` for any other response. @throws CodecError when it is incomplete */
export function readImportResponse(root: JsonNode): ImportResponse | undefined {
  if (root.kind !== 'object' || root.get('import_set') === undefined) return undefined;
  const result = root.array('result').entries.map((entry) => {
    const row = entry.asObject();
    return { status: row.text('status'), error_message: textOr(row, 'error_message') };
  });
  return { import_set: root.text('import_set'), staging_table: root.text('staging_table'), result };
}

/** In rows without an error the member is absent or null. */
function textOr(object: JsonObject, name: string): string {
  const found = object.get(name)?.asScalar();
  return found === undefined || found.type === 'null' ? '' : found.text;
}
