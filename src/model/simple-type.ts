import type { Position } from './definition.ts';
import type { Field, ScalarType } from './field.ts';

/**
 * A named simple type: a type of a single value with restrictions. A field, column, prompt or parameter that has its id for a
 * type has the base for a type, and its restrictions.
 */
export interface SimpleType
  extends Pick<
    Field,
    'enum' | 'anyCase' | 'patterns' | 'space' | 'minimum' | 'maximum' | 'range' | 'digits' | 'fraction' | 'example'
  > {
  readonly id: string;
  readonly description?: string;
  readonly base: ScalarType;
  readonly at: Position;
}
