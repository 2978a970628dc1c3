import type { LogEvent } from 'kysely';
import { type Attributes, currentTrace } from '../trace/trace.ts';
import { OWN_TABLES } from './tables.ts';

/** The first table of the gateway in a statement. */
const OWN_TABLE = new RegExp(`\\b(?:from|into|update|join)\\s+"?(${Object.keys(OWN_TABLES).join('|')})\\b`, 'i');

/**
 * A logger of the query builder that records a span for each statement of the work that runs, by the semantic conventions for
 * databases. Of a statement it has the operation and the gateway's own table, never the text: code may write anything into it.
 * @param system `db.system.name`
 */
export function statementSpans(system: 'sqlite' | 'postgresql'): (event: LogEvent) => void {
  return (event) => {
    const trace = currentTrace();
    if (trace?.tracer === undefined || trace.ended) return;
    const { sql } = event.query;
    const operation =
      /^\W*(select|insert|update|delete|with|alter|create|drop)\b/i.exec(sql)?.[1]?.toUpperCase() ?? '_OTHER';
    const table = OWN_TABLE.exec(sql)?.[1];
    const name = table === undefined ? operation : `${operation} ${table}`;
    const attributes: Attributes = {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.summary': name,
      'db.collection.name': table,
    };
    const at = Date.now() - event.queryDurationMillis;
    const span = trace.tracer.start({ name, kind: 'client', attributes, at }, { ...trace, remote: false });
    span.end(event.level === 'error' ? event.error : undefined);
  };
}
