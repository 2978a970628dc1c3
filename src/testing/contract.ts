import { AssertionError } from 'node:assert';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contractForms, describeContract } from '../describe/index.ts';
import type { Registry } from '../model/registry.ts';

export type ContractForm = 'openapi' | 'wadl' | 'wsdl' | 'xsd';

/** The address in contracts that are committed: that of systems differs. */
const BASE = 'https://gateway.invalid';

/** Lines around a difference. */
const AROUND = 3;
/** Most differences that a message shows. */
const MOST = 10;

/** Whether contracts are written rather than compared. */
function isUpdate(): boolean {
  return Boolean(process.env.UPDATE_CONTRACTS) || process.argv.includes('--update');
}

/**
 * Compares a contract with the file that has it; `UPDATE_CONTRACTS` or the argument `--update` writes the file instead.
 * @throws AssertionError with the differences
 */
export function compareContract(
  registry: Registry,
  form: ContractForm,
  serviceId: string,
  { root, file }: { readonly root: string; readonly file: string },
): void {
  const service = registry.services.get(serviceId);
  if (service === undefined)
    throw new TypeError(`there is no service ${serviceId}; there is ${[...registry.services.keys()].join(', ')}`);
  const forms = contractForms(service);
  if (!forms.includes(form)) throw new TypeError(`${serviceId} has no ${form}; it has ${forms.join(', ')}`);
  const files = describeContract(registry, form, { service }, `${BASE}/${registry.gateway.context}`);
  const path = resolve(root, file);
  const [[, text = ''] = [], ...imports] = files;
  const all = new Map([[path, text], ...imports.map(([name, each]) => [join(dirname(path), name), each] as const)]);
  for (const [at, wanted] of all) compareFile(at, wanted, `${form} ${serviceId}`);
}

function compareFile(path: string, actual: string, what: string): void {
  const known = existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : undefined;
  if (known === actual) return;
  if (isUpdate()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  const shown = known === undefined ? `${path} does not exist.` : differences(path, known, actual);
  const hint = 'If the contract was meant to change, run the test with UPDATE_CONTRACTS=1 and commit the file.';
  throw new AssertionError({ message: `${what} is not the committed contract\n${shown}\n${hint}` });
}

function differences(path: string, known: string, actual: string): string {
  const before = path.endsWith('.json') ? readJson(known) : undefined;
  const found = before === undefined ? [] : jsonDifferences(before, JSON.parse(actual), '');
  if (found.length === 0) return `${path}:\n${lineDifference(known, actual)}`;
  const more = found.length > MOST ? [`  and ${found.length - MOST} more`] : [];
  return [`${path}:`, ...found.slice(0, MOST), ...more].join('\n');
}

/** `undefined` for a text that is not JSON, such as one with the marks of a merge conflict. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By JSON pointers (RFC 6901): removed, added and changed members. */
function jsonDifferences(known: unknown, actual: unknown, at: string): string[] {
  if (JSON.stringify(known) === JSON.stringify(actual)) return [];
  const both = [known, actual].every((each) => typeof each === 'object' && each !== null);
  if (!both || Array.isArray(known) !== Array.isArray(actual))
    return [`  ${at}: ${short(known)} is now ${short(actual)}`];
  const [before, after] = [known as Record<string, unknown>, actual as Record<string, unknown>];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!(name in after)) return [`  ${place} is gone: ${short(before[name])}`];
    if (!(name in before)) return [`  ${place} is new: ${short(after[name])}`];
    return jsonDifferences(before[name], after[name], place);
  });
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

/** The first lines that differ, up to where both texts go on alike. */
function lineDifference(known: string, actual: string): string {
  const [before, after] = [known.split('\n'), actual.split('\n')];
  let first = 0;
  while (before[first] === after[first]) first++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > first && endAfter > first && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const cut = (lines: readonly string[]): readonly string[] =>
    lines.length > MOST ? [...lines.slice(0, MOST), `... ${lines.length - MOST} more lines`] : lines;
  const lines = [
    `line ${first + 1}:`,
    ...before.slice(Math.max(0, first - AROUND), first).map((line) => `    ${line}`),
    ...cut(before.slice(first, endBefore)).map((line) => `  - ${line}`),
    ...cut(after.slice(first, endAfter)).map((line) => `  + ${line}`),
    ...before.slice(endBefore, endBefore + AROUND).map((line) => `    ${line}`),
  ];
  return lines.join('\n');
}
