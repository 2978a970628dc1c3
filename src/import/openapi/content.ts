import { isDeepStrictEqual } from 'node:util';
import type { FormStyles } from '../../model/form.ts';
import { isJsonType, isXmlType, parseMediaType } from '../../wire/media-type.ts';
import type { DraftDocument, DraftField, DraftMessage, DraftScalar, DraftType, FieldOptions } from '../draft.ts';
import type { Losses } from '../place.ts';
import type { SchemaReader } from './schema.ts';
import { type SchemaContext, shapeOf } from './shape.ts';
import type { Node } from './tree.ts';

/** The content of a body in one media type. */
export interface Content {
  /** As written: `application/json`, or with wildcards. */
  readonly mediaType: string;
  readonly place: Node;
  readonly schema?: Node;
  /** The media type object; absent in OpenAPI 2.0. */
  readonly node?: Node;
}

/** The ways in which bodies are carried. */
export type Carrier = 'json' | 'xml' | 'urlencoded' | 'multipart' | 'text' | 'binary';

/** The contents of a request body or a response of OpenAPI 3. */
export function contentsOf(node: Node, reader: SchemaReader): Content[] {
  const { references, losses } = reader.context;
  return (node.get('content')?.entries() ?? []).map(([mediaType, found]) => {
    const media = references.follow(found);
    const each = media.get('itemSchema');
    if (each !== undefined)
      losses.add(`the schema of each item of ${mediaType}`, 'the stream is read as a whole', each.place);
    const schema = media.get('schema');
    // Any type of a tree, `application/*`, is the one that we have; a suffix names types that are not it.
    if (mediaType.includes('*+'))
      losses.add(`the media type "${mediaType}"`, `${concreteType(mediaType)} stands for it`, found.place);
    return { mediaType, place: found, node: media, ...(schema === undefined ? {} : { schema }) };
  });
}

