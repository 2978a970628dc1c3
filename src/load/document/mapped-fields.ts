import { type Field, type FieldType, singleType } from '../../model/field.ts';
import type { FieldSource, Mapping } from '../../model/mapping.ts';
import { primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { typeWords } from './field-type.ts';
import { fills } from './fit.ts';

/**
 * Paths of the fields that fill nothing, also those in documents that are mapped field by field.
 * @param unused paths of fields that need not
 */
export function lostFields(mapping: Mapping, unused: ReadonlySet<string>): string[] {
  const lost: string[] = [];
  const seen = new Set<Mapping>();
  const visit = (each: Mapping, prefix: string): void => {
    if (seen.has(each)) return;
    seen.add(each);
    const sources = sourcesOf(each);
    for (const { name } of each.from.fields) {
      const path = prefix + name;
      if (unused.has(path)) continue;
      const using = sources.filter((source) => source.path[0]?.name === name);
      if (using.length === 0) lost.push(path);
      for (const { path: steps, mapping: inner } of using)
        if (inner !== undefined && steps.length === 1 && using.length === 1) visit(inner, `${path}.`);
    }
  };
  visit(mapping, '');
  return lost;
}

/** The fields of its document that a mapping uses. */
function sourcesOf({ members }: Mapping): FieldSource[] {
  return members.flatMap(({ from }) => {
    if (from.kind === 'parts') return sourcesOf(from.mapping);
    return from.kind === 'field' ? [from] : [];
  });
}

/** All values that a field can have, as text; `undefined` when they are not listed. */
export function valuesOf({ type, enum: listed }: Field): string[] | undefined {
  if (listed !== undefined) return listed.map(String);
  const single = singleType(type);
  if (single.kind === 'document') return undefined;
  return primitiveOf(single) === 'boolean' ? ['true', 'false'] : traitsOf(single).values?.map(String);
}

/** Why the values of one field are not all values of another. */
export function whyNoValue(
  field: Field,
  own: Field,
  values: ReadonlyMap<string, Value> | undefined,
): string | undefined {
  const known = valuesOf(own);
  const left = known?.filter((each) => values?.has(each) !== true);
  const isCovered = values !== undefined && left?.length === 0;
  if (!isCovered && !fills(own.type, field.type)) return misfit(field.type, own);
  if (left === undefined || field.enum === undefined) return undefined;
  const allowed = new Set(field.enum.map((each) => folded(each, field)));
  const lost = left.filter((each) => !allowed.has(folded(each, field)));
  if (lost.length === 0) return undefined;
  return `is one of ${field.enum.join(', ')}, but ${own.name} may be ${lost.join(', ')}; say with \`values\` what these become`;
}

const misfit = (type: FieldType, own: Field): string =>
  `is ${typeWords(type)}, but ${own.name} is ${typeWords(own.type)}`;

const folded = (value: string | number | boolean, { anyCase }: Field): string =>
  anyCase ? String(value).toLowerCase() : String(value);
