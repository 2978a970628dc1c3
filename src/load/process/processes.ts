import type { Process, ProcessRetry } from '../../model/process.ts';
import type { Query } from '../../model/query.ts';
import { positionOf } from '../diagnostic/place.ts';
import type { Documents } from '../document/documents.ts';
import { linkSingleValues } from '../document/single-values.ts';
import { given } from '../given.ts';
import { fileNamedAs, type WantedFile } from '../handlers.ts';
import { byId, declarationsOf, type Linking, mayHaveMeant, refuseBoth, resolveKey } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { ProcessDeclared } from '../schema/process.ts';
import { type GrantSources, linkThingGrants } from '../security/grants.ts';
import { linkDuration } from '../value/units.ts';
import { linkRecurring, type RecurringSources } from './recurring.ts';

/** What processes are linked against. */
interface ProcessSources extends RecurringSources {
  readonly grants: GrantSources;
  readonly queries: ReadonlyMap<string, Query>;
}

/** Links every process. */
export function linkProcesses(documents: Documents, sources: ProcessSources): Map<string, Process> {
  const declared = declarationsOf<ProcessDeclared>(documents.linking, 'process');
  return byId(declared.flatMap((each) => linkProcess(documents, sources, each) ?? []));
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
  if (value.query === undefined) {
    const file = value.handler ?? fileNamedAs(id);
    return {
      answer: { kind: 'handler', file },
      parameters: linkSingleValues(documents, id, 'parameter', value.parameters),
    };
  }
  refuseBoth(linking, value, 'query', 'handler', 'one of them is what runs');
  refuseBoth(linking, value, 'query', 'parameters', 'the prompts of the query are the parameters');
  const query = resolveKey(linking, 'query', queries, value, 'query');
  return query === undefined ? undefined : { answer: { kind: 'query', query }, parameters: query.prompts };
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
