export { checkQueries } from './check.ts';
export type {
  QueryCall,
  QueryOptions,
  QueryPort,
  QueryResult,
  ResultFormat,
  XmlNames,
} from './port.ts';
export { compilePrompts, type PromptReader } from './prompt-values.ts';
export { openQueries } from './queries.ts';
