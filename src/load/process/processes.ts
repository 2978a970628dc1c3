import type { Field } from '../../model/field.ts';
import type { Process, ProcessRetry, Recurrence } from '../../model/process.ts';
import type { Query } from '../../model/query.ts';
import type { User } from '../../model/security.ts';
import type { ProcessDeclared } from '../declared.ts';
import type { Documents } from '../document/documents.ts';
import { linkField } from '../document/field.ts';
import { given } from '../given.ts';
import type { WantedFile } from '../handlers.ts';
import { declarationsOf, type Linking, mayHaveMeant, positionOf, resolveId } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import { type GrantSources, linkThingGrants } from '../security/grants.ts';
import { linkDuration } from '../units.ts';
import { linkRecurring } from './recurring.ts';

/** What processes are linked against. */
export interface ProcessSources {
  readonly grants: GrantSources;
  readonly queries: ReadonlyMap<string, Query>;
  readonly recurrences: ReadonlyMap<string, Recurrence>;
  readonly users: ReadonlyMap<string, User>;
}

/** Links every process. */
export function linkProcesses(documents: Documents, sources: ProcessSources): Process[] {
  return declarationsOf<ProcessDeclared>(documents.linking, 'process').flatMap(
    (each) => linkProcess(documents, sources, each) ?? [],
  );
}

/** The files of the processes' code. */
export function processFiles({ incomplete }: Linking, all: Iterable<Process>): WantedFile[] {
  return [...all].flatMap((each) =>
    each.answer.kind === 'handler'
      ? { id: each.id, file: each.answer.file, unsure: incomplete.has(each), at: each.at }
      : [],
  );
}

/** Undefined where it can't be told what runs. */
function linkProcess(
  documents: Documents,
  sources: ProcessSources,
  declaration: Declaration<ProcessDeclared>,
): Process | undefined {
  const { linking } = documents;
  const { id, value, at } = declaration;
  const program = linkProgram(documents, sources, declaration);
  const grants = linkThingGrants(linking, sources.grants, declaration, 'process');
  if (program === undefined) return undefined;
  const process: Process = {
    id,
    type: value.type,
    ...program,
    retry: linkRetry(linking, value),
    ...grants,
    ...given({ description: value.description, timeout: linkDuration(linking, value, 'timeout') }),
    at: positionOf(at),
  };
  const linked = { ...process, ...linkRecurring(linking, sources, declaration, process) };
  if (mayHaveMeant(linking, value, ['handler', 'query'])) linking.incomplete.add(linked);
  return linked;
}

/** What runs, and what it takes. */
function linkProgram(
  documents: Documents,
  { queries }: ProcessSources,
  { id, value }: Declaration<ProcessDeclared>,
): Pick<Process, 'answer' | 'parameters'> | undefined {
  const { linking } = documents;
  const { report, places } = linking;
  if (value.query === undefined) {
    const file = value.handler ?? id.toLowerCase().replaceAll('_', '-');
    return { answer: { kind: 'handler', file }, parameters: linkParameters(documents, id, value) };
  }
  for (const key of ['handler', 'parameters'] as const) {
    if (value[key] === undefined) continue;
    const reason = key === 'handler' ? 'one of them is what runs' : 'the prompts of the query are the parameters';
    report.raise('conflicting-options', { first: 'query', second: key, reason }, places.key(value, key));
  }
  const query = resolveId(linking, 'query', queries, value.query, places.value(value, 'query'));
  return query === undefined ? undefined : { answer: { kind: 'query', query }, parameters: query.prompts };
}

/** Parameters come as texts: single values that a text can carry. */
function linkParameters(documents: Documents, id: string, { parameters }: ProcessDeclared): Field[] {
  if (parameters === undefined) return [];
  const { report, places } = documents.linking;
  return Object.keys(parameters).flatMap((name) => {
    const field = linkField(documents, parameters, name, id);
    if (field === undefined) return [];
    const { kind } = field.type;
    if (kind !== 'list' && kind !== 'document' && kind !== 'binary') return field;
    report.raise('not-a-value', { name, what: 'parameter' }, places.key(parameters, name));
    return [];
  });
}

const RETRY: Omit<ProcessRetry, 'attempts'> = { first: 10_000, longest: 600_000 };

function linkRetry(linking: Linking, { retry = 0 }: ProcessDeclared): ProcessRetry {
  if (typeof retry === 'number') return { ...RETRY, attempts: retry };
  const first = linkDuration(linking, retry, 'retry.first');
  const longest = linkDuration(linking, retry, 'retry.longest');
  if (first !== undefined && first > (longest ?? RETRY.longest)) {
    const reason = 'is longer than retry.longest';
    linking.report.raise(
      'bad-value',
      { name: 'retry.first', reason, examples: [] },
      linking.places.value(retry, 'first'),
    );
  }
  // A longest pause below the usual first one shortens that too.
  const most = longest ?? RETRY.longest;
  return { attempts: retry.attempts, first: first ?? Math.min(RETRY.first, most), longest: most };
}
