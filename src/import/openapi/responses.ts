import { parseMediaType } from '../../wire/media-type.ts';
import type { DraftDocument, DraftMessage, DraftOperation } from '../draft.ts';
import { type Content, carrierOf, concreteType, contentsOf, jsonFirst, messageOf } from './content.ts';
import type { Found } from './request.ts';
import type { SchemaReader } from './schema.ts';
import { tellOnce } from './shape.ts';
import type { Node } from './tree.ts';

/** A response by its status: `200`, `2XX` or `default`. */
interface Response {
  readonly status: string;
  readonly node: Node;
  readonly place: Node;
}

type Replies = Pick<DraftOperation, 'responses' | 'status' | 'faults' | 'faultTypes'>;

/** Reads what an operation answers. */
export function readResponses(found: Found, reader: SchemaReader): Replies {
  const { references, losses } = reader.context;
  const all = (found.node.get('responses')?.entries() ?? [])
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, place]): Response => ({ status, place, node: references.follow(place, 'responses') }));
  for (const response of all) tellParts(response, reader);
  const successful = all.filter(({ status }) => /^2(?:\d\d|XX)$/i.test(status)).toSorted((a, b) => order(a) - order(b));
  const general = all.find(({ status }) => status === 'default');
  const [chosen = general, ...others] = successful;
  for (const each of others)
    losses.add(`the successful response ${each.status}`, `replies are those of ${chosen?.status}`, each.place.place);
  for (const each of all)
    if (/^[13]/.test(each.status)) losses.add(`the response ${each.status}`, 'left out', each.place.place);
  const failed = all.filter((each) => /^[45]/.test(each.status) || (each === general && each !== chosen));
  const status = Number(chosen?.status);
  return {
    responses: chosen === undefined ? [{ message: { kind: 'none' } }] : repliesOf(found, chosen, reader),
    ...(status >= 200 && status < 300 ? { status } : {}),
    faults: faultsOf(found, failed, reader),
    faultTypes: faultTypesOf(found, failed, reader),
  };
}

/** The most usual first: 200, then by number, and the whole range at last. */
const order = ({ status }: Response): number => (/x/i.test(status) ? 300 : Number(status));

function tellParts({ node }: Response, { context }: SchemaReader): void {
  const { losses } = context;
  for (const [name, header] of node.get('headers')?.entries() ?? [])
    tellOnce(context, `the header "${name}" of replies`, 'not read', header);
  for (const [name, link] of node.get('links')?.entries() ?? [])
    losses.add(`the link "${name}"`, 'left out', link.place);
}

function contentOf({ produces }: Found, { node, place }: Response, reader: SchemaReader): Content[] {
  if (reader.context.version !== '2.0') return contentsOf(node, reader);
  const schema = node.get('schema');
  if (schema === undefined) return [];
  const types = produces.length === 0 ? ['application/json'] : produces;
  return types.map((mediaType) => ({ mediaType, place, schema }));
}

function repliesOf(found: Found, response: Response, reader: SchemaReader): Replies['responses'] {
  const { losses } = reader.context;
  const replies = new Map<string, DraftMessage>();
  for (const content of jsonFirst(contentOf(found, response, reader))) {
    if (carrierOf(content.mediaType) === undefined) {
      losses.add(`the media type "${content.mediaType}"`, 'left out', content.place.place);
      continue;
    }
    const message = messageOf(content, reader, `${found.name}_response`);
    const mediaType = withoutCharset(concreteType(content.mediaType, message));
    const same = [...replies].find(([other]) => isSameType(other, mediaType));
    if (same !== undefined && !isSame(same[1], message)) {
      losses.add(`the reply as ${mediaType}, which differs from that as ${same[0]}`, 'left out', content.place.place);
      continue;
    }
    if (!replies.has(mediaType)) replies.set(mediaType, message);
  }
  if (replies.size === 0) return [{ message: { kind: 'none' } }];
  return [...replies].map(([mediaType, message]) => ({ mediaType, message }));
}

/** Whether two media types are one, with their parameters, in whatever order and case these are written. */
function isSameType(one: string, other: string): boolean {
  const [a, b] = [parseMediaType(one), parseMediaType(other)];
  if (a === undefined || b === undefined || a.parameters.size !== b.parameters.size) return one === other;
  const isShared = ([name, value]: [string, string]): boolean =>
    b.parameters.get(name)?.toLowerCase() === value.toLowerCase();
  return a.essence === b.essence && [...a.parameters].every(isShared);
}

/** Whether two media types have one message. */
function isSame(one: DraftMessage, other: DraftMessage): boolean {
  if (one.kind === 'document' && other.kind === 'document') return one.document === other.document;
  return (
    JSON.stringify(one.kind === 'type' ? one.type : one) === JSON.stringify(other.kind === 'type' ? other.type : other)
  );
}

/** A media type without its charset: replies state their own, and texts are UTF-8 unless they do. */
function withoutCharset(mediaType: string): string {
  return mediaType.replace(/\s*;\s*charset\s*=\s*(?:"[^"]*"|[^\s;]*)/i, '');
}

/** The media types of error replies: each once, in the order of the contract. */
function faultTypesOf(found: Found, responses: readonly Response[], reader: SchemaReader): readonly string[] {
  const contents = responses.flatMap((response) => contentOf(found, response, reader));
  const types = contents.filter(({ mediaType }) => carrierOf(mediaType) !== undefined);
  return [...new Set(types.map(({ mediaType }) => withoutCharset(concreteType(mediaType))))];
}

/** The documents of error replies: each once, by the first status that has it. */
function faultsOf(found: Found, responses: readonly Response[], reader: SchemaReader): Replies['faults'] {
  const { losses } = reader.context;
  const names = new Map<DraftDocument, string>();
  for (const response of responses) {
    const contents = contentOf(found, response, reader);
    const messages = contents.map((content) => messageOf(content, reader, `${found.name}_${response.status}`));
    const message = messages.find(({ kind }) => kind === 'document');
    if (message?.kind === 'document') {
      if (!names.has(message.document)) names.set(message.document, response.status);
    } else if (contents.length > 0)
      losses.add(
        `the body of the response ${response.status}, which is not an object`,
        'not read',
        response.place.place,
      );
  }
  return [...names].map(([document, name]) => ({ name, document }));
}
