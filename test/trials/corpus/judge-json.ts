import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { CodecError, compileDocument, type DocumentCodec } from '../../../src/codec/index.ts';
import type { DraftDocument } from '../../../src/import/draft.ts';
import { ImportError, importContracts } from '../../../src/import/index.ts';
import type { ReadSource } from '../../../src/import/source.ts';
import { seeded } from '../../../src/mock/instance.ts';
import { load } from './codecs.ts';
import { type Json, JsonInstances, type JsonSchema } from './json-instances.ts';
import type { Difference, Judged } from './judge.ts';
import { Unmakeable } from './simple-text.ts';

/** Schemas of one contract that are tried. */
const MOST = 60;

const NOTHING = { elements: 0, valid: 0, mutants: 0, unmade: [], skipped: [], differences: [], constructs: new Map() };

/** Makes instances of the named schemas of an OpenAPI description and holds the import against them, with ajv. */
export async function judgeJson(
  location: string,
  read: ReadSource,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<Judged> {
  const found = await read(location);
  if (!('bytes' in found)) return { ...NOTHING, reason: 'missing' };
  const root = parse(new TextDecoder().decode(found.bytes), { logLevel: 'silent', maxAliasCount: -1 }) as JsonSchema;
  const isOld = root.swagger !== undefined;
  const schemas = ((isOld ? root.definitions : (root.components as JsonSchema | undefined)?.schemas) ??
    {}) as JsonSchema;
  const path = isOld ? '#/definitions/' : '#/components/schemas/';
  const documents = await documentsOf(location, read);
  if (documents === undefined) return { ...NOTHING, reason: 'refused' };
  const names = Object.keys(schemas)
    .filter((name) => documents.has(name))
    .slice(0, MOST);
  if (names.length === 0) return { ...NOTHING, reason: 'no named schema' };
  const { registry, errors } = load(
    names.map((name) => documents.get(name)!),
    'openapi',
  );
  const service = registry?.services.get('INSTANCES.v1');
  if (service === undefined)
    return { ...NOTHING, skipped: names.map(() => errors[0] ?? 'not loaded'), reason: errors[0] ?? 'not loaded' };
  const made = makeAll(root, schemas, names, { count, seed });
  const trial = new JsonTrial(path, compiler(root));
  for (const [index, name] of names.entries()) {
    const operation = service.operations.find(({ id }) => id === `e${index}`);
    if (operation?.request.kind !== 'document') continue;
    const codec = compileDocument(operation.request.document, { namespace: '' });
    for (const each of made.instances.filter((one) => one.name === name)) trial.add(each, codec);
  }
  const { unmade, ...others } = trial.found();
  return { ...NOTHING, ...others, elements: names.length, unmade: [...made.unmade, ...unmade] };
}

interface JsonMade {
  readonly name: string;
  readonly value: Json;
  readonly constructs: readonly string[];
  readonly mutation?: string;
}

function makeAll(
  root: JsonSchema,
  schemas: JsonSchema,
  names: readonly string[],
  { count, seed }: { readonly count: number; readonly seed: string },
): { readonly instances: readonly JsonMade[]; readonly unmade: readonly string[] } {
  const pick = seeded(seed);
  const maker = new JsonInstances(root, pick);
  const instances: JsonMade[] = [];
  const unmade: string[] = [];
  for (const name of names) {
    for (let n = 0; n < count; n++) {
      try {
        const value = maker.make(schemas[name]);
        const constructs = ['JSON', ...maker.seen];
        const [changed, mutation] = mutatedJson(value, pick);
        instances.push({ name, value, constructs }, { name, value: changed, constructs, mutation });
      } catch (error) {
        if (!(error instanceof Unmakeable)) throw error;
        unmade.push(`can't be made: ${error.message}`);
      }
    }
  }
  return { instances, unmade };
}

/** Judges values by a schema that has an address in a description; `undefined` when ajv does not compile it. */
type Validators = (ref: string) => ((value: Json) => string | undefined) | undefined;

/** What the instances of one contract show. */
class JsonTrial {
  readonly #path: string;
  readonly #validators: Validators;
  readonly #differences: Difference[] = [];
  readonly #constructs = new Map<string, { valid: number; different: number }>();
  readonly #unmade: string[] = [];
  #valid = 0;
  #mutants = 0;

  constructor(path: string, validators: Validators) {
    this.#path = path;
    this.#validators = validators;
  }

  found(): Pick<Judged, 'valid' | 'mutants' | 'unmade' | 'differences' | 'constructs'> {
    const [differences, constructs, unmade] = [this.#differences, this.#constructs, this.#unmade];
    return { valid: this.#valid, mutants: this.#mutants, differences, constructs, unmade };
  }

  add({ name, value, constructs, mutation }: JsonMade, codec: DocumentCodec): void {
    const isValid = this.#validators(`${this.#path}${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (isValid === undefined) {
      this.#unmade.push('ajv does not compile the schema');
      return;
    }
    const error = isValid(value);
    if (error !== undefined && mutation === undefined) {
      this.#unmade.push(`not valid: ${error}`);
      return;
    }
    const difference = judged(value, error, pass(codec, value), isValid);
    if (mutation === undefined) {
      this.#valid += 1;
      for (const each of constructs) this.#count(each, difference !== undefined);
    } else this.#mutants += 1;
    if (difference === undefined) return;
    const mutated = mutation === undefined ? {} : { mutation };
    const text = JSON.stringify(value);
    this.#differences.push({ ...difference, element: name, text, constructs, elementDefaults: new Set(), ...mutated });
  }

  #count(construct: string, isDifferent: boolean): void {
    const { valid, different } = this.#constructs.get(construct) ?? { valid: 0, different: 0 };
    this.#constructs.set(construct, { valid: valid + 1, different: different + (isDifferent ? 1 : 0) });
  }
}

/** The documents of named schemas by their names; `undefined` for a contract that is refused. */
async function documentsOf(
  location: string,
  read: ReadSource,
): Promise<ReadonlyMap<string, DraftDocument> | undefined> {
  try {
    const imported = await importContracts([location], read);
    return new Map(imported.flatMap(({ contract }) => contract.documents).map((each) => [each.name, each]));
  } catch (error) {
    if (error instanceof ImportError) return undefined;
    throw error;
  }
}

type Outcome = { readonly written: Json } | { readonly refused: string } | { readonly crash: string };

function pass(codec: DocumentCodec, value: Json): Outcome {
  try {
    const read = codec.fromJson(JSON.stringify(value));
    try {
      return { written: JSON.parse(codec.toJson(read)) as Json };
    } catch (error) {
      return { crash: `what was read can't be written: ${(error as Error).message}` };
    }
  } catch (error) {
    if (error instanceof CodecError) return { refused: error.message };
    return { crash: (error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? String(error) };
  }
}

function judged(
  value: Json,
  error: string | undefined,
  outcome: Outcome,
  isValid: (value: Json) => string | undefined,
): { readonly finding: Difference['finding']; readonly reason: string; readonly written?: string } | undefined {
  if ('crash' in outcome) return { finding: 'crash', reason: outcome.crash };
  if ('refused' in outcome) return error === undefined ? { finding: 'refused', reason: outcome.refused } : undefined;
  const written = JSON.stringify(outcome.written);
  if (error !== undefined) return { finding: 'accepted', reason: error, written };
  const again = isValid(outcome.written);
  if (again !== undefined) return { finding: 'invalid output', reason: again, written };
  if (differenceIn(value, outcome.written, '') === '') return undefined;
  return { finding: 'other content', reason: differenceIn(value, outcome.written, ''), written };
}

/** The first difference of two values, but for the order of members; empty for none. */
export function differenceIn(a: Json, b: Json, path: string): string {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? '' : `${path} ${JSON.stringify(a)} | ${JSON.stringify(b)}`;
  const [one, other] = [a, b] as [Record<string, Json>, Record<string, Json>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (!Object.hasOwn(one, key)) return `${path}/${key} was added`;
    if (!Object.hasOwn(other, key)) return `${path}/${key} is gone`;
    const inner = differenceIn(one[key] as Json, other[key] as Json, `${path}/${key}`);
    if (inner !== '') return inner;
  }
  return '';
}

/** Compiles schemas by their addresses in a description. */
export function compiler(root: JsonSchema): Validators {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: true });
  formats.default(ajv);
  // Before 3.1 a reference stands alone: what is beside it is ignored.
  const alone = !/^3\.[12]/.test(String(root.openapi));
  ajv.addSchema({ ...(modern(root, alone) as object), $id: 'root' });
  const compiled = new Map<string, ValidateFunction | undefined>();
  const compile = (ref: string): ValidateFunction | undefined => {
    try {
      return ajv.compile({ $ref: `root${ref}` });
    } catch {
      // A reference through another one, which ajv does not follow.
      return undefined;
    }
  };
  return (ref) => {
    if (!compiled.has(ref)) compiled.set(ref, compile(ref));
    const validate = compiled.get(ref);
    if (validate === undefined) return undefined;
    return (value) => {
      if (validate(value)) return undefined;
      const [error] = validate.errors ?? [];
      return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
    };
  };
}

