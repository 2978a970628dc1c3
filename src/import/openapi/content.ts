import { isJsonType, isXmlType, parseMediaType } from '../../wire/media-type.ts';
import type { DraftDocument, DraftMessage } from '../draft.ts';
import type { SchemaReader } from './schema.ts';
import { shapeOf } from './shape.ts';
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
  if (type === '*' || type === 'application') return 'application/json';
  if (type === 'text') return 'text/plain';
  return subtype === '*' ? 'application/octet-stream' : mediaType.trim();
}

/** What a content is, as a message. @param name for a document without a name of its own */
export function messageOf(content: Content, reader: SchemaReader, name: string): DraftMessage {
  const carrier = carrierOf(content.mediaType);
  const { schema } = content;
  if (carrier === 'text' || carrier === 'urlencoded') return { kind: 'raw', raw: 'text' };
  if (carrier === 'json')
    return schema === undefined ? { kind: 'raw', raw: 'json' } : jsonMessage(schema, reader, name);
  if (carrier !== 'xml') return { kind: 'raw', raw: 'binary' };
  if (schema === undefined) return { kind: 'raw', raw: 'xml' };
  const { type } = reader.read([schema], name);
  if (type.kind === 'document') return { kind: 'document', document: type.document };
  // A text of JSON Schema is all that can be said of markup.
  const isText = type.kind === 'scalar' && type.word === 'string';
  if (isText) return { kind: 'raw', raw: 'xml' };
  reader.context.losses.add(`the schema of a body in ${content.mediaType}`, 'any XML is accepted', schema.place);
  return { kind: 'raw', raw: 'xml' };
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
  if (Object.keys(facets).length > 0)
    losses.add(`the limits of a body (${Object.keys(facets).join(', ')})`, 'not checked', schema.place);
  return { kind: 'type', type };
}

/** The document of a form; `undefined` when its fields are not known. */
export function formDocument(
  { schema, node, mediaType }: Content,
  reader: SchemaReader,
  name: string,
): DraftDocument | undefined {
  const { losses } = reader.context;
  for (const [part, encoding] of node?.get('encoding')?.entries() ?? [])
    for (const [key, each] of encoding.entries())
      if (key !== 'contentType') losses.add(`"${key}" of the part "${part}"`, 'encoded as usual', each.place);
  if (schema === undefined) return undefined;
  const shape = shapeOf([schema], reader.context);
  const document = documentOf(schema, reader, name);
  if (document === undefined || document.choice === true) {
    losses.add(`the fields of ${mediaType}`, 'the body is passed as it is', shape.node.place);
    return undefined;
  }
  return document;
}
