import { parseMediaType } from '../../wire/media-type.ts';
import { compilePattern } from '../../wire/pattern.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import { attributeOf } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField, DraftMessage, DraftOperation, DraftRest } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { renamed, wireVariable } from '../variable.ts';
import { attribute, readQName } from '../xml.ts';
import { type Param, readParams, type WadlContext } from './params.ts';
import { documentationOf, type Node, placeIn } from './tree.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The method of HTTP that a method of a resource has. */
export function methodOf({ element }: Node): string {
  return (attribute(element, 'name') ?? 'GET').toUpperCase();
}

/** Reads a method of a resource. A method of HTTP that is not served is recorded. */
export function readMethod(
  context: WadlContext,
  method: Node,
  { path, params: around }: { readonly path: string; readonly params: readonly Param[] },
): readonly DraftOperation[] {
  const { tree, losses } = context;
  const word = methodOf(method);
  const name = METHODS.find((each) => each === word);
  if (name === undefined) {
    losses.operation(`the method ${word} of "${path === '' ? '/' : path}"`, 'left out', placeIn(method));
    return [];
  }
  const requests = tree.children(method, 'request');
  // A resource and its method may both name a header.
  const params = [
    ...new Map(
      [...around, ...requests.flatMap((each) => readParams(context, each))].map((each) => [
        `${each.style} ${each.name}`,
        each,
      ]),
    ).values(),
  ];
  const body = bodyOf(
    context,
    name,
    requests.flatMap((each) => tree.children(each, 'representation')),
  );
  const used = new Set([...body.fields, ...(body.root?.fields ?? [])].map((field) => field.name));
  const { uri, fields, headers } = uriOf(path, params, { taken: used, place: placeIn(method), losses });
  const description = documentationOf(method);
  const rest: DraftRest = {
    method: name,
    uris: [uri],
    headers,
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(body.form === undefined ? {} : { form: body.form }),
    ...(body.mediaType === undefined ? {} : { mediaType: body.mediaType }),
    ...(body.otherTypes === undefined ? {} : { otherTypes: body.otherTypes }),
    ...(body.root === undefined || fields.length === 0 ? {} : { template: template(fields, method, name, path) }),
  };
  const responses = tree.children(method, 'response');
  return [
    {
      name: nameOf(method, name, path),
      place: placeIn(method),
      ...(description === undefined ? {} : { description }),
      rest,
      request:
        body.root === undefined
          ? requestOf([...fields, ...body.fields], method, name, path)
          : { kind: 'document', document: body.root },
      ...readResponses(context, responses),
    },
  ];
}

/** The name of a method: its id, or one made from the method and the path. */
function nameOf({ element }: Node, method: string, path: string): string {
  const id = attribute(element, 'id') ?? element.attributes.find(({ local }) => local === 'id')?.value.trim();
  if (id !== undefined && id !== '' && !/^[A-Z]+$/.test(id)) return id;
  const words = path.replace(VARIABLE, '').split(/[^A-Za-z0-9]+/);
  return [method.toLowerCase(), ...words.filter((each) => each !== '')].join('_');
}

/** A variable of a path, as JAX-RS writes it too: `{id: \d{1,3}}`, with a pattern in which a brace may be a character (`\{`). */
const VARIABLE = /\{\s*([^{}:\s]+)\s*(?::((?:\\.|[^\\{}]|\{[^{}]*\})*))?\}/gs;

const isVariable = (name: string): boolean => /^[\p{L}\p{N}_]+$/u.test(name);

