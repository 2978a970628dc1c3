import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractForms, describeContract } from '../../../../src/describe/index.ts';
import type { ReadSource } from '../../../../src/import/source.ts';
import { foldedName } from '../../../../src/model/document.ts';
import { loadContract } from '../messages/served.ts';
import { type Reading, readContracts, TOOLS, type Tool } from './run.ts';

/** A contract, and what is described of it where it is served. */
interface Compared {
  readonly path: string;
  readonly described: readonly string[];
  /** Folded names of operations that are declared as not callable, and reported. */
  readonly inactive: ReadonlySet<string>;
}

/** What a tool makes of a contract and of its description. */
interface Verdict {
  readonly path: string;
  readonly finding:
    | 'both'
    | 'only ours is refused'
    | 'only the original is refused'
    | 'both are refused'
    | 'operations differ';
  readonly reason: string;
}

/** Describes contracts, as files in a folder. Those of which nothing is served are left out. */
async function describeAll(
  paths: readonly string[],
  read: ReadSource,
  form: 'wsdl' | 'wadl',
  folder: string,
): Promise<readonly Compared[]> {
  const all: Compared[] = [];
  for (const [index, path] of paths.entries()) {
    const { registry, errors } = await loadContract(path, read, 'provider');
    if (registry === undefined) throw new Error(`${path}: ${errors[0]}`);
    const own = join(folder, String(index));
    mkdirSync(own);
    const services = [...registry.services.values()].filter(({ delivered }) => !delivered);
    const described = services
      .filter((service) => contractForms(service).includes(form))
      .map((service) => {
        const files = [...describeContract(registry, form, { service }, 'http://127.0.0.1:8080/gateway')];
        for (const [name, text] of files) writeFileSync(join(own, name), text);
        return join(own, files[0]?.[0] ?? '');
      });
    const inactive = services.flatMap(({ operations }) => operations.filter(({ active }) => !active));
    const names = new Set(inactive.map(({ name }) => foldedName(name)));
    if (described.length > 0) all.push({ path, described, inactive: names });
  }
  return all;
}

/** Reads contracts and their descriptions with a tool. A tool that accepts a contract accepts what is described of it. */
async function compareWith(tool: Tool, all: readonly Compared[], folder: string): Promise<readonly Verdict[]> {
  const [before, after] = ['before', 'after'].map((name) => join(folder, `${tool}-${name}`)) as [string, string];
  for (const each of [before, after]) mkdirSync(each);
  const originals = await readContracts(
    tool,
    all.map(({ path }) => path),
    before,
  );
  const ours = await readContracts(
    tool,
    all.flatMap(({ described }) => described),
    after,
  );
  return all.map((compared) => {
    const readings = compared.described.map((file) => ours.get(file) ?? {});
    return { path: compared.path, ...judge(originals.get(compared.path) ?? {}, readings, compared.inactive) };
  });
}

function judge(original: Reading, ours: readonly Reading[], inactive: ReadonlySet<string>): Omit<Verdict, 'path'> {
  const refused = ours.find(({ error }) => error !== undefined)?.error;
  if (original.error !== undefined)
    return { finding: refused === undefined ? 'only the original is refused' : 'both are refused', reason: '' };
  if (refused !== undefined) return { finding: 'only ours is refused', reason: refused };
  const found = new Set(ours.flatMap(({ operations = [] }) => operations));
  const missing = (original.operations ?? []).filter((name) => !found.has(name) && !inactive.has(foldedName(name)));
  return missing.length === 0
    ? { finding: 'both', reason: '' }
    : { finding: 'operations differ', reason: `without ${[...new Set(missing)].join(', ')}` };
}

/** Compares with each tool and prints figures. @returns the number of contracts that a tool accepts only as they came */
export async function reportTools(
  tools: readonly Tool[],
  contracts: readonly { readonly kind: string; readonly path: string }[],
  read: ReadSource,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tools-'));
  let bad = 0;
  try {
    for (const form of ['wsdl', 'wadl'] as const) {
      const own = tools.filter((tool) => TOOLS[tool].form === form);
      if (own.length === 0) continue;
      const below = join(folder, form);
      mkdirSync(below);
      const paths = contracts.filter(({ kind }) => kind === form).map(({ path }) => path);
      const all = await describeAll(paths, read, form, below);
      process.stdout.write(
        `${all.length} of ${paths.length} contracts are served and described as ${form.toUpperCase()}\n`,
      );
      for (const tool of own) bad += print(tool, await compareWith(tool, all, below));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return bad;
}

function print(tool: Tool, verdicts: readonly Verdict[]): number {
  process.stdout.write(`${tool}\n`);
  for (const [finding, of] of Map.groupBy(verdicts, ({ finding }) => finding))
    process.stdout.write(`${String(of.length).padStart(6)}  ${finding}\n`);
  const failed = verdicts.filter(({ reason }) => reason !== '');
  for (const { path, finding, reason } of failed)
    process.stdout.write(`  ${path}: ${finding}\n      ${reason.trim().replaceAll('\n', '\n      ')}\n`);
  return failed.length;
}
