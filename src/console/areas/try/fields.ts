import { plainDefault } from '../../../describe/field.ts';
import { rangeNote, valueWithLabel } from '../../../describe/words.ts';
import { type Field, isCollection, type ListType, type MapType, singleType, typeWords } from '../../../model/field.ts';
import { primitiveOf, traitsOf } from '../../../model/scalar.ts';
import { exact, type Html, html, NOTHING, type Part } from '../../html.ts';
import { number } from '../../parts.ts';
import { below, branchOf, countOf, type Entered, type FormField, formFields, keyOf } from './values.ts';

/** What the fields of a form show. */
export interface Filled {
  readonly entered: Entered;
  readonly errors: ReadonlyMap<string, string>;
  /** Paths of the files that must be chosen again. */
  readonly lost: ReadonlySet<string>;
}

/** A group of fields under a heading. */
export const fieldGroup = (title: string, fields: readonly FormField[], filled: Filled, isChoice: boolean): Html =>
  html`<fieldset class="group"><legend>${title}</legend>${documentOf(fields, '', filled, isChoice)}</fieldset>`;

function documentOf(fields: readonly FormField[], path: string, filled: Filled, isChoice: boolean): Html {
  if (!isChoice) return html`${fields.map((each) => fieldOf(each, below(path, each.field.name), filled))}`;
  const branch = branchOf(filled.entered, fields, path);
  if (branch === undefined) return NOTHING;
  const key = keyOf('b', path);
  const { name } = branch.field;
  return html`<div class="field"><label for="${key}">One of</label><div class="with"><select id="${key}" name="${key}">${fields.map(
    ({ field }) => option(field.name, field.name === name, field.name),
  )}</select>${doing(`choose:${path}`, 'Choose', 'Choose this branch')}</div></div>${fieldOf(
    { ...branch, required: true },
    below(path, name),
    filled,
  )}`;
}

/** A button that changes the form: it is shown again with everything that was entered. */
const doing = (what: string, text: string, label: string): Html =>
  html`<button class="plain small" name="do" value="${exact(what)}" aria-label="${label}">${text}</button>`;

function fieldOf(each: FormField, path: string, filled: Filled): Html {
  const { field, required } = each;
  const { type } = field;
  if (isCollection(type)) return collection(field, type, path, filled);
  if (type.kind !== 'document') return labelled(each, path, filled, control(field, required, path, filled));
  const { document } = type;
  const isGiven = required || countOf(filled.entered, path) > 0;
  const inner = isGiven ? documentOf(formFields(document), path, filled, document.choice !== undefined) : NOTHING;
  const buttons = required
    ? NOTHING
    : isGiven
      ? doing(`remove:${path}`, 'Remove', `Remove ${field.name}`)
      : doing(`add:${path}`, 'Add', `Add ${field.name}`);
  return html`<fieldset><legend>${nameOf(each)} ${buttons}</legend>${hint(field)}${error(path, filled)}${
    isGiven ? html`<input type="hidden" name="${keyOf('n', path)}" value="1">` : NOTHING
  }${inner}</fieldset>`;
}

function collection(field: Field, type: ListType | MapType, path: string, filled: Filled): Html {
  const { entered } = filled;
  const count = countOf(entered, path);
  const rows = Array.from({ length: count }, (_, index) => {
    const at = below(path, index);
    const remove = doing(`remove:${at}`, 'Remove', `Remove entry ${index + 1} of ${field.name}`);
    const key =
      type.kind === 'map'
        ? html`<div class="field"><label for="${keyOf('k', at)}">Key</label><input id="${keyOf('k', at)}" name="${keyOf('k', at)}" value="${exact(entered.get(keyOf('k', at)) ?? '')}"></div>`
        : NOTHING;
    const { item } = type;
    if (item.kind === 'document') {
      const { document } = item;
      return html`<fieldset><legend>${field.name} ${index + 1} ${remove}</legend>${key}${error(at, filled)}${documentOf(
        formFields(document),
        at,
        filled,
        document.choice !== undefined,
      )}</fieldset>`;
    }
    const label = `${field.name} ${index + 1}`;
    return html`<div class="entry">${key}<div class="field"><label class="hidden" for="${keyOf('v', at)}">${label}</label><div class="with">${control(
      { ...field, type: item },
      true,
      at,
      filled,
    )}${remove}</div>${error(at, filled)}</div></div>`;
  });
  const shown = { field, required: field.required, nullable: false };
  return html`<fieldset><legend>${nameOf(shown)} ${doing(`add:${path}`, 'Add', `Add an entry to ${field.name}`)}</legend>${hint(field)}${error(
    path,
    filled,
  )}<input type="hidden" name="${keyOf('n', path)}" value="${count}">${rows}</fieldset>`;
}

const nameOf = ({ field, required }: FormField): Html =>
  html`<span class="name">${field.name}</span> <span class="type">${typeWords(field.type)}${required ? ', required' : ''}</span>`;

function labelled(each: FormField, path: string, filled: Filled, inner: Html): Html {
  const { field, nullable } = each;
  const key = keyOf(primitiveOf(field.type) === 'binary' ? 'f' : 'v', path);
  const none = keyOf('x', path);
  const isNull = filled.entered.has(none);
  const empty = nullable
    ? html`<label class="null"><input type="checkbox" name="${none}" value="on"${isNull ? html` checked` : NOTHING}> null</label>`
    : NOTHING;
  return html`<div class="field"><label for="${key}">${nameOf(each)}</label><div class="with">${inner}${empty}</div>${hint(field)}${error(path, filled)}</div>`;
}

