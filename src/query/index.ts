export { checkQueries, unboundedFiles } from './check/check.ts';
export type { QueryProblem } from './check/problem.ts';
export { membersOf, type QueryInput, readInput } from './input.ts';
export { compilePrompts, type PromptReader } from './plan/prompts.ts';
export type {
  QueryCall,
  QueryDatabase,
  QueryOptions,
  QueryPort,
  QueryResult,
  ReachedDatasource,
  ResultFormat,
  XmlNames,
} from './port.ts';
export { openQueries } from './queries.ts';
export { reachDatabase } from './reach.ts';
export { openQueryRuns } from './runs/open.ts';
export type { BlockOptions, NewRun, QueryRun, QueryRuns, RunFormat, RunOwners } from './runs/port.ts';
export { openSavedQueries } from './saved/open.ts';
export type { SavedQueries } from './saved/port.ts';
