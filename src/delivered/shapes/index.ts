import type { OriginalShape } from '../../model/original-shape.ts';
import { queryShapes } from './query.ts';

/** How clients of the original speak to the delivered services, by the names of operations over SOAP. */
export const originalShapes: ReadonlyMap<string, OriginalShape> = new Map(Object.entries(queryShapes));