/** The URI template of an operation, with the fields of its parameters. */
function uriOf(
  path: string,
  params: readonly Param[],
  { taken, place, losses }: { taken: Set<string>; place: Place; losses: Losses },
) {
  const fields: DraftField[] = [];
  const headers: Record<string, string> = {};
  const add = (field: DraftField): string => {
    let name = field.name.replace(/[^\p{L}\p{N}_]+/gu, '_');
    for (let n = 2; taken.has(name); n++) name = `${field.name.replace(/[^\p{L}\p{N}_]+/gu, '_')}_${n}`;
    taken.add(name);
    fields.push({ ...field, name });
    return name;
  };
  const template = path.replace(VARIABLE, (_, name: string, pattern: string | undefined) => {
    const param = params.find((each) => each.style === 'template' && each.name === name);
    const field = param?.field ?? {
      name,
      place,
      type: { kind: 'scalar', word: 'string' },
      options: { required: true },
    };
    return `{${add(withPattern(field, pattern?.trim() ?? '', losses))}}`;
  });
  const matrix = params.filter(({ style }) => style === 'matrix').map(({ field }) => `{;${add(field)}}`);
  const query: string[] = [];
  const literal: string[] = [];
  for (const { style, name, field, repeating } of params) {
    if (style === 'header') headers[name] = add(field);
    if (style !== 'query') continue;
    const isFree = isVariable(name) && !taken.has(name);
    // What is written out has to be there, as `{name}` of a path has.
    if (isFree || field.options.required === true) {
      const variable = add(field);
      if (variable === name) query.push(`${variable}${repeating ? '*' : ''}`);
      else literal.push(`${encodeURIComponent(name)}={${variable}}`);
      continue;
    }
    const variable = wireVariable(name, taken);
    taken.add(variable);
    fields.push(renamed(field, variable));
    query.push(`${variable}${repeating ? '*' : ''}`);
  }
  const begun = literal.length === 0 ? '' : `?${literal.join('&')}`;
  const rest = query.length === 0 ? '' : `{${begun === '' ? '?' : '&'}${query.join(',')}}`;
  const encoded = template.replace(/\{[\p{L}\p{N}_]+\}|[^{}]+|[{}]/gu, encodedLiteral);
  return { uri: `${encoded}${matrix.join('')}${begun}${rest}`, fields, headers };
}

