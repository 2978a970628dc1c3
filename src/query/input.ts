import { Fault } from '../model/fault.ts';
import type { Query } from '../model/query.ts';
import type { DocumentValue } from '../model/value.ts';
import { compilePrompts, type PromptReader } from './prompts.ts';
import type { QueryCall } from './query-port.ts';

/** A caller's input for a run of a query, as texts: it can be stored and read by another gateway. */
export interface QueryInput {
  /** By prompt name; an empty text counts as absent. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Prompts of the members of a connected query, by the members' ids. */
  readonly members?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Names of the columns to return; all if absent. */
  readonly fields?: readonly string[];
  /** The caller's own limit of rows; 0 or absent means no limit. */
  readonly maxrows?: number;
  /** Whether to include the rows of its members. */
  readonly connected: boolean;
}

/** The queries nested under a query at any depth, without duplicates. */
export function membersOf(query: Query): readonly Query[] {
  const found = new Set<Query>();
  const visit = ({ children }: Query): void => {
    for (const child of children) {
      if (found.has(child.query)) continue;
      found.add(child.query);
      visit(child.query);
    }
  };
  visit(query);
  return [...found];
}

const readers = new WeakMap<Query, PromptReader>();
const memberReaders = new WeakMap<Query, PromptReader>();

/**
 * Converts all input to its declared types before anything runs.
 * @throws Fault BAD_PARAMETER, MISSING_PARAMETER, naming the prompt
 */
export function readInput(query: Query, input: QueryInput): Omit<QueryCall, 'format'> {
  const { prompts, members = {}, fields, maxrows, connected } = input;
  const call = {
    query,
    prompts: read(query, prompts, false),
    ...(fields === undefined ? {} : { fields }),
    ...(maxrows === undefined ? {} : { maxrows }),
  };
  if (!connected) return call;
  const given = membersOf(query).map((member) => [member.id, read(member, members[member.id] ?? {}, true)]);
  return { ...call, connected, members: Object.fromEntries(given) };
}

function read(query: Query, texts: Readonly<Record<string, string>>, asMember: boolean): DocumentValue {
  const known = asMember ? memberReaders : readers;
  let reader = known.get(query);
  if (reader === undefined) {
    reader = compilePrompts(query, asMember);
    known.set(query, reader);
  }
  const values = reader.fromTexts(new Map(Object.entries(texts)));
  for (const { name, required } of query.prompts) {
    if (!required || (values[name] ?? '') !== '') continue;
    throw Fault.of('MISSING_PARAMETER', { name: asMember ? `Prompt ${name} of ${query.id}` : name });
  }
  return values;
}
