export { checkQueries, type QueryProblem } from './check.ts';
export { membersOf, type QueryInput, readInput } from './input.ts';
export type {
  QueryCall,
  QueryDatabase,
  QueryOptions,
  QueryPort,
  QueryResult,
  ReachedDatasource,
  ResultFormat,
  RootElement,
  XmlNames,
} from './port.ts';
export { compilePrompts, type PromptReader } from './prompt-values.ts';
export { openQueries } from './queries.ts';
export { reachDatabase } from './reach.ts';
export { openQueryRuns } from './runs/open.ts';
export type { NewRun, QueryRun, QueryRuns, RunFormat, RunOwners } from './runs/port.ts';
export { openSavedQueries } from './saved/open.ts';
export type { SavedQueries } from './saved/port.ts';
