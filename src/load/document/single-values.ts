import type { Field } from '../../model/field.ts';
import type { FieldsDeclared } from '../schema/field.ts';
import { linkField } from './field.ts';
import type { DocumentSource } from './field-type.ts';

/** Fields that are single values, as SQL and texts have them; columns may be binary too. Others are reported and left out. */
export function linkSingleValues(
  source: DocumentSource,
  owner: string,
  what: 'prompt' | 'column' | 'parameter',
  declared: FieldsDeclared = {},
): Field[] {
  const { report, places } = source.linking;
  return Object.keys(declared).flatMap((name) => {
    const field = linkField(source, declared, name, { id: owner, name: owner });
    if (field === undefined) return [];
    const { kind } = field.type;
    if (kind !== 'list' && kind !== 'document' && (kind !== 'binary' || what === 'column')) return field;
    report.raise('not-a-value', { name, what }, places.key(declared, name));
    return [];
  });
}
