import type { Datasource, Query } from '../../model/query.ts';
import type { JsonTree } from '../json-text.ts';
import { fieldsTree } from './document.ts';
import { sortedIds, yes } from './tree.ts';

/** A stored query of `registry.json`. */
export function queryTree(query: Query): JsonTree {
  return {
    description: query.description,
    permissions: sortedIds(query.permissions),
    public: yes(query.public),
    datasource: query.datasource?.id,
    rows: query.rows,
    timeout: query.timeout,
    prompts: fieldsTree(query.prompts),
    columns: fieldsTree(query.columns),
    sql: query.sql.trimEnd().split(/\r?\n/),
  };
}

/** A datasource of `registry.json`. References to configuration stand as written. */
export function datasourceTree({ description, url, password }: Datasource): JsonTree {
  return { description, url: url.source, password: password?.source };
}
