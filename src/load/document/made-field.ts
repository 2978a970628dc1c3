import type { Field, FieldType } from '../../model/field.ts';
import type { Position } from '../../model/position.ts';

/** A field that nobody declared: of one name everywhere, and with no option but those given. */
export function madeField(
  name: string,
  type: FieldType,
  at: Position,
  options: Partial<Pick<Field, 'description' | 'required' | 'sensitive' | 'minimum' | 'example'>> = {},
): Field {
  return {
    name,
    jsonName: name,
    xmlName: name,
    type,
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    ...options,
    at,
  };
}
