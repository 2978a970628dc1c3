import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import type { Message, UriVariable } from '../../model/service.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { typeWords } from '../document/field-type.ts';
import { documentOf } from '../document/message.ts';
import type { Linking } from '../linking.ts';
import type { PlacedTemplate } from './templates.ts';

/** Where the values of a call come from. */
export interface InputFields {
  /** The request's own, then those of the template document. */
  readonly byName: ReadonlyMap<string, Field>;
  /** False where a document of them could not be used: what they lack is nobody's mistake. */
  readonly complete: boolean;
}

/** The fields that a call may fill: of the request, then of the template document. */
export function inputFields(linking: Linking, documents: readonly (Document | undefined | 'unknown')[]): InputFields {
  const byName = new Map<string, Field>();
  let complete = true;
  for (const document of documents) {
    if (document === undefined) continue;
    if (document === 'unknown' || linking.incomplete.has(document)) complete = false;
    if (document === 'unknown') continue;
    for (const field of document.fields) if (!byName.has(field.name)) byName.set(field.name, field);
  }
  return { byName, complete };
}

/** The document of a message as {@link inputFields} takes it. */
export function knownDocument(message: Message | undefined): Document | undefined | 'unknown' {
  return message === undefined ? 'unknown' : documentOf(message);
}

/** Ties the variables of a template to fields. `whyNot` says why a field can't fill one. */
export function linkVariables(
  { report }: Linking,
  { template, variableAt }: PlacedTemplate,
  input: InputFields,
  whyNot: (variable: TemplateVariable, field: Field) => string | undefined = whyNotReadBack,
): UriVariable[] {
  return template.variables.flatMap((variable) => {
    const field = input.byName.get(variable.name);
    if (field === undefined) {
      const known = [...input.byName.keys()];
      if (input.complete)
        report.raise('unknown-variable', { variable: variable.name, known }, variableAt(variable.name));
      return [];
    }
    const reason = whyNot(variable, field);
    if (reason !== undefined)
      report.raise('variable-type', { variable: variable.name, reason }, variableAt(variable.name));
    const { place, wireName, required } = variable;
    return { field, place, wireName, required };
  });
}

function whyNotReadBack(variable: TemplateVariable, { type }: Field): string | undefined {
  if (variable.prefix !== undefined)
    return `a prefix ({${variable.name}:${variable.prefix}}) does not carry the whole value`;
  return whyNoText(type);
}

/** Why a value has no form in a text; undefined where it has. */
export function whyNoText(type: Field['type']): string | undefined {
  const item = singleType(type);
  if (item.kind === 'document') return `it is ${typeWords(type)}, which has no form in a text`;
  return item.kind === 'binary' ? 'it is binary content' : undefined;
}