/** How a media type is carried. `undefined` for one that is not valid. */
export function carrierOf(mediaType: string): Carrier | undefined {
  const essence = parseMediaType(mediaType)?.essence ?? mediaType.trim().toLowerCase();
  if (!/^[^\s/]+\/[^\s/]+$/.test(essence)) return undefined;
  if (essence === '*/*' || essence === 'application/*' || isJsonType(essence) || essence === 'text/json') return 'json';
  if (isXmlType(essence)) return 'xml';
  if (essence === 'application/x-www-form-urlencoded') return 'urlencoded';
  if (essence.startsWith('multipart/')) return 'multipart';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Contents with JSON first: what OpenAPI says of XML leaves much open. */
export function jsonFirst(contents: readonly Content[]): Content[] {
  const isJson = ({ mediaType }: Content): boolean => carrierOf(mediaType) === 'json';
  return [...contents.filter(isJson), ...contents.filter((each) => !isJson(each))];
}

/** The media type of a message, without wildcards. Bytes are not JSON, whatever their media type is. */
export function concreteType(mediaType: string, message?: DraftMessage): string {
  const isBytes = message?.kind === 'raw' && message.raw === 'binary';
  if (isBytes && carrierOf(mediaType) === 'json') return 'application/octet-stream';
  if (!mediaType.includes('*')) return mediaType.trim();
  const [type = '', subtype = ''] = mediaType.trim().split('/');
  if (carrierOf(mediaType) === 'xml') return `${type === '*' ? 'application' : type}/xml`;
  if (type === '*' || type === 'application') return 'application/json';
  if (type === 'text') return 'text/plain';
  return subtype === '*' ? 'application/octet-stream' : mediaType.trim();
}

/** What a content is, as a message. @param name for a document without a name of its own */
export function messageOf(content: Content, reader: SchemaReader, name: string): DraftMessage {
  const carrier = carrierOf(content.mediaType);
  const { schema } = content;
  if (carrier === 'text' || carrier === 'urlencoded') {
    tellUnread(content, reader, 'any text is accepted');
    return { kind: 'raw', raw: 'text' };
  }
  if (carrier === 'json')
    return schema === undefined ? { kind: 'raw', raw: 'json' } : jsonMessage(schema, reader, name);
  if (carrier !== 'xml') {
    tellUnread(content, reader, 'any bytes are accepted');
    return { kind: 'raw', raw: 'binary' };
  }
  if (schema === undefined) return { kind: 'raw', raw: 'xml' };
  const { type } = reader.read([schema], name);
  if (type.kind === 'document') return { kind: 'document', document: type.document };
  // A text of JSON Schema is all that can be said of markup.
  const isText = type.kind === 'scalar' && type.word === 'string';
  if (isText) return { kind: 'raw', raw: 'xml' };
  reader.context.losses.add(`the schema of a body in ${content.mediaType}`, 'any XML is accepted', schema.place);
  return { kind: 'raw', raw: 'xml' };
}

/** Keywords of a schema that leaves a text or bytes as they are. */
const FREE =
  /^(?:type|format|description|title|example|examples|default|contentMediaType|contentEncoding|nullable|externalDocs|\$ref|x-.*)$/;

/** Reports the schema of a body in a media type that is passed as it is, unless the schema says no more than that. */
function tellUnread({ mediaType, schema }: Content, reader: SchemaReader, instead: string): void {
  if (schema === undefined) return;
  const shape = shapeOf([schema], reader.context);
  const types = shape.types();
  const isText = types === undefined || [...types].every((type) => /^(?:string|file|null)$/.test(type));
  const isFree = shape.parts.every((part) => part.entries().every(([key]) => FREE.test(key)));
  if (!isText || !isFree) reader.context.losses.add(`the schema of a body in ${mediaType}`, instead, schema.place);
}

function documentOf(schema: Node, reader: SchemaReader, name: string): DraftDocument | undefined {
  const { type } = reader.read([schema], name);
  return type.kind === 'document' ? type.document : undefined;
}

function jsonMessage(schema: Node, reader: SchemaReader, name: string): DraftMessage {
  const { type, options } = reader.read([schema], name);
  const { losses } = reader.context;
  if (type.kind === 'scalar' && type.word === 'json') return { kind: 'raw', raw: 'json' };
  if (type.kind === 'scalar' && type.word === 'binary') return { kind: 'raw', raw: 'binary' };
  if (options.nullable) losses.add('a body that may be null', 'it is never null', schema.place);
  if (type.kind === 'document') return { kind: 'document', document: type.document };
  const { nullable: _, sensitive: __, ...facets } = options;
  if (isOfNamed(type, facets)) return { kind: 'type', type };
  if (Object.keys(facets).length > 0)
    losses.add(`the limits of a body (${Object.keys(facets).join(', ')})`, 'not checked', schema.place);
  return { kind: 'type', type: withoutName(type) };
}

/** Whether all limits of a body are those of a type that has a name, by which the message refers to them. */
function isOfNamed(type: DraftType, facets: FieldOptions): boolean {
  const single = 'item' in type ? type.item : type;
  if (single.kind !== 'scalar' || single.named?.word !== single.word) return false;
  const { named } = single;
  const expected = single === type ? named.facets : { entry: named.facets };
  return isDeepStrictEqual({ ...expected }, { ...facets });
}

function withoutName(type: DraftType): DraftType {
  if ('item' in type) return type.item.kind === 'scalar' ? { ...type, item: unnamed(type.item) } : type;
  return type.kind === 'scalar' ? unnamed(type) : type;
}

const unnamed = ({ word }: DraftScalar): DraftScalar => ({ kind: 'scalar', word });

/** The document of a form; `undefined` when its fields are not known. */
export function formDocument(
  { schema, node, mediaType }: Content,
  reader: SchemaReader,
  name: string,
): DraftDocument | undefined {
  const { losses } = reader.context;
  for (const [part, encoding] of node?.get('encoding')?.entries() ?? [])
    for (const [key, each] of encoding.entries())
      if (key !== 'contentType' && !(isUrlencoded(mediaType) && (key === 'style' || key === 'explode')))
        losses.add(`"${key}" of the part "${part}"`, 'encoded as usual', each.place);
  if (schema === undefined) return undefined;
  const shape = shapeOf([schema], reader.context);
  const document = documentOf(schema, reader, name);
  if (document === undefined || document.choice === true) {
    losses.add(`the fields of ${mediaType}`, 'the body is passed as it is', shape.node.place);
    return undefined;
  }
  return withoutNull(document, losses);
}

/** A form without fields that may be null, which a form can't say. */
function withoutNull(document: DraftDocument, losses: Losses): DraftDocument {
  const isNull = ({ type, options }: DraftField): boolean => options.nullable === true && type.kind === 'scalar';
  if (!document.fields.some(isNull)) return document;
  const fields = document.fields.map((field) => {
    if (!isNull(field)) return field;
    losses.add(`null as the field "${field.name}" of a form`, 'it is left out, or has a value', field.place);
    const { nullable: _, ...options } = field.options;
    return { ...field, options };
  });
  return { ...document, named: false, fields };
}

const isUrlencoded = (mediaType: string): boolean => carrierOf(mediaType) === 'urlencoded';

/** How a contract says that a field of a urlencoded form is written. */
export interface WrittenAs {
  readonly contentType?: string | undefined;
  readonly style?: string | undefined;
  readonly explode?: boolean | undefined;
}

/** How OpenAPI 3 says it, by the name of a field. */
export function encodingOf({ node }: Content): (field: string) => WrittenAs {
  const encoding = node?.get('encoding');
  return (field) => {
    const how = encoding?.get(field);
    const explode = how?.get('explode');
    return {
      contentType: how?.get('contentType')?.text,
      style: how?.get('style')?.text,
      explode: explode?.flag,
    };
  };
}

/** Styles of lists of values whose entries are one text. */
const JOINED: Readonly<Record<string, FormStyles[string] | undefined>> = {
  form: 'comma',
  spaceDelimited: 'space',
  pipeDelimited: 'pipe',
};

/** The styles of the fields of a urlencoded form that are no single values, where they are not the usual ones. */
export function formStylesOf(
  document: DraftDocument,
  writtenAs: (field: string) => WrittenAs,
  { losses }: SchemaContext,
): FormStyles {
  const styles: Record<string, FormStyles[string]> = {};
  for (const { name, type, place } of document.fields) {
    const single = type.kind === 'list' || type.kind === 'map' ? type.item : type;
    const isJson = single.kind === 'scalar' && single.word === 'json';
    if (type.kind === 'scalar' && !isJson) continue;
    const isValues = type.kind === 'list' && type.item.kind === 'scalar' && !isJson;
    const { contentType, style, explode } = writtenAs(name);
    if (style === 'deepObject' && !isJson) styles[name] = 'brackets';
    else if (isValues && contentType !== undefined && /json/i.test(contentType)) styles[name] = 'json';
    else if (isValues && (style === undefined ? explode === false : explode !== true || style !== 'form')) {
      const joined = explode === true ? undefined : JOINED[style ?? 'form'];
      if (joined === undefined)
        losses.add(`the style ${style} of the list "${name}" of a form`, 'a field for each entry', place);
      else if (style !== 'form' || explode === false) styles[name] = joined;
    } else if (!isValues && (style !== undefined || explode !== undefined))
      losses.add(
        `the style ${style ?? 'form'} of the field "${name}" of a form, which has members`,
        'it is JSON in one text',
        place,
      );
  }
  return styles;
}
