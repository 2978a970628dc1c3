import { SCALAR_KINDS } from '../../model/scalar.ts';
import { RAW_KINDS } from '../../model/service.ts';

/** Ids that no document and no type has: words of types and messages. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...SCALAR_KINDS,
  ...RAW_KINDS,
  ...['none', 'list', 'map', '__proto__'],
]);