/** A variable with the pattern that it has in a path. One that a slash may match is a single segment all the same. */
function withPattern(field: DraftField, pattern: string, losses: Losses): DraftField {
  // What any segment matches says nothing.
  if (pattern === '' || pattern === '[^/]+') return field;
  const { type, options } = field;
  const what = `the pattern "${pattern}" of the variable "${field.name}" in a path`;
  const isText = type.kind === 'scalar' && /^string\b/.test(type.word) && options.pattern === undefined;
  if (/^\.[*+]\??$/.test(pattern)) losses.add(what, 'a single segment, without slashes', field.place);
  else if (!isText || !isPattern(pattern)) losses.add(what, 'not checked', field.place);
  else return { ...field, options: { ...options, pattern } };
  return field;
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

/** A part of a path, with what no URI has in it percent-encoded; a variable stays. */
function encodedLiteral(part: string): string {
  if (/^\{.+\}$/.test(part)) return part;
  return part.replace(/[^\w\-.~:/?[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent);
}

/** The body of a request. */
interface Body {
  readonly fields: readonly DraftField[];
  /** The document whose element is the body. */
  readonly root?: DraftDocument;
  readonly body?: string;
  readonly form?: DraftRest['form'];
  readonly mediaType?: string;
  readonly otherTypes?: readonly string[];
}

function bodyOf(context: WadlContext, method: string, representations: readonly Node[]): Body {
  const [first] = representations;
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE') {
    const what = `the body of a ${method}, which has no meaning (RFC 9110, section 9.3)`;
    if (first !== undefined) context.losses.add(what, 'not sent', placeIn(first));
    return { fields: [] };
  }
  if (first === undefined) return { fields: [], body: 'none' };
  const withElement = representations.find(({ element }) => attribute(element, 'element') !== undefined);
  if (withElement !== undefined) {
    const types = representations.map(({ element }) => attribute(element, 'mediaType') ?? 'application/xml');
    // Calls send JSON where it is accepted.
    const type = types.find((each) => rawOf(each) === 'json') ?? (types[0] as string);
    const others = types.filter((each) => each !== type && 'mediaType' in sent(each));
    return { fields: [], root: elementOf(context, withElement), ...sent(type), otherTypes: others };
  }
  const mediaType = attribute(first.element, 'mediaType') ?? '*/*';
  const params = representations.flatMap((each) => formParams(context, each));
  const form = mediaType.startsWith('multipart/')
    ? 'multipart'
    : mediaType.includes('urlencoded')
      ? 'urlencoded'
      : undefined;
  if (form !== undefined && params.length > 0) return { fields: params.map(({ field }) => field), form };
  const word = rawOf(mediaType);
  return {
    fields: [{ name: 'body', place: placeIn(first), type: { kind: 'scalar', word }, options: { required: true } }],
    body: 'body',
    ...sent(mediaType),
  };
}

/** The media type of a body, unless it is a range or not valid. */
function sent(mediaType: string): { readonly mediaType?: string } {
  return mediaType.includes('*') || parseMediaType(mediaType) === undefined ? {} : { mediaType };
}

/** Parameters of a form, which have the style query. */
function formParams(context: WadlContext, representation: Node): readonly Param[] {
  return readParams(context, representation).filter(({ style }) => style === 'query');
}

function elementOf({ schemas, losses }: WadlContext, node: Node): DraftDocument {
  const text = attributeOf(node.element, 'element') ?? '';
  return schemas.element(readQName(text, node.element, node.location, losses), placeIn(node));
}

function requestOf(fields: readonly DraftField[], method: Node, word: string, path: string): DraftMessage {
  if (fields.length === 0) return { kind: 'none' };
  const name = `${nameOf(method, word, path)}_REQUEST`;
  return {
    kind: 'document',
    document: { name, place: placeIn(method), named: false, options: {}, fields: [...fields] },
  };
}

/** The variables of URIs and headers beside a request that is the body alone. */
function template(fields: readonly DraftField[], method: Node, word: string, path: string): DraftDocument {
  const name = `${nameOf(method, word, path)}_TEMPLATE`;
  return { name, place: placeIn(method), named: false, options: {}, fields: [...fields] };
}

/** Types of messages and fields for content without a document, by media type. */
function rawOf(mediaType: string): 'json' | 'xml' | 'text' | 'binary' {
  const type = mediaType.toLowerCase().replace(/;.*$/, '').trim();
  if (/[/+]json$/.test(type) || type === '*/*') return 'json';
  if (/[/+]xml$/.test(type)) return 'xml';
  return type.startsWith('text/') ? 'text' : 'binary';
}

/** Replies that are not errors, the first status of them; replies with errors that have an element are faults. */
function readResponses(
  context: WadlContext,
  responses: readonly Node[],
): Pick<DraftOperation, 'responses' | 'status' | 'faults' | 'faultTypes'> {
  const { tree } = context;
  const given = ({ element }: Node): string | undefined => attribute(element, 'status');
  const isSuccess = (text: string | undefined): boolean => text !== undefined && /(?:^|\s)[1-3]\d\d\b/.test(text);
  // Beside a reply with success, one without a status is that of any other status (WADL, section 2.10).
  const otherwise = responses.some((each) => isSuccess(given(each))) ? '500' : '200';
  const statusesOf = (each: Node): number[] =>
    (given(each) ?? otherwise).split(/\s+/).map(Number).filter(Number.isInteger);
  const good = responses.filter((each) => statusesOf(each).some((status) => status < 400));
  const stated = good.filter((each) => given(each) !== undefined).flatMap(statusesOf);
  const status = stated.find((each) => each >= 200 && each < 300);
  const representations = good.flatMap((each) => tree.children(each, 'representation'));
  for (const { name, field } of good.flatMap((each) => readParams(context, each))) {
    context.losses.add(`the header "${name}" of replies`, 'not read', field.place);
  }
  const seen = new Set<string>();
  const messages = representations.flatMap((each) => {
    const mediaType =
      attribute(each.element, 'mediaType') ??
      (attribute(each.element, 'element') === undefined ? '*/*' : 'application/xml');
    if (seen.has(mediaType)) return [];
    seen.add(mediaType);
    const message: DraftMessage =
      attribute(each.element, 'element') === undefined || rawOf(mediaType) === 'text'
        ? { kind: 'raw', raw: rawOf(mediaType) }
        : { kind: 'document', document: elementOf(context, each) };
    return [{ mediaType: mediaType.includes('*') ? 'application/json' : mediaType, message }];
  });
  const failed = responses
    .filter((each) => statusesOf(each).every((each) => each >= 400))
    .flatMap((each) => tree.children(each, 'representation'));
  const faults = failed
    .filter(({ element }) => attribute(element, 'element') !== undefined)
    .map((each) => elementOf(context, each));
  const faultTypes = failed.flatMap(({ element }) => {
    const mediaType = attribute(element, 'mediaType');
    return mediaType === undefined ? [] : Object.values(sent(mediaType));
  });
  return {
    responses: messages.length === 0 ? [{ message: { kind: 'none' } }] : distinct(messages),
    ...(status === undefined ? {} : { status }),
    faultTypes: [...new Set(faultTypes)],
    faults: [...new Map(faults.map((document) => [document.name, { name: document.name, document }])).values()],
  };
}

/** JSON first, where a reply is a document in JSON or XML. */
function distinct(messages: DraftOperation['responses']): DraftOperation['responses'] {
  const [first, second, ...others] = messages;
  if (first?.message.kind !== 'document' || second?.message.kind !== 'document' || others.length > 0) return messages;
  return rawOf(second.mediaType ?? '') === 'json' && first.message.document === second.message.document
    ? [second, first]
    : messages;
}
