import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodecError } from '../../../src/codec/index.ts';
import { Losses } from '../../../src/import/place.ts';
import { gather, type ReadSource } from '../../../src/import/source.ts';
import { WSDL_LANGUAGE } from '../../../src/import/wsdl/sources.ts';
import { schemasOf } from '../../../src/import/xsd/sources.ts';
import { seeded } from '../../../src/mock/instance.ts';
import { readXml, XmlError } from '../../../src/wire/xml/read-xml.ts';
import { type ImportedElement, type ImportedSchemas, importSchemas } from './codecs.ts';
import { differenceOf, ORDER } from './compare.ts';
import { Instances } from './instances.ts';
import { mutated } from './mutate.ts';
import { nodeText } from './node.ts';
import { jsonJudge } from './open-api.ts';
import { writeOriginals } from './originals.ts';
import { Unmakeable } from './simple-text.ts';
import { NotSimple } from './simple-types.ts';
import { SchemaRefused, type Verdicts, validate } from './validate.ts';

/** What an instance showed. */
export type Finding =
  | 'refused' // valid by the schema, refused by the codec
  | 'invalid output' // what the codec writes of a valid one is not valid by the schema
  | 'other content' // the codec writes something else
  | 'not described' // the schema that we describe refuses what the codec takes
  | 'described' // the schema that we describe takes what both others refuse
  | 'not in JSON' // the OpenAPI that we describe refuses what the codec writes
  | 'accepted' // not valid by the schema, taken by the codec
  | 'crash';

export interface Difference {
  readonly finding: Finding;
  readonly element: string;
  readonly reason: string;
  readonly text: string;
  readonly constructs: readonly string[];
  /** Local names of elements with a default. */
  readonly elementDefaults: ReadonlySet<string>;
  readonly mutation?: string;
  readonly written?: string;
}

/** What the instances of one contract showed. */
export interface Judged {
  readonly elements: number;
  readonly valid: number;
  readonly mutants: number;
  /** Instances that were made and are not valid, and elements of which none could be made, by reasons. */
  readonly unmade: readonly string[];
  readonly skipped: readonly string[];
  readonly differences: readonly Difference[];
  /** Valid instances by the constructs in them, and those of them with a difference. */
  readonly constructs: ReadonlyMap<string, { valid: number; different: number }>;
  /** Why nothing was tried. */
  readonly reason?: string;
}

interface Made {
  readonly of: ImportedElement;
  readonly text: string;
  readonly constructs: readonly string[];
  readonly mutation?: string;
}

