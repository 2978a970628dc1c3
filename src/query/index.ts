export { checkQueries, unboundedFiles } from './check.ts';
export type { QueryProblem } from './check-columns.ts';
export { membersOf, type QueryInput, readInput } from './input.ts';
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
export { compilePrompts, type PromptReader } from './prompts.ts';
export { openQueries } from './queries.ts';
export { reachDatabase } from './reach.ts';
export { openQueryRuns } from './runs/open.ts';
export type { BlockOptions, NewRun, QueryRun, QueryRuns, RunFormat, RunOwners } from './runs/port.ts';
export type { SavedQueries } from './saved.ts';
export { openSavedQueries } from './saved.ts';
