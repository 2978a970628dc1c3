import { CodecError, compileDocument, compileText, type Step } from '../codec/index.ts';
import { didYouMean } from '../load/diagnostic/suggest.ts';
import { codeDiagnostic, type Diagnostic, type Place } from '../load/index.ts';
import { isTreeMap, type MockTrees, readMocks, type TreeMap, type TreeValue } from '../load/mocks.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { everyField } from '../model/derivation.ts';
import { bareField, type Document } from '../model/document.ts';
import { type Field, singleType } from '../model/field.ts';
import { ANSWER_KEYS, FAULT_KEYS, MOCK_KEYS } from '../model/mock-keys.ts';
import { alternatives, operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Message, Operation } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { checkHeaders } from '../serve/exchange/respond.ts';
import { messageOf } from '../wire/error.ts';
import { anyOf, quote } from '../wire/words.ts';
import { Answers, type AskedAnswer } from './answers.ts';
import { compileWhen, inputOf, OneOf } from './condition.ts';
import { readDelay } from './delay.ts';
import { type AskedFault, FAULT_CODES, faultOf, readFault } from './fault.ts';
import { fixtureJson } from './fixture-json.ts';

/** The answers in the files of `mocks/`. */
export interface LoadedMocks {
  /** By the ids of operations, in the order in which they are tried. */
  readonly answers: ReadonlyMap<string, readonly AskedAnswer[]>;
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the files by their names. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Reads the files of `mocks/`, and checks them against the operations that they are about. */
export function loadMocks(registry: Registry, root: string): LoadedMocks {
  const trees = readMocks(root);
  const reader = new FixtureReader(registry, trees);
  for (const { value, at } of trees.roots) reader.read(value, at);
  return { answers: reader.answers, diagnostics: [...trees.diagnostics, ...reader.found], sources: trees.sources };
}

/** The answers of files, as a mock takes them. */
export function answersOf({ answers }: Pick<LoadedMocks, 'answers'>): Answers {
  const made = new Answers();
  for (const [operation, each] of answers) made.set(operation, each);
  return made;
}

type Mocked = Operation | ConsumerOperation;

class FixtureReader {
  readonly answers = new Map<string, readonly AskedAnswer[]>();
  readonly found: Diagnostic[] = [];
  readonly #byName: ReturnType<typeof operationsByName>;
  readonly #trees: MockTrees;

  constructor(registry: Registry, trees: MockTrees) {
    this.#byName = operationsByName(registry);
    this.#trees = trees;
  }

  read(root: TreeValue, at: Place): void {
    const { places } = this.#trees;
    if (isTreeMap(root) && typeof root.mock === 'string') this.#mock(root, root.mock, places);
    else this.#raise('A part of a file in mocks/ begins with `mock:` and the name of an operation', at);
  }

  #mock(root: TreeMap, name: string, places: MockTrees['places']): void {
    this.#checkKeys(root, MOCK_KEYS, 'a mock');
    const operation = this.#operation(name, places.value(root, 'mock'));
    if (operation === undefined) return;
    const { id } = operation;
    const list = root.answers;
    if (this.answers.has(id))
      this.#raise(`The mock of ${id} is declared twice`, places.value(root, 'mock'), 'Write all answers in one list.');
    else if (Array.isArray(list) && list.length > 0) this.answers.set(id, this.#list(list, operation));
    else
      this.#raise(
        `The mock of ${id} has no list of \`answers\``,
        places.key(root, 'answers' in root ? 'answers' : 'mock'),
      );
  }

