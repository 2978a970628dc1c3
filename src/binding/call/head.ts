import { randomUUID } from 'node:crypto';
import { CodecError, compileTextWriter } from '../../codec/index.ts';
import type { CallHeader, RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import type { Field } from '../../model/field.ts';
import type { OperationUri } from '../../model/service.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { compileUriExpander } from '../../wire/uri-template/expand.ts';
import { type UriExpander, UriExpansionError, type UriValue } from '../../wire/uri-template/expand-template.ts';
import type { TemplateVariable, UriTemplate } from '../../wire/uri-template/uri-template.ts';
import { type CallContent, UNSENDABLE } from './content.ts';
import { compileCallText, type HeldOf, type Piece, sentText, shownText, type TextWriter, unusable } from './values.ts';

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

/** Headers by their names, in the order in which they travel. */
interface CallHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** With what is secret masked, and what is pending named. */
  readonly shown: Readonly<Record<string, string>>;
}

/** @throws CodecError */
type HeadersWriter = (heldOf: HeldOf, resolve: ResolveReference, content: CallContent | undefined) => CallHeaders;

interface HeaderWriter {
  readonly name: string;
  readonly isContentType: boolean;
  readonly write: TextWriter;
}

/** Compiles the headers of an operation. One whose text has a value that is not given is left out. */
export function compileCallHeaders(operation: RestConsumer): HeadersWriter {
  const writers = operation.headers.map(compileHeader);
  const accept = operation.headers.some(({ name }) => name.toLowerCase() === 'accept') ? '' : acceptOf(operation);
  return (heldOf, resolve, content) => {
    const headers: Record<string, string> = accept === '' ? {} : { Accept: accept };
    const shown = { ...headers };
    let contentType = content?.contentType;
    for (const { name, isContentType, write } of writers) {
      const pieces = write(heldOf, resolve);
      if (pieces === undefined) continue;
      if (isContentType) contentType = undefined;
      shown[name] = shownText(pieces);
      headers[name] = checked(name, isContentType, pieces);
    }
    if (contentType !== undefined) {
      headers['Content-Type'] = contentType;
      shown['Content-Type'] = contentType;
    }
    return { headers, shown };
  };
}

function compileHeader({ name, text }: CallHeader): HeaderWriter {
  return { name, isContentType: name.toLowerCase() === 'content-type', write: compileCallText(text, ', ') };
}

/** The media types that are asked for, the first one preferred (RFC 9110 section 12.5.1); empty when there is nothing to ask for. */
function acceptOf({ accepts }: RestConsumer): string {
  return accepts.map((type, i) => (i === 0 ? type : `${type};q=${Math.max(0.1, 1 - i / 10).toFixed(1)}`)).join(', ');
}

/** @throws CodecError that names the source of the text and never quotes it */
function checked(name: string, isContentType: boolean, pieces: readonly Piece[]): string {
  const where = `header ${name}`;
  for (const piece of pieces) {
    const [found] = UNSENDABLE.exec(piece.text) ?? [];
    if (found === undefined) continue;
    const reason =
      found === '\r' || found === '\n'
        ? 'holds a line end'
        : found < '\xa0'
          ? 'holds a control character'
          : 'holds a character beyond Latin-1';
    throw unusable(where, piece, reason);
  }
  const text = sentText(pieces);
  // Never sent; a pending value is empty here.
  if (pieces.some(({ pending }) => pending)) return text;
  // The receiver strips surrounding blanks, so the value would arrive changed.
  if (/^[\t ]/.test(text)) throw blankAt(where, pieces[0], 'begins with a blank');
  if (/[\t ]$/.test(text)) throw blankAt(where, pieces.at(-1), 'ends with a blank');
  if (isContentType && parseMediaType(text) === undefined)
    throw unusable(
      where,
      pieces.find(({ from }) => from !== ''),
      'is not a media type',
    );
  return text;
}

/** A literal blank is at an end when the value next to it is empty. */
function blankAt(where: string, end: Piece | undefined, reason: string): CodecError {
  return unusable(where, end, end?.text === '' ? 'is empty' : reason);
}