/** Schemas of OpenAPI 2.0 and 3.0 in the words of JSON Schema. @param alone whether nothing counts beside a reference */
function modern(node: unknown, alone: boolean): unknown {
  if (Array.isArray(node)) return node.map((each) => modern(each, alone));
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...given } = node as Record<string, unknown>;
  if (alone && typeof given.$ref === 'string') return { $ref: given.$ref };
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given))
    made[key] = key === 'enum' || key === 'example' ? value : modern(value, alone);
  for (const [exclusive, inclusive] of EXCLUSIVE) {
    if (typeof made[exclusive] !== 'boolean') continue;
    if (made[exclusive]) {
      made[exclusive] = made[inclusive];
      delete made[inclusive];
    } else delete made[exclusive];
  }
  if (nullable === true) return { anyOf: [{ type: 'null' }, made] };
  return nullable === undefined || nullable === false ? made : { ...made, nullable: modern(nullable, alone) };
}

const EXCLUSIVE = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

const VALUES: readonly Json[] = [null, '', 'x', -1, 1.5, 1e20, true, [], {}, 'x'.repeat(400), '2026-13-45'];

/** A copy of a value with one change, and what it is. */
function mutatedJson(value: Json, pick: (count: number) => number): readonly [Json, string] {
  const copy = structuredClone(value) as Json;
  const holders: Record<string, Json>[] = [];
  const visit = (each: Json): void => {
    if (typeof each !== 'object' || each === null) return;
    if (Object.keys(each).length > 0) holders.push(each as Record<string, Json>);
    for (const inner of Object.values(each)) visit(inner as Json);
  };
  visit(copy);
  const holder = holders[pick(Math.max(1, holders.length))];
  if (holder === undefined) return [VALUES[pick(VALUES.length)] as Json, 'another value'];
  const keys = Object.keys(holder);
  const key = keys[pick(keys.length)] as string;
  if (pick(3) === 0 && !Array.isArray(holder)) {
    delete holder[key];
    return [copy, 'a member removed'];
  }
  holder[key] = VALUES[pick(VALUES.length)] as Json;
  return [copy, 'another value'];
}
