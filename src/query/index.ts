export { checkQueries, type QueryProblem } from './check.ts';
export type {
  QueryCall,
  QueryOptions,
  QueryPort,
  QueryResult,
  QueryStatus,
  ResultFormat,
  RowsCall,
  XmlNames,
} from './port.ts';
export { openQueries } from './queries.ts';
