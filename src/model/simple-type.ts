import type { Position } from './definition.ts';
import type { Field, ScalarType } from './field.ts';

/**
 * A named simple type: a type of a single value with restrictions. A field, column, prompt or parameter that has its id for a
 * type has the base for a type, and its restrictions.
 */
export interface SimpleType
  extends Pick<
    Field,
    | 'enum'
    | 'labels'
    | 'anyCase'
    | 'patterns'
    | 'space'
    | 'minimum'
    | 'maximum'
    | 'range'
    | 'digits'
    | 'fraction'
    | 'example'
  > {
  readonly id: string;
  readonly description?: string;
  /** Its name in XML Schema; the id unless said otherwise. */
  readonly xmlType?: string;
  /** The namespace of its type in XML Schema; that of the service unless said otherwise. */
  readonly namespace?: string;
  readonly base: ScalarType;
  readonly at: Position;
}

/** What a field takes over from its named type, beside the base. Lengths are those of an entry where it is a list or a map. */
export function restrictionsOf(type: SimpleType, isCollection: boolean): Partial<Field> {
  const { id: _, base: __, at: ___, xmlType: ____, namespace: _____, minimum, maximum, ...facets } = type;
  const rest = { ...facets, named: type };
  const lengths = {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
  if (!isCollection) return { ...rest, ...lengths };
  return { ...rest, ...(Object.keys(lengths).length === 0 ? {} : { entry: lengths }) };
}
