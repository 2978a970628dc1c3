import type { BodyForm, FormStyles } from '../../model/form.ts';
import type { DraftDocument, DraftField, DraftMessage, DraftRest } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { plainVariable, renamed, wireVariable } from '../variable.ts';
import {
  type Content,
  carrierOf,
  concreteType,
  contentsOf,
  encodingOf,
  formDocument,
  formStylesOf,
  jsonFirst,
  messageOf,
  type WrittenAs,
} from './content.ts';
import { readField } from './document.ts';
import { type DeclaredParameter, declaredParameters, type Parameter, ParameterReader } from './parameters.ts';
import type { SchemaReader } from './schema.ts';
import type { Node } from './tree.ts';

/** An operation as it is found in a path. */
export interface Found {
  readonly path: string;
  readonly method: DraftRest['method'];
  readonly node: Node;
  /** The path item. */
  readonly item: Node;
  readonly name: string;
  /** Media types of requests and replies, of OpenAPI 2.0. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
}

/** The body of a request. */
interface Body {
  readonly message: DraftMessage;
  readonly mediaType?: string;
  readonly otherTypes?: readonly string[];
  readonly form?: BodyForm;
  /** How fields of a urlencoded form are written, where that is not the usual way. */
  readonly formStyles?: FormStyles;
  /** Whether a request may be without it. */
  readonly isOptional?: true;
}

const NO_BODY: Body = { message: { kind: 'none' } };

/** Reads what an operation is called with. */
export function readRequest(
  found: Found,
  reader: SchemaReader,
): { readonly request: DraftMessage; readonly rest: DraftRest } {
  const { losses } = reader.context;
  const declared = declaredParameters([found.item.get('parameters'), found.node.get('parameters')], reader);
  const parameters = [...parametersOf(found, declared, reader)];
  const body = bodyOf(found, declared, reader);
  const { method } = found;
  reader.fill();
  const taken = namesIn(body.message);
  const wraps =
    body.message.kind === 'document' &&
    body.form === undefined &&
    (method === 'DELETE' || parameters.some((each) => isBound(each) && taken.has(wireVariable(each.name, new Set()))));
  const named = nameVariables(parameters, wraps ? new Set(['body']) : taken);
  const fields = named.map(({ field, variable }) => renamed(field, variable));
  const headers = named.flatMap(({ in: where, name, variable }) =>
    where === 'header' ? [[name, variable] as const] : [],
  );
  const uris = [templateOf(found.path, named, found.item, losses)];
  const rest: DraftRest = {
    method,
    uris,
    headers: Object.fromEntries(headers),
    ...(body.form === undefined ? {} : { form: body.form }),
    ...(body.formStyles === undefined ? {} : { formStyles: body.formStyles }),
    ...(body.mediaType === undefined ? {} : { mediaType: body.mediaType }),
    ...(body.otherTypes === undefined ? {} : { otherTypes: body.otherTypes }),
    ...(body.isOptional === undefined ? {} : { optionalBody: true }),
  };
  const place = found.node.place;
  const input = (suffix: string, all: DraftField[]): DraftDocument => ({
    name: `${found.name}_${suffix}`,
    place,
    named: false,
    options: {},
    fields: all,
  });
  if (body.message.kind === 'none') {
    const isBodiless = method === 'GET' || method === 'HEAD' || method === 'DELETE';
    if (fields.length === 0) return { request: body.message, rest };
    const request: DraftMessage = { kind: 'document', document: input('request', fields) };
    return { request, rest: isBodiless ? rest : { ...rest, body: 'none' } };
  }
  if (wraps && body.message.kind === 'document') {
    const whole: DraftField = {
      name: 'body',
      place: body.message.document.place,
      type: body.message,
      options: { required: true },
    };
    const request: DraftMessage = { kind: 'document', document: input('request', [...fields, whole]) };
    return { request, rest: { ...rest, body: 'body' } };
  }
  if (fields.length === 0) return { request: body.message, rest };
  return { request: body.message, rest: { ...rest, template: input('template', fields) } };
}

function* parametersOf(
  { path, item }: Found,
  declared: readonly DeclaredParameter[],
  reader: SchemaReader,
): Generator<Parameter> {
  const { losses } = reader.context;
  const parameters = new ParameterReader(reader);
  const inPath = new Set(pathVariables(path));
  for (const each of declared) {
    if (each.in === 'body' || each.in === 'formData') continue;
    if (each.in === 'path' && !inPath.has(each.name)) {
      losses.add(`the path parameter "${each.name}", which is not in the path ${path}`, 'left out', each.node.place);
      continue;
    }
    yield* parameters.read(each);
  }
  const known = new Set(declared.flatMap((each) => (each.in === 'path' ? [each.name] : [])));
  for (const name of inPath) {
    if (known.has(name)) continue;
    losses.add(`the path parameter "${name}" of ${path} is not declared`, 'taken as a text', item.place);
    const field: DraftField = {
      name,
      place: item.place,
      type: { kind: 'scalar', word: 'string' },
      options: { required: true },
    };
    yield { in: 'path', name, field, operator: '', explode: false, required: true };
  }
}

/** Gives each parameter a variable. Those whose name on the wire is that of the variable come first. */
function nameVariables(parameters: readonly Parameter[], taken: ReadonlySet<string>): NamedParameter[] {
  const names = new Set(taken);
  const variables = new Map<Parameter, string>();
  const bound = parameters.filter(isBound);
  for (const each of bound) {
    const name = wireVariable(each.name, names);
    names.add(name);
    variables.set(each, name);
  }
  for (const each of parameters) {
    if (variables.has(each)) continue;
    const wanted = plainVariable(each.name);
    let name = names.has(wanted) ? `${wanted}_${each.in}` : wanted;
    for (let n = 2; names.has(name); n++) name = `${wanted}_${n}`;
    names.add(name);
    variables.set(each, name);
  }
  return parameters.map((each) => ({ ...each, variable: variables.get(each) as string }));
}

/** Names of fields that a body has, which variables can't have. */
function namesIn(message: DraftMessage): ReadonlySet<string> {
  if (message.kind === 'none') return new Set();
  if (message.kind !== 'document') return new Set(['content']);
  const names = new Set<string>();
  const seen = new Set<DraftDocument>();
  for (
    let each: DraftDocument | undefined = message.document;
    each !== undefined && !seen.has(each);
    each = each.extends
  ) {
    seen.add(each);
    for (const { name } of each.fields) names.add(name).add(plainVariable(name));
  }
  return names;
}

function bodyOf(found: Found, declared: readonly DeclaredParameter[], reader: SchemaReader): Body {
  const { losses } = reader.context;
  const { method, node } = found;
  const body = reader.context.version === '2.0' ? bodyOfTwo(found, declared, reader) : bodyOfThree(found, reader);
  if (body.message.kind === 'none' || (method !== 'GET' && method !== 'HEAD')) return body;
  losses.add(`the body of ${method} ${found.path}`, 'not sent', (node.get('requestBody') ?? node).place);
  return NO_BODY;
}

function bodyOfThree({ node, name }: Found, reader: SchemaReader): Body {
  const { references } = reader.context;
  const declared = node.get('requestBody');
  if (declared === undefined) return NO_BODY;
  const request = references.follow(declared, 'requestBodies');
  const contents = contentsOf(request, reader);
  const body = chosenBody(contents, `${name}_request`, reader);
  return body.message.kind === 'none' || request.get('required')?.flag === true
    ? body
    : optional(body, declared.place, reader);
}

/** A comparison of contracts knows optional bodies, unlike definitions. */
function optional(body: Body, place: Place, { context: { losses, purpose } }: SchemaReader): Body {
  if (purpose === 'definitions') losses.add('an optional body', 'it is always there', place);
  return { ...body, isOptional: true };
}

/** JSON, or the first content that is carried. The others are reported. */
function chosenBody(contents: readonly Content[], name: string, reader: SchemaReader): Body {
  const { losses } = reader.context;
  const [chosen, ...others] = jsonFirst(contents).filter(({ mediaType }) => carrierOf(mediaType) !== undefined);
  for (const { mediaType, place } of contents)
    if (carrierOf(mediaType) === undefined) losses.add(`the media type "${mediaType}"`, 'left out', place.place);
  if (chosen === undefined) return NO_BODY;
  const body = bodyOfContent(chosen, name, reader);
  const otherTypes: string[] = [];
  for (const each of others) {
    // A document has a JSON and an XML form, and the gateway accepts either.
    if (isSameDocument(body, each, name, reader)) otherTypes.push(concreteType(each.mediaType));
    else
      losses.add(
        `the media type ${each.mediaType} of a request`,
        `requests are ${concreteType(chosen.mediaType)}`,
        each.place.place,
      );
  }
  return otherTypes.length === 0 ? body : { ...body, otherTypes };
}

function isSameDocument(body: Body, other: Content, name: string, reader: SchemaReader): boolean {
  const carrier = carrierOf(other.mediaType);
  if (body.form !== undefined || body.message.kind !== 'document' || (carrier !== 'json' && carrier !== 'xml'))
    return false;
  const message = messageOf(other, reader, name);
  return message.kind === 'document' && message.document === body.message.document;
}

function bodyOfContent(content: Content, name: string, reader: SchemaReader): Body {
  const carrier = carrierOf(content.mediaType);
  if (carrier !== 'urlencoded' && carrier !== 'multipart') {
    const message = messageOf(content, reader, name);
    return { message, mediaType: concreteType(content.mediaType, message) };
  }
  const mediaType = concreteType(content.mediaType);
  const document = formDocument(content, reader, name);
  if (document === undefined)
    return { message: { kind: 'raw', raw: carrier === 'multipart' ? 'binary' : 'text' }, mediaType };
  if (carrier === 'multipart' && mediaType !== 'multipart/form-data')
    reader.context.losses.add(
      `the media type ${mediaType} of a request`,
      'sent as multipart/form-data',
      content.place.place,
    );
  if (carrier === 'multipart') return { message: { kind: 'document', document }, form: carrier };
  return urlencoded(document, encodingOf(content), reader);
}

/** The body of OpenAPI 2.0: the parameter `body`, or the fields of a form. */
function bodyOfTwo(found: Found, declared: readonly DeclaredParameter[], reader: SchemaReader): Body {
  const { losses } = reader.context;
  const { node, name, consumes } = found;
  const [whole, ...others] = declared.filter((each) => each.in === 'body');
  for (const each of others) losses.add(`a second body "${each.name}"`, 'left out', each.node.place);
  const fields = declared.filter((each) => each.in === 'formData');
  if (whole !== undefined) {
    if (fields.length > 0) losses.add('a form beside a body', 'left out', node.place);
    const schema = whole.node.get('schema');
    const types = consumes.filter((each) => !/multipart|urlencoded/i.test(each));
    const contents = (types.length === 0 ? ['application/json'] : types).map((mediaType) => ({
      mediaType,
      place: node.get('consumes') ?? whole.node,
      ...(schema === undefined ? {} : { schema }),
    }));
    const body = chosenBody(contents, `${name}_request`, reader);
    return whole.node.get('required')?.flag ? body : optional(body, whole.node.place, reader);
  }
  if (fields.length === 0) return NO_BODY;
  const isMultipart =
    fields.some((each) => each.node.get('type')?.text === 'file') || /multipart/i.test(consumes[0] ?? '');
  const document: DraftDocument = {
    name: `${name}_request`,
    place: node.place,
    named: false,
    options: {},
    fields: fields.map((each) => readField(reader, each.name, [each.node], each.node.get('required')?.flag === true)),
  };
  if (isMultipart) return { message: { kind: 'document', document }, form: 'multipart' };
  const formats = new Map(fields.map(({ name, node }) => [name, node.get('collectionFormat')?.text]));
  return urlencoded(document, (field) => formatted(formats.get(field)), reader);
}

/** A body that is a urlencoded form. */
function urlencoded(document: DraftDocument, writtenAs: (field: string) => WrittenAs, reader: SchemaReader): Body {
  reader.fill();
  const formStyles = formStylesOf(document, writtenAs, reader.context);
  const styles = Object.keys(formStyles).length === 0 ? {} : { formStyles };
  return { message: { kind: 'document', document }, form: 'urlencoded', ...styles };
}

/** A `collectionFormat` of OpenAPI 2.0 in the words of later versions. */
function formatted(format = 'csv'): WrittenAs {
  if (format === 'multi') return {};
  const style = { ssv: 'spaceDelimited', tsv: 'tabDelimited', pipes: 'pipeDelimited' }[format] ?? 'form';
  return { style, explode: false };
}

/** A parameter with the name of its field. */
interface NamedParameter extends Parameter {
  /** The name of the field, which is that of the variable in the template. */
  readonly variable: string;
}

/** Whether the name of the variable has to be that on the wire: `{?x}`, `{;x}`. */
function isBound({ in: where, operator, required, explode, field }: Parameter): boolean {
  if (where === 'header') return false;
  if (where === 'path') return operator === ';';
  return !required || explode || field.type.kind === 'list';
}

/** The template (RFC 6570) of a path of OpenAPI with its query, without a slash at its start. */
function templateOf(path: string, parameters: readonly NamedParameter[], node: Node, losses: Losses): string {
  const [text, fragment] = path.split(/#(.*)/s) as [string, string | undefined];
  if (fragment !== undefined) losses.add(`the fragment "#${fragment}" of the path`, 'left out', node.place);
  const inPath = new Map(parameters.flatMap((each) => (each.in === 'path' ? [[each.name, each] as const] : [])));
  const literal = text.replace(/^\/+/, '').replace(/\{([^{}]*)\}|[^{}]+|[{}]/g, (part, name?: string) => {
    const parameter = name === undefined ? undefined : inPath.get(name);
    if (parameter === undefined) return encodedLiteral(part);
    return `{${parameter.operator}${parameter.variable}${parameter.explode ? '*' : ''}}`;
  });
  return (
    literal +
    queryOf(
      literal.includes('?'),
      parameters.filter((each) => each.in === 'query'),
    )
  );
}

function queryOf(hasQuery: boolean, parameters: readonly NamedParameter[]): string {
  const fixed = parameters.filter((each) => !isBound(each));
  const pairs = fixed.map(({ name, operator, variable }) => `${encodedName(name)}={${operator}${variable}}`);
  const free = parameters.filter(isBound).map(({ variable, explode }) => `${variable}${explode ? '*' : ''}`);
  const start = pairs.length === 0 ? '' : `${hasQuery ? '&' : '?'}${pairs.join('&')}`;
  if (free.length === 0) return start;
  return `${start}{${hasQuery || start !== '' ? '&' : '?'}${free.join(',')}}`;
}

/** The names of the variables in a path. */
function pathVariables(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Literal text of a template: RFC 6570, section 2.1. */
function encodedLiteral(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[\s"<>\\^`{|}]/g, (c) => encodeURIComponent(c));
}

function encodedName(name: string): string {
  return encodeURIComponent(name).replace(/%(?:5B|5D|24|40|3A)/g, (octet) => decodeURIComponent(octet));
}