/** Makes instances of the global elements of a contract's schemas and holds the import against them. */
export async function judge(
  location: string,
  read: ReadSource,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-instances-'));
  try {
    return await judgeIn(folder, location, read, count, seed);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const NOTHING = { elements: 0, valid: 0, mutants: 0, unmade: [], skipped: [], differences: [], constructs: new Map() };

/** Global elements of one contract that are tried: the largest have thousands. */
const MOST = 60;

async function judgeIn(
  folder: string,
  location: string,
  read: ReadSource,
  count: number,
  seed: string,
): Promise<Judged> {
  const losses = new Losses();
  const sources = await gather([location], WSDL_LANGUAGE, read, losses);
  const parts = [...sources.entries()].flatMap(([at, root]) =>
    at === location || root.local !== 'schema' ? schemasOf(root).map((each) => ({ root: each, location: at })) : [],
  );
  if (parts.length === 0) return { ...NOTHING, reason: 'no schema' };
  const imported = importSchemas(parts, sources, losses);
  const schema = writeOriginals(sources, folder);
  const skipped = [...imported.skipped.values()];
  const unmade: string[] = [];
  const pick = seeded(seed);
  const instances = new Instances(imported.components, pick);
  const made: Made[] = [];
  for (const of of imported.elements.slice(0, MOST)) {
    for (let n = 0; n < count; n++) {
      try {
        const node = instances.root(of.component);
        const constructs = [...instances.seen];
        made.push({ of, text: nodeText(node), constructs });
        const changed = mutated(node, pick);
        if (changed !== undefined) made.push({ of, text: nodeText(changed.node), constructs, mutation: changed.what });
      } catch (error) {
        if (!(error instanceof Unmakeable || error instanceof NotSimple)) throw error;
        unmade.push(`can't be made: ${error.message}`);
      }
    }
  }
  try {
    const schemas = { original: schema, ...described(imported, folder) };
    const found = new Trial(made, schemas, folder, instances).run();
    return { ...found, elements: imported.elements.length, skipped, unmade: [...unmade, ...found.unmade] };
  } catch (error) {
    if (error instanceof SchemaRefused) return { ...NOTHING, reason: `xmllint: ${error.message}` };
    throw error;
  }
}

/** Where the schemas are. */
interface Schemas {
  readonly original: string;
  /** What we describe; `undefined` when there is nothing. */
  readonly own: string | undefined;
  readonly json: ((index: number, text: string) => string | undefined) | undefined;
}

/** Writes the schemas that we describe. */
function described(imported: ImportedSchemas, folder: string): Omit<Schemas, 'original'> {
  if (imported.elements.length === 0) return { own: undefined, json: undefined };
  const files = imported.xsd();
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const [main = ''] = files.keys();
  return { own: join(folder, main), json: jsonJudge(imported.openApi()) };
}

/** What instances of one contract show, found in steps. */
class Trial {
  readonly #made: readonly Made[];
  readonly #schemas: Schemas;
  readonly #folder: string;
  readonly #instances: Instances;
  /** xmllint's word on each, by the original schema. */
  readonly #verdicts: Verdicts;
  readonly #outcomes = new Map<Made, Outcome>();
  readonly #differences: Difference[] = [];
  readonly #different = new Set<Made>();

  constructor(made: readonly Made[], schemas: Schemas, folder: string, instances: Instances) {
    this.#made = made;
    this.#schemas = schemas;
    this.#folder = folder;
    this.#instances = instances;
    this.#verdicts = this.#validate(schemas.original, made);
  }

  run(): Pick<Judged, 'valid' | 'mutants' | 'unmade' | 'differences' | 'constructs'> {
    const unmade: string[] = [];
    for (const [index, one] of this.#made.entries()) {
      const error = this.#verdicts[index];
      // Without a mutation it should be valid: the generator's mistake, or what it does not know.
      if (error !== undefined && one.mutation === undefined) unmade.push(`not valid: ${error}`);
      else this.#outcomes.set(one, this.#read(one, error));
    }
    this.#compareWritten();
    this.#compareDescribed();
    const tried = [...this.#outcomes.keys()];
    const mutants = tried.filter(({ mutation }) => mutation !== undefined).length;
    const constructs = this.#constructs(tried);
    return { valid: tried.length - mutants, mutants, unmade, differences: this.#differences, constructs };
  }

  #validate(schema: string, documents: readonly { readonly text: string }[]): Verdicts {
    const texts = documents.map(({ text }) => text);
    return validate(schema, texts, this.#folder);
  }

  #note({ of, text, constructs, mutation }: Made, found: Pick<Difference, 'finding' | 'reason' | 'written'>): void {
    const element = of.component.name.local;
    const { elementDefaults } = this.#instances;
    const mutated = mutation === undefined ? {} : { mutation };
    this.#differences.push({ ...found, element, text, constructs, elementDefaults, ...mutated });
  }

  #read(one: Made, error: string | undefined): Outcome {
    const outcome = pass(one);
    if ('crash' in outcome) this.#differ(one, { finding: 'crash', reason: outcome.crash });
    else if ('refused' in outcome) {
      if (error === undefined) this.#differ(one, { finding: 'refused', reason: outcome.refused });
    } else if (error !== undefined) this.#differ(one, { finding: 'accepted', reason: error, written: outcome.text });
    return outcome;
  }

  #differ(one: Made, found: Pick<Difference, 'finding' | 'reason' | 'written'>): void {
    this.#different.add(one);
    this.#note(one, found);
  }

  /** What is written of valid instances is valid, and has the same content. */
  #compareWritten(): void {
    const written = this.#made.flatMap((one, index) => {
      const outcome = this.#outcomes.get(one);
      const isValid = this.#verdicts[index] === undefined;
      return isValid && outcome !== undefined && 'text' in outcome ? [{ one, text: outcome.text }] : [];
    });
    const verdicts = this.#validate(this.#schemas.original, written);
    for (const [index, { one, text }] of written.entries()) {
      const error = verdicts[index];
      const difference = differenceOf(readXml(one.text), readXml(text), this.#instances.defaults);
      const isFree = difference?.startsWith(ORDER) && one.constructs.includes('all');
      if (error !== undefined) this.#differ(one, { finding: 'invalid output', reason: error, written: text });
      else if (difference !== undefined && !isFree)
        this.#differ(one, { finding: 'other content', reason: difference, written: text });
    }
  }

  /** The schemas that we describe permit what the original permits and the codec reads. */
  #compareDescribed(): void {
    const { own, json } = this.#schemas;
    const [first] = this.#made;
    if (own === undefined || first === undefined) return;
    const verdicts = this.#ownVerdicts(own);
    if (typeof verdicts === 'string') {
      this.#note(first, { finding: 'not described', reason: verdicts });
      return;
    }
    for (const [index, one] of this.#made.entries()) {
      const [original, described] = [this.#verdicts[index], verdicts[index]];
      const outcome = this.#outcomes.get(one);
      if (outcome === undefined) continue;
      const isRead = 'text' in outcome;
      if (isRead && original === undefined && described !== undefined)
        this.#differ(one, { finding: 'not described', reason: described });
      if (!isRead && original !== undefined && described === undefined)
        this.#differ(one, { finding: 'described', reason: original });
      const wrong = isRead ? json?.(one.of.index, outcome.json) : undefined;
      if (isRead && wrong !== undefined)
        this.#differ(one, { finding: 'not in JSON', reason: wrong, written: outcome.json });
    }
  }

  /** The verdicts of the schema that we describe, or why xmllint refuses it. */
  #ownVerdicts(schema: string): Verdicts | string {
    try {
      return this.#validate(schema, this.#made);
    } catch (error) {
      if (!(error instanceof SchemaRefused)) throw error;
      return `xmllint refuses our schema: ${error.message.replaceAll(this.#folder, '')}`;
    }
  }

  #constructs(tried: readonly Made[]): Judged['constructs'] {
    const found = new Map<string, { valid: number; different: number }>();
    for (const one of tried) {
      if (one.mutation !== undefined) continue;
      for (const each of one.constructs) {
        const { valid, different } = found.get(each) ?? { valid: 0, different: 0 };
        found.set(each, { valid: valid + 1, different: different + (this.#different.has(one) ? 1 : 0) });
      }
    }
    return found;
  }
}

type Outcome =
  | { readonly text: string; readonly json: string }
  | { readonly refused: string }
  | { readonly crash: string };

/** Reads an instance and writes it again, by JSON, so that both forms are tried. */
function pass({ of: { codec }, text }: Made): Outcome {
  try {
    const value = codec.fromXml(readXml(text));
    try {
      const json = codec.toJson(value);
      return { json, text: codec.toXml(codec.fromJson(json)) };
    } catch (error) {
      return { crash: `what was read can't be written: ${(error as Error).message}` };
    }
  } catch (error) {
    if (error instanceof CodecError || error instanceof XmlError) return { refused: error.message };
    return { crash: (error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? String(error) };
  }
}
