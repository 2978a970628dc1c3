import { readdirSync, readFileSync } from 'node:fs';

/**
 * What a sample is, and the folder of `samples` that holds it: `fields` of a document, a whole `document`, keys of an `operation`, of
 * a `service`, of the `gateway` or of a `call` (an operation with a target), whole `definitions`, or a `contract`.
 */
export const SAMPLE_KINDS = [
  'fields',
  'document',
  'operation',
  'service',
  'gateway',
  'call',
  'definitions',
  'contract',
] as const;

export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** A change that a rule of `signalbox diff` judges. `docs/compatibility.md` shows both sides. */
export interface RuleSample {
  readonly kind: SampleKind;
  readonly before: string;
  readonly after: string;
  /** The lines of the changes (see linesOf); '' for contracts. */
  readonly changes: string;
}

const folder = new URL('./samples/', import.meta.url);

/** The rules that have a sample of a kind. */
export function rulesWithSample(kind: SampleKind): string[] {
  return readdirSync(new URL(`${kind}/`, folder)).map((name) => name.slice(0, -'.case'.length));
}

const kinds = new Map(SAMPLE_KINDS.flatMap((kind) => rulesWithSample(kind).map((rule) => [rule, kind] as const)));

/**
 * The sample of a rule: `samples/KIND/RULE.case`, in which lines of dashes separate before, after and the changes.
 * @throws Error where the rule has none
 */
export function ruleSample(rule: string): RuleSample {
  const kind = kinds.get(rule);
  if (kind === undefined) throw new Error(`The rule ${rule} has no sample: add test/diff/samples/KIND/${rule}.case.`);
  const parts = readFileSync(new URL(`${kind}/${rule}.case`, folder), 'utf8').split(/^-{20}\n/m);
  const [before = '', after = ''] = parts.map((part) => part.replace(/\n$/, ''));
  return { kind, before, after, changes: parts[2] ?? '' };
}