function hint(field: Field): Html {
  const { description, minimum, maximum, patterns = [], sensitive } = field;
  const words = [
    description,
    plainDefault(field) === undefined ? undefined : `Default: ${plainDefault(field)}.`,
    field.assumed === undefined || sensitive
      ? undefined
      : `Assumed if not given: ${field.assumed === '' ? 'empty' : field.assumed}.`,
    rangeNote(field),
    minimum === undefined ? undefined : `At least ${number(minimum)}.`,
    maximum === undefined ? undefined : `At most ${number(maximum)}.`,
    ...patterns.map((pattern) => `Pattern: ${pattern}`),
    sensitive ? 'Sensitive.' : undefined,
  ].filter((each) => each !== undefined);
  return words.length === 0 ? NOTHING : html`<p class="hint">${words.join(' ')}</p>`;
}

function error(path: string, { errors }: Filled): Html {
  const reason = errors.get(path);
  return reason === undefined ? NOTHING : html`<p class="bad" id="${keyOf('v', path)}-error">■ ${reason}</p>`;
}

const valueText = (field: Field, value: string): string =>
  value === '' && field.labels?.[''] === undefined ? '–' : valueWithLabel(field, value);

const option = (value: string, isChosen: boolean, text: Part): Html =>
  isChosen
    ? html`<option value="${exact(value)}" selected>${text}</option>`
    : html`<option value="${exact(value)}">${text}</option>`;

/** The possible values of a field, if they are few. */
function choices(field: Field): readonly string[] | undefined {
  const type = singleType(field.type);
  if (type.kind === 'document') return undefined;
  if (field.fixed !== undefined) return [String(field.fixed)];
  if (field.enum !== undefined) return field.enum.map(String);
  return primitiveOf(type) === 'boolean' ? ['true', 'false'] : traitsOf(type).values;
}

function control(field: Field, required: boolean, path: string, filled: Filled): Html {
  const { entered, errors } = filled;
  const key = keyOf('v', path);
  const text = entered.get(key) ?? '';
  const wrong = errors.has(path) ? html` aria-invalid="true" aria-describedby="${key}-error"` : NOTHING;
  const primitive = primitiveOf(field.type);
  if (primitive === 'binary') return file(path, filled, wrong);
  const few = choices(field);
  if (few !== undefined) {
    const all = required && text !== '' && few.includes(text) ? few : ['', ...few];
    // A value that is not among them is kept: it was entered elsewhere, and an error names it.
    const known = text === '' || few.includes(text) ? all : [...all, text];
    return html`<select id="${key}" name="${key}"${wrong}>${known.map((value) => option(value, value === text, valueText(field, value)))}</select>`;
  }
  const type = field.type.kind === 'document' || isCollection(field.type) ? undefined : field.type;
  const isLong =
    primitive === 'json' || traitsOf(field.type)?.xml.markup === true || text.includes('\n') || text.length > 120;
  if (isLong)
    return html`<textarea id="${key}" name="${key}" spellcheck="false"${wrong}>
${exact(text)}</textarea>`;
  const mode =
    primitive === 'integer' ? 'numeric' : primitive === 'decimal' || primitive === 'double' ? 'decimal' : 'text';
  const most =
    type?.length !== undefined && primitive === 'text' ? html` size="${Math.min(type.length + 2, 40)}"` : NOTHING;
  return html`<input id="${key}" name="${key}" type="${inputType(field, text)}" inputmode="${mode}" value="${exact(text)}" autocomplete="off" spellcheck="false"${
    primitive === 'time' ? html` step="1"` : NOTHING
  }${primitive === 'datetime' ? html` placeholder="2026-01-31T12:00:00Z"` : NOTHING}${most}${wrong}>`;
}

/** Browsers have controls for dates and times; a value with a zone, or in another form, needs a text field. */
function inputType({ type, sensitive }: Field, text: string): string {
  const primitive = primitiveOf(type);
  if (primitive === 'date' && /^(?:\d{4}-\d\d-\d\d)?$/.test(text)) return 'date';
  if (primitive === 'time' && /^(?:\d\d:\d\d(?::\d\d)?)?$/.test(text)) return 'time';
  return sensitive ? 'password' : 'text';
}

/** The control for a file, with the one that was chosen before. */
function file(path: string, { entered, lost }: Filled, wrong: Html): Html {
  const content = entered.get(keyOf('c', path));
  const [name, contentType] = [entered.get(keyOf('m', path)) ?? '', entered.get(keyOf('t', path)) ?? ''];
  const kept =
    content === null
      ? NOTHING
      : html`<span class="kept">${name}, ${contentType}, ${number(Math.floor((content.length * 3) / 4))} bytes <input type="hidden" name="${keyOf('c', path)}" value="${exact(content)}"><input type="hidden" name="${keyOf('t', path)}" value="${exact(contentType)}"><input type="hidden" name="${keyOf('m', path)}" value="${exact(name)}">${doing(`clear:${path}`, 'Remove', `Remove the file ${name}`)}</span>`;
  const again = lost.has(path)
    ? html`<p class="hint">The file was larger than this page keeps. Choose it again for another request.</p>`
    : NOTHING;
  return html`<span class="file"><input id="${keyOf('f', path)}" name="${keyOf('f', path)}" type="file"${wrong}>${kept}${again}</span>`;
}
