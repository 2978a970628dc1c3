import { everyField } from './derivation.ts';
import { type Field, isCollection, singleType } from './field.ts';
import { primitiveOf } from './scalar.ts';

// Messages with a part for each field: multipart/form-data (RFC 7578), and the same as multipart/mixed. Bodies with a field of a form for
// each: application/x-www-form-urlencoded.

/** How a body over REST that is a form has its fields. */
export type BodyForm = 'multipart' | 'urlencoded';

/** The media types of bodies that are forms. */
export const FORM_MEDIA_TYPES: Readonly<Record<BodyForm, string>> = {
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
};

/** How a field is written in a urlencoded form, in the words of `encoding:`, with their descriptions. */
export const FORM_STYLES = {
  repeat: 'a field for each entry of a list',
  comma: 'the entries of a list in one text, with commas between them',
  space: 'the same with spaces',
  pipe: 'the same with `|`',
  brackets: 'a field for each member or entry: `address[city]`, `lines[0][sku]`',
  json: 'one text, in JSON',
} as const;

/** How a field is written: `text` is a single value. */
export type FormStyle = keyof typeof FORM_STYLES | 'text';

/** What is between the entries of a list that is one text, by the styles in which it is one. */
export const FORM_SEPARATORS: Readonly<Partial<Record<FormStyle, string>>> = { comma: ',', space: ' ', pipe: '|' };

/** Styles that are declared, by the names of fields. */
export type FormStyles = Readonly<Record<string, Exclude<FormStyle, 'text'>>>;

/** The style of a field: the declared one, else a text, repeated for lists, and JSON for what is no single value. */
export function formStyle(field: Field, styles: FormStyles = {}): FormStyle {
  const said = Object.hasOwn(styles, field.name) ? styles[field.name] : undefined;
  if (said !== undefined) return said;
  if (partKind(field) === 'json') return 'json';
  return field.type.kind === 'list' ? 'repeat' : 'text';
}

/** How a field is written in a form, in words; `undefined` for a text, and for a list with a field for each entry. */
export function formStyleWords(field: Pick<Field, 'jsonName' | 'type'>, style: FormStyle): string | undefined {
  switch (style) {
    case 'text':
    case 'repeat':
      return undefined;
    case 'json':
      return 'Written as one text, in JSON.';
    case 'brackets':
      return `Written as a field for each member or entry: ${bracketsExample(field)}.`;
    default:
      return `Written as one text, with ${SEPARATOR_WORDS[style]} between the entries.`;
  }
}

const SEPARATOR_WORDS = { comma: 'commas', space: 'spaces', pipe: '`|`' } as const;

/** The name of a field's first value in brackets: `lines[0][sku]`. */
function bracketsExample({ jsonName, type }: Pick<Field, 'jsonName' | 'type'>): string {
  const outer = type.kind === 'list' ? `${jsonName}[0]` : type.kind === 'map' ? `${jsonName}[key]` : jsonName;
  const single = singleType(type);
  const [member] = single.kind === 'document' ? everyField(single.document) : [];
  return member === undefined ? outer : `${outer}[${member.jsonName}]`;
}

/** Whether a field can be written in a style: lists of single values can have separators, and brackets would make JSON's values texts. */
export function takesStyle({ type }: Pick<Field, 'type'>, style: Exclude<FormStyle, 'text'>): boolean {
  if (style === 'json') return true;
  if (style === 'brackets') {
    const single = singleType(type);
    return single.kind === 'document' || (isCollection(type) && primitiveOf(single) !== 'json');
  }
  return type.kind === 'list' && primitiveOf(type.item) !== undefined;
}

/** Whether a document of this media type, in lower case and without parameters, has a part for each field. */
export function isFormType(essence: string): boolean {
  return essence === 'multipart/form-data' || essence === 'multipart/mixed';
}

/** How a field is a part; of a list, how each of its entries is one. */
type PartKind = 'text' | 'json' | 'file';

/** The kind of a field's parts: content is a file, a single value a text, and all else JSON. */
export function partKind({ type }: Pick<Field, 'type'>): PartKind {
  const single = singleType(type);
  if (type.kind === 'map' || single.kind === 'document') return 'json';
  const primitive = primitiveOf(single);
  if (primitive === 'binary') return 'file';
  return primitive === 'json' ? 'json' : 'text';
}

/** A body that is a form, in words. */
export function formWords(form: BodyForm, styles: FormStyles = {}): string {
  if (form === 'multipart') return 'a form with a part for each field';
  const said = Object.entries(styles).map(([name, style]) => `${name} as ${style}`);
  return ['a urlencoded form', ...said].join(', ');
}
