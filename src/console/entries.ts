import { CodecError, compileCheck, compileText, initialValue } from '../codec/index.ts';
import { valueWithLabel } from '../describe/words.ts';
import { type Field, typeWords } from '../model/field.ts';
import { isNumeric, traitsOf } from '../model/scalar.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { type Html, html, NOTHING } from './html.ts';
import { input, select } from './parts.ts';

// Fields of forms that the definitions declare: prompts of queries, parameters of processes.

/** What was entered into a form. */
export interface Entries {
  /** The texts by name, as they were entered; empty ones are left out. */
  readonly texts: Readonly<Record<string, string>>;
  /** With defaults; empty if there are problems. */
  readonly values: DocumentValue;
  /** By name, as sentences. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A form into which nothing was entered yet. */
export const UNTOUCHED: Entries = { texts: {}, values: {}, problems: new Map() };

/** The name of a field's control, different from all other controls of a form. */
export const controlName = ({ name }: Pick<Field, 'name'>): string => `p.${name}`;

/** Reads what was entered by the rules for texts in URLs. An empty text counts as absent. */
export function readEntries(fields: readonly Field[], given: URLSearchParams): Entries {
  const texts: Record<string, string> = {};
  const values: Record<string, Value> = {};
  const problems = new Map<string, string>();
  for (const field of fields) {
    const { name } = field;
    const text = given.get(controlName(field)) ?? '';
    if (text === '') {
      if (field.required && initialValue(field) === undefined) problems.set(name, `${name} is missing.`);
      continue;
    }
    texts[name] = text;
    try {
      values[name] = compileText(field)(text);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      problems.set(name, `${name} ${error.reason}.`);
    }
  }
  return { texts, values: problems.size > 0 ? {} : compileCheck(fields)(values), problems };
}

/** The controls of fields, with what was entered and the problems. */
export const entryFields = (fields: readonly Field[], { texts, problems }: Entries): Html =>
  html`${fields.map((field) => entryField(field, texts[field.name] ?? '', problems.get(field.name)))}`;

function entryField(field: Field, text: string, problem: string | undefined): Html {
  const { name, description, required } = field;
  const id = controlName(field);
  const words = [typeWords(field.type), ...(required ? ['required'] : []), ...(field.sensitive ? ['not shown'] : [])];
  return labelled(name, id, controlOf(field, text, describedBy(id, description, problem)), {
    about: words.join(', '),
    hint: description,
    problem,
  });
}

/** The attributes that connect a control to its hint and its problem. */
export const describedBy = (id: string, hint: string | undefined, problem: string | undefined): Html => {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return html`${ids.length === 0 ? NOTHING : html` aria-describedby="${ids.join(' ')}"`}${problem === undefined ? NOTHING : html` aria-invalid="true"`}`;
};

/**
 * A labelled field with an optional problem.
 * @param control the element, with this id
 */
export const labelled = (
  label: string,
  id: string,
  control: Html,
  { about, hint, problem }: { about?: string; hint?: string | undefined; problem?: string | undefined } = {},
): Html =>
  html`<div class="field"><label for="${id}"><span class="name">${label}</span>${about === undefined ? NOTHING : html` ${about}`}</label>${control}${
    hint === undefined ? NOTHING : html`<p class="hint" id="${id}-hint">${hint}</p>`
  }${problem === undefined ? NOTHING : html`<p class="problem bad" id="${id}-problem"><span aria-hidden="true">■</span> ${problem}</p>`}</div>`;

function controlOf(field: Field, text: string, attributes: Html): Html {
  const id = controlName(field);
  const choices = choicesOf(field);
  if (choices !== undefined) return select(id, choices, text);
  const usual = initialValue(field);
  const placeholder = usual === undefined ? NOTHING : html` placeholder="${String(usual)}"`;
  const all = html`${attributes}${placeholder}${field.required && usual === undefined ? html` required` : NOTHING}`;
  if (field.sensitive) return input(id, text, 'password', html`${all} autocomplete="off"`);
  if (traitsOf(field.type)?.primitive === 'date') return input(id, text, 'date', all);
  return input(id, text, 'text', isNumeric(field.type) ? html`${all} inputmode="decimal"` : all);
}

/** The values to choose from; an empty one comes first if a choice is optional. */
function choicesOf(field: Field): readonly (readonly [string, string])[] | undefined {
  const isBoolean = traitsOf(field.type)?.primitive === 'boolean';
  const values = isBoolean ? ['true', 'false'] : field.enum?.map(String);
  if (values === undefined || field.sensitive) return undefined;
  const usual = initialValue(field);
  const none = usual === undefined ? (field.required ? 'Choose …' : '–') : `${usual} (default)`;
  return [['', none], ...values.map((each): [string, string] => [each, valueWithLabel(field, each)])];
}
