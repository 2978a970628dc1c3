import type { LogEvent } from 'kysely';
import { type Attributes, currentTrace } from '../trace/trace.ts';

/**
 * A logger of the query builder that records a span for each statement of the work that runs, by the semantic conventions for
 * databases. Of a statement it has the operation and the first table, never its text: code may write values into that.
 * @param system `db.system.name`
 */
export function statementSpans(system: 'sqlite' | 'postgresql'): (event: LogEvent) => void {
  return (event) => {
    const trace = currentTrace();
    if (trace?.tracer === undefined || trace.ended) return;
    const { sql } = event.query;
    const operation = (/[a-z]+/i.exec(sql)?.[0] ?? '').toUpperCase();
    const table = /\b(?:from|into|update|join)\s+"?([a-z_][\w.]*)/i.exec(sql)?.[1];
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
