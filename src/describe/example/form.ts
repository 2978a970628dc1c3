import type { Field } from '../../model/field.ts';
import { FORM_SEPARATORS, type FormStyles, formStyle } from '../../model/form.ts';
import { formField } from '../../wire/form-values.ts';
import { percentEncode } from '../../wire/percent.ts';
import type { Json } from '../json.ts';

/** An example of a urlencoded form, from the values of its fields in JSON. */
export function exampleForm(values: readonly (readonly [Field, Json])[], styles: FormStyles | undefined): string {
  return values
    .flatMap(([field, value]) => pairsOf(field, value, styles))
    .map(([name, text]) => formField(name, percentEncode(text)))
    .join('&');
}

type Pair = readonly [name: string, text: string];

function pairsOf(field: Field, value: Json, styles: FormStyles | undefined): readonly Pair[] {
  const { jsonName: name } = field;
  const style = formStyle(field, styles);
  const entries = Array.isArray(value) ? value.map(String) : [String(value)];
  switch (style) {
    case 'text':
    case 'repeat':
      return entries.map((each) => [name, each]);
    case 'json':
      return [[name, JSON.stringify(value)]];
    case 'brackets':
      return flattened(name, value);
    default:
      return [[name, entries.join(FORM_SEPARATORS[style])]];
  }
}

function flattened(name: string, value: Json): readonly Pair[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, each]) => flattened(`${name}[${key}]`, each as Json));
}
