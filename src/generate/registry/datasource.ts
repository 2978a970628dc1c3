import type { Datasource } from '../../model/datasource.ts';
import type { JsonTree } from '../json-text.ts';

/** A datasource of `registry.json`. References to configuration stand as written. */
export function datasourceTree({ description, url, password }: Datasource): JsonTree {
  return { description, url: url.source, password: password?.source };
}
