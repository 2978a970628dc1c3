import type { DraftContract } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import type { Sources } from '../source.ts';
import type { Tree } from './tree.ts';
import { validateOpenApi } from './validate.ts';

/**
 * Reads an OpenAPI contract (2.0, 3.0, 3.1, 3.2).
 *
 * @param location of the contract in the sources
 * @throws ImportError if it is not valid
 */
export function readOpenApi(location: string, sources: Sources<Tree>, losses: Losses): DraftContract {
  const tree = sources.at(location);
  if (tree === undefined) throw new ImportError('was not read', { source: location, line: 0, column: 0 });
  for (const { key, place } of tree.repeated)
    losses.add(`the key "${key}" is repeated`, 'the last value is used', place);
  validateOpenApi(tree.root);
  return { language: 'openapi', services: [], documents: [] };
}
