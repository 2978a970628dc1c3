import type { OperationUri, UriVariable } from '../model/service.ts';
import { layOut } from '../wire/uri-template/layout.ts';
import type { TemplatePart, TemplateVariable } from '../wire/uri-template/uri-template.ts';
import { mustBeGiven } from './field.ts';

/** A URI variable with its part of the template; `required` by the template or by its field. */
export interface DescribedVariable extends UriVariable {
  readonly template: TemplateVariable;
}

/** A URI as contracts describe it: a path with `{X}` for each variable, and query parameters by name. */
export interface DescribedUri {
  readonly uri: OperationUri;
  /** Relative to the service, without a leading slash. */
  readonly path: string;
  readonly pathVariables: readonly DescribedVariable[];
  readonly queryVariables: readonly DescribedVariable[];
  /** Query parameters with a fixed value, such as `op=list`. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
}

/** Writes a variable of an expression to a path. */
export type PathWriter = (variable: TemplateVariable, first: boolean) => string;

/** Splits a template for a contract whose paths support `{X}` only. */
export function describeUri(uri: OperationUri, write: PathWriter): DescribedUri {
  const layout = layOut(uri.template);
  const variables = uri.variables.map((variable, index): DescribedVariable => {
    return { ...variable, required: isRequired(variable), template: uri.template.variables[index] as TemplateVariable };
  });
  return {
    uri,
    path: layout.path
      .map((part) => partText(part, write))
      .join('')
      .replace(/^\//, ''),
    pathVariables: variables.filter((variable) => variable.place === 'path'),
    queryVariables: variables.filter((variable) => variable.place === 'query'),
    constants: layout.pairs,
  };
}

function partText(part: TemplatePart, write: PathWriter): string {
  if (part.kind === 'literal') return part.text;
  return part.variables.map((variable, index) => write(variable, index === 0)).join('');
}

/** Whether a request must have a variable, because of the template, as in `x={X}`, or of its field. */
export function isRequired({ required, field }: UriVariable): boolean {
  return required || mustBeGiven(field);
}

/** What the operator of a variable means beyond `{X}`, in words. */
export function operatorNote({ template, field, required }: DescribedVariable): string | undefined {
  const notes: string[] = [];
  if (field.type.kind === 'list') notes.push(severalValues(template));
  if (template.operator === '+') notes.push('Slashes and other reserved characters are not percent-encoded.');
  if (template.operator === '/' && !required) notes.push('May be omitted, together with its slash.');
  if (template.operator === '.' && !required) notes.push('May be omitted, together with its dot.');
  if (template.prefix !== undefined) notes.push(`The first ${template.prefix} characters of the value are sent.`);
  return notes.length === 0 ? undefined : notes.join(' ');
}

function severalValues({ place, operator, explode }: TemplateVariable): string {
  if (place === 'query') return 'Separate several values by commas, or repeat the parameter.';
  if (!explode || operator === '' || operator === '+') return 'Separate several values by commas.';
  return operator === ';' ? 'Repeat the parameter for several values.' : `Separate several values by ${operator}`;
}
