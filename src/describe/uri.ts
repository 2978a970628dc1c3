import type { OperationUri, UriVariable } from '../model/service.ts';
import { layOut } from '../wire/uri-template/layout.ts';
import type { TemplatePart, TemplateVariable } from '../wire/uri-template/uri-template.ts';
import { mustBeGiven } from './field.ts';

/** A URI variable with the facts of its place in the template; `required` by that or by its field. */
export interface DescribedVariable extends UriVariable {
  readonly template: TemplateVariable;
}

/** A URI as contracts write it: a path with `{X}` for each variable, and a query by names. */
export interface DescribedUri {
  readonly uri: OperationUri;
  /** Relative to the service, without a slash in front. */
  readonly path: string;
  readonly pathVariables: readonly DescribedVariable[];
  readonly queryVariables: readonly DescribedVariable[];
  /** `op=list` of the query: always sent, always the same. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
}

/** How the variables of an expression stand in a path: the text for one of them. */
export type PathWriter = (variable: TemplateVariable, first: boolean) => string;

/** Takes a template apart for a contract whose paths know `{X}` only. */
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

/** Whether a request has to have a variable: its place in the template asks for it, as in `x={X}`, or its field does. */
export function isRequired({ required, field }: UriVariable): boolean {
  return required || mustBeGiven(field);
}

/** What a variable's operator says beyond `{X}`, in words. */
export function operatorNote({ template, field, required }: DescribedVariable): string | undefined {
  const notes: string[] = [];
  if (field.type.kind === 'list') notes.push(severalValues(template));
  if (template.operator === '+') notes.push('Slashes and other reserved characters are written as they are.');
  if (template.operator === '/' && !required) notes.push('May be left out, with its slash.');
  if (template.operator === '.' && !required) notes.push('May be left out, with its dot.');
  if (template.prefix !== undefined) notes.push(`The first ${template.prefix} characters of the value are sent.`);
  return notes.length === 0 ? undefined : notes.join(' ');
}

function severalValues({ place, operator, explode }: TemplateVariable): string {
  if (place === 'query') return 'Several values are separated by commas, or the parameter is repeated.';
  if (!explode || operator === '' || operator === '+') return 'Several values are separated by commas.';
  return operator === ';' ? 'Several values repeat the parameter.' : `Several values are separated by ${operator}`;
}
