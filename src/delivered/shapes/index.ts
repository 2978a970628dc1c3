import type { OriginalRequest, OriginalShape } from '../../model/original-shape.ts';
import { processShapes } from './process.ts';
import { queryBodies, queryShapes } from './query.ts';

/** How clients of the original speak to the delivered services, by the names of operations over SOAP. */
export const originalShapes: ReadonlyMap<string, OriginalShape> = new Map(
  Object.entries({ ...queryShapes, ...processShapes }),
);

/** What clients of the original post as XML over REST, by the ids of operations. */
export const originalBodies: ReadonlyMap<string, OriginalRequest> = new Map(Object.entries(queryBodies));
