import { randomUUID } from 'node:crypto';
import { CodecError, compileTextWriter } from '../../codec/index.ts';
import type { RestConsumer } from '../../model/consumer.ts';
import type { Field } from '../../model/field.ts';
import type { OperationUri } from '../../model/service.ts';
import { compileUriExpander } from '../../wire/uri-template/expand.ts';
import { type UriExpander, UriExpansionError, type UriValue } from '../../wire/uri-template/expand-template.ts';
import type { TemplateVariable, UriTemplate } from '../../wire/uri-template/uri-template.ts';
import type { HeldOf } from './values.ts';

/** What follows a target's address, without a slash of its own in front. */
interface CallUri {
  readonly uri: string;
  /** With what is secret masked, and what is pending named. */
  readonly shown: string;
}

/** @throws CodecError */
type UriWriter = (heldOf: HeldOf) => CallUri;

interface Variable {
  /** Its name in the template. */
  readonly name: string;
  readonly field: Field;
  readonly required: boolean;
  /** Whether it is in the path, where an empty value would change which resource the path names. */
  readonly inPath: boolean;
  readonly write: ReturnType<typeof compileTextWriter>;
}

/** @param missing creates the error for a variable that the URI requires */
export function compileCallUri(
  { host }: RestConsumer,
  { template, variables: bound }: OperationUri,
  missing: (field: Field) => CodecError,
): UriWriter {
  const styles = new Map(template.variables.map((variable, i) => [variable.name, bound[i]?.field.url]));
  const compile = (of: UriTemplate): UriExpander =>
    compileUriExpander(of, ({ name }) => styles.get(name) ?? 'segment', { hostText: host });
  const expand = compile(template);
  const variables = template.variables.map((variable, i) =>
    compileVariable(variable, bound[i] as (typeof bound)[number]),
  );
  const toUri = (expanded: string): string => (host || !expanded.startsWith('/') ? expanded : expanded.slice(1));
  return (heldOf) => {
    const values: Record<string, UriValue> = Object.create(null);
    const masks = new Map<string, string>();
    let isPending = false;
    for (const variable of variables) {
      const held = heldOf(variable.field);
      if (held === undefined) {
        if (variable.required) throw missing(variable.field);
        continue;
      }
      if (held.shown !== undefined) masks.set(variable.name, held.shown);
      if (held.pending) isPending = true;
      else values[variable.name] = uriValue(variable, variable.write(held.value), missing);
    }
    const uri = isPending ? '' : toUri(expanding(expand, values));
    if (masks.size === 0) return { uri, shown: uri };
    const shown = toUri(expandMasked(template, compile, values, masks));
    return { uri: isPending ? shown : uri, shown };
  };
}

function compileVariable(
  { name, place }: TemplateVariable,
  { field, required }: OperationUri['variables'][number],
): Variable {
  return { name, field, required, inPath: place === 'path', write: compileTextWriter(field) };
}

function uriValue(
  { field, required, inPath }: Variable,
  texts: readonly string[],
  missing: (field: Field) => CodecError,
): UriValue {
  if (required && inPath && texts.includes('')) throw new CodecError(field.name, 'is empty, but is part of the path');
  if (field.type.kind !== 'list') return texts[0];
  if (required && texts.length === 0) throw missing(field);
  return texts;
}

function expanding(expand: UriExpander, values: Readonly<Record<string, UriValue>>): string {
  try {
    return expand(values);
  } catch (error) {
    if (!(error instanceof UriExpansionError)) throw error;
    throw new CodecError(error.variable, error.reason);
  }
}

/**
 * Expands with a word in the place of each value that is masked, which any place of a URI takes as it is, and puts the mask
 * there. Few requests have such values, so that nothing is compiled ahead for them.
 */
function expandMasked(
  template: UriTemplate,
  compile: (of: UriTemplate) => UriExpander,
  values: Readonly<Record<string, UriValue>>,
  masks: ReadonlyMap<string, string>,
): string {
  const words = new Map([...masks.keys()].map((name) => [name, `x${randomUUID().replaceAll('-', '')}`]));
  const uncut = (variable: TemplateVariable): TemplateVariable => {
    const { prefix: _, ...rest } = variable;
    return masks.has(variable.name) ? rest : variable;
  };
  const parts = template.parts.map((part) =>
    part.kind === 'literal' ? part : { ...part, variables: part.variables.map(uncut) },
  );
  const expand = compile({ ...template, parts, variables: template.variables.map(uncut) });
  let shown = expanding(expand, { ...values, ...Object.fromEntries(words) });
  for (const [name, word] of words) shown = shown.replaceAll(word, () => masks.get(name) as string);
  return shown;
}
