export { checkQueries } from './check.ts';
export type {
  QueryCall,
  QueryOptions,
  QueryPort,
  QueryResult,
  ResultFormat,
  XmlNames,
} from './port.ts';
export { openQueries } from './queries.ts';