  #list(list: TreeValue[], operation: Mocked): AskedAnswer[] {
    return list.flatMap((each, index) => {
      if (isTreeMap(each)) return this.#answer(each, operation);
      this.#raise('An answer is a map with `reply`, `fault` or `delay`', this.#trees.places.value(list, index));
      return [];
    });
  }

  #raise(reason: string, at: Place, hint?: string): void {
    this.found.push(codeDiagnostic('bad-mock', { reason, hint }, at));
  }

  #checkKeys(map: TreeMap, known: Readonly<Record<string, string>>, owner: string): void {
    const keys = Object.keys(known);
    for (const key of Object.keys(map))
      if (!keys.includes(key))
        this.#raise(`\`${key}\` is not a key of ${owner}`, this.#trees.places.key(map, key), didYouMean(key, keys));
  }

  #operation(name: string, at: Place): Mocked | undefined {
    const found = this.#byName.get(name) ?? [];
    if (found.length === 1) return found[0];
    if (found.length > 1) this.#raise(`The name ${name} is ambiguous`, at, `Write ${alternatives(found)}.`);
    else this.#raise(`There is no operation ${name}`, at, didYouMean(name, this.#byName.keys()));
    return undefined;
  }

  #answer(map: TreeMap, operation: Mocked): AskedAnswer {
    const { places } = this.#trees;
    this.#checkKeys(map, ANSWER_KEYS, 'an answer');
    if ('reply' in map && 'fault' in map)
      this.#raise('An answer has `reply` or `fault`, not both', places.key(map, 'fault'));
    const times = this.#number(map, 'times', 1, Number.MAX_SAFE_INTEGER);
    const status = this.#number(map, 'status', 200, 299);
    const delay = this.#delay(map);
    const headers = this.#headers(map);
    const fits = 'when' in map ? this.#when(map, operation) : undefined;
    const reply =
      'fault' in map ? this.#fault(map, operation) : 'reply' in map ? this.#reply(map, operation) : undefined;
    return {
      ...(times === undefined ? {} : { times }),
      ...(status === undefined ? {} : { status }),
      ...(delay === undefined ? {} : { delay }),
      ...(headers === undefined ? {} : { headers }),
      ...(fits === undefined ? {} : { fits }),
      ...(reply === undefined ? {} : { reply }),
    };
  }

  #number(map: TreeMap, key: string, least: number, most: number): number | undefined {
    const value = map[key];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most > 1e9 ? `at least ${least}` : `from ${least} to ${most}`;
    this.#raise(`\`${key}\` is a whole number ${range}`, this.#trees.places.value(map, key));
    return undefined;
  }

  #delay(map: TreeMap): number | undefined {
    const value = map.delay;
    if (value === undefined) return undefined;
    const read = readDelay(String(value));
    if (typeof read === 'number') return read;
    const hint = read.meant.length === 0 ? undefined : `Write ${anyOf(read.meant.map((each) => `\`${each}\``))}.`;
    this.#raise('`delay` is a time up to 1 h, such as `2 s` or `500 ms`', this.#trees.places.value(map, 'delay'), hint);
    return undefined;
  }

  #headers(map: TreeMap): Readonly<Record<string, string>> | undefined {
    const { headers } = map;
    const { places } = this.#trees;
    if (headers === undefined) return undefined;
    if (!isTreeMap(headers)) {
      this.#raise('`headers` is a map from names of headers to texts', places.value(map, 'headers'));
      return undefined;
    }
    for (const [name, value] of Object.entries(headers)) {
      const reason = headerFault(name, value);
      if (reason !== undefined) this.#raise(`Header ${quote(name)} ${reason}`, places.value(headers, name));
    }
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  }

  #reply(map: TreeMap, operation: Mocked): AskedAnswer['reply'] {
    const message = responseOf(operation);
    const at = this.#trees.places.value(map, 'reply');
    if (message === undefined || message.kind === 'none') {
      this.#raise(`${operation.id} has no reply`, at, 'Remove `reply`.');
      return undefined;
    }
    if (message.kind === 'raw') {
      const content = map.reply as TreeValue;
      if (message.raw === 'json') return () => content as never;
      if (typeof content === 'string')
        return () => (message.raw === 'binary' ? Buffer.from(content, 'base64') : content);
      this.#raise(`The reply of ${operation.id} is ${message.raw === 'binary' ? 'Base64 text' : 'a text'}`, at);
      return undefined;
    }
    const value = this.#document(message.document, map, operation);
    return value === undefined ? undefined : () => value;
  }

  /** The value of a reply's document, which has the errors of its reader reported. */
  #document(document: Document, map: TreeMap, operation: Mocked): DocumentValue | undefined {
    const { places } = this.#trees;
    const before = this.found.length;
    const raise = (reason: string, at: Place, hint?: string): void =>
      this.#raise(`The reply of ${operation.id}: ${reason}`, at, hint);
    const json = fixtureJson(document, { container: map, key: 'reply' }, { places, raise });
    if (this.found.length > before) return undefined;
    try {
      return compileDocument(document, { namespace: '' }).fromJson(json);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      const isBare = bareField(document) !== undefined;
      for (const each of [error, ...error.others]) {
        const steps = isBare ? each.steps.slice(typeof each.steps[0] === 'string' ? 1 : 0) : each.steps;
        raise(each.message.replace(/\.$/, ''), this.#placeOf(map, steps));
      }
      return undefined;
    }
  }

  /** The place of a value that steps lead to, or of the last thing on the way that there is. */
  #placeOf(map: TreeMap, steps: readonly Step[]): Place {
    const { places } = this.#trees;
    let at = places.value(map, 'reply');
    let value: TreeValue | undefined = map.reply;
    for (const step of steps) {
      const key = typeof step === 'object' ? step.key : step;
      if (Array.isArray(value) && typeof key === 'number' && key < value.length) {
        at = places.value(value, key);
        value = value[key];
      } else if (isTreeMap(value) && typeof key === 'string' && key in value) {
        at = places.value(value, key);
        value = value[key];
      } else break;
    }
    return at;
  }

  #fault(map: TreeMap, { id }: Mocked): AskedAnswer['reply'] {
    const { places } = this.#trees;
    const given = map.fault;
    const at = places.value(map, 'fault');
    const read = isTreeMap(given) ? this.#faultMap(given) : readFault(String(given));
    const headers = isTreeMap(given) ? this.#headers(given) : undefined;
    if (read === undefined || faultOf(read, id) === undefined) {
      const code = isTreeMap(given) ? String(given.code ?? '') : String(given);
      const hint =
        'Write a status from 400 to 599, a code of the catalogue, or `{ code: CLOSED, status: 409, message: ... }`.';
      this.#raise(`${code || 'This'} is not a fault`, at, didYouMean(code, FAULT_CODES) ?? hint);
      return undefined;
    }
    const options = headers === undefined ? {} : { headers };
    return () => {
      throw faultOf(read, id, options);
    };
  }

  #faultMap(map: TreeMap): AskedFault {
    this.#checkKeys(map, FAULT_KEYS, 'a fault');
    const status = this.#number(map, 'status', 400, 599);
    return {
      ...(map.code === undefined ? {} : { code: String(map.code) }),
      ...(status === undefined ? {} : { status }),
      ...(map.message === undefined ? {} : { message: String(map.message) }),
    };
  }

  #when(map: TreeMap, operation: Mocked): AskedAnswer['fits'] {
    const { when } = map;
    if (!isTreeMap(when)) {
      this.#raise('`when` is a map from fields of the request to values', this.#trees.places.value(map, 'when'));
      return undefined;
    }
    const before = this.found.length;
    const wanted = this.#members(when, inputOf(operation), `the request of ${operation.id}`);
    return this.found.length > before ? undefined : compileWhen(operation, wanted);
  }

  /** The values that are wanted of fields, in the form that they have in memory. */
  #members(map: TreeMap, fields: readonly Field[], owner: string): Readonly<Record<string, unknown>> {
    const byName = new Map(fields.map((field) => [field.name, field]));
    const wanted: Record<string, unknown> = {};
    for (const name of Object.keys(map)) {
      const field = byName.get(name);
      if (field !== undefined) wanted[name] = this.#wanted(field, map, name);
      else
        this.#raise(
          `${name} is not a field of ${owner}`,
          this.#trees.places.key(map, name),
          didYouMean(name, byName.keys()),
        );
    }
    return wanted;
  }

  #wanted(field: Field, container: TreeMap | TreeValue[], key: string | number): unknown {
    const value = (container as TreeMap)[key as string] as TreeValue;
    const { type } = field;
    if (value === null) return null;
    const item = singleType(type);
    const each = (within: TreeMap | TreeValue[], at: string | number): unknown => {
      const one = (within as TreeMap)[at as string] as TreeValue;
      if (item.kind === 'document' && isTreeMap(one))
        return this.#members(one, everyField(item.document), item.document.id);
      return this.#single(field, within, at);
    };
    if (type.kind === 'map' && isTreeMap(value))
      return Object.fromEntries(Object.keys(value).map((name) => [name, each(value, name)]));
    if (Array.isArray(value)) {
      const all = value.map((_, index) => each(value, index));
      return type.kind === 'list' ? all : new OneOf(all as Value[]);
    }
    return each(container, key);
  }

  #single(field: Field, container: TreeMap | TreeValue[], key: string | number): Value | undefined {
    const { places } = this.#trees;
    const value = (container as TreeMap)[key as string] as TreeValue;
    if (primitiveOf(singleType(field.type)) === 'json') return value as Value;
    const single = { ...field, type: singleType(field.type) };
    const isDocument = single.type.kind === 'document';
    const reason =
      isDocument || typeof value === 'object'
        ? `has to be ${isDocument ? 'a map from fields to values' : 'a single value'}`
        : reasonAgainst(() => compileText(single)(places.written(container, key) ?? String(value)));
    if (typeof reason !== 'string') return reason.value;
    this.#raise(`${field.name} in \`when\` ${reason}`, places.value(container, key));
    return undefined;
  }
}

/** Why a reply can't have a header; `undefined` when it can. */
function headerFault(name: string, value: TreeValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return 'has to be a text';
  try {
    checkHeaders({ [name]: String(value) });
    return undefined;
  } catch (error) {
    return `can't be sent: ${messageOf(error).replace(/\.$/, '')}`;
  }
}

function reasonAgainst(read: () => Value): string | { readonly value: Value } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof CodecError) return error.reason;
    throw error;
  }
}

/** The message that an operation replies with. */
function responseOf(operation: Mocked): Message | undefined {
  if ('kind' in operation && operation.kind === 'soap') return operation.soap.response;
  return operation.responses[0]?.message;
}
