import type { IncomingHttpHeaders } from 'node:http';
import { readXml } from '../../../../../src/wire/xml/read-xml.ts';
import { differenceOf } from '../../compare.ts';
import type { Json } from '../../json-instances.ts';
import { differenceIn } from '../../judge-json.ts';
import type { Chosen, Foreign, Judged, WrittenRequest } from '../rest.ts';
import { familyOf, pairsOf, type WrittenBody, writtenBody } from './body.ts';
import type { ForeignOperation } from './contract.ts';

/** A request that a partner's server got. */
export interface ArrivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A request in the media type that is sent, if the description has it: callers choose one. */
export function asSent(
  { body }: ForeignOperation,
  chosen: Chosen,
  wanted: WrittenRequest,
  type: string,
  maker: Foreign['maker'],
) {
  if (chosen.body === undefined || wanted.body === undefined || familyOf(type) === familyOf(wanted.body.contentType))
    return { chosen, wanted };
  const content = body?.contents.find(({ mediaType }) => familyOf(mediaType) === familyOf(type));
  if (content === undefined) return { chosen, wanted };
  return {
    chosen: { ...chosen, body: { ...chosen.body, content } },
    wanted: { ...wanted, body: writtenBody(content, chosen.body.value, maker) },
  };
}

export async function differenceOfRequests(
  wanted: WrittenRequest,
  { target, headers, bytes }: ArrivedRequest,
  { body }: Chosen,
): Promise<Judged | undefined> {
  const other = (reason: string): Judged => ({ finding: 'sent other content', reason });
  const [path = '', query = ''] = wanted.target.split(/\?(.*)/s);
  const [ourPath = '', ourQuery = ''] = target.split(/\?(.*)/s);
  if (canonical(path) !== canonical(ourPath)) return other(`the path ${ourPath} is to be ${path}`);
  const [theirs, ours] = [query, ourQuery].map((text) =>
    text
      .split('&')
      .filter((each) => each !== '')
      .map(canonicalPair)
      .sort(),
  );
  const gone = theirs?.find((each) => !ours?.includes(each));
  if (gone !== undefined) return other(`the query lacks ${gone}: ${ourQuery}`);
  const added = ours?.find((each) => !theirs?.includes(each));
  if (added !== undefined) return other(`the query has ${added}: ${query}`);
  for (const [name, value] of Object.entries(wanted.headers)) {
    const sent = headers[name.toLowerCase()];
    if (String(sent).replace(/\s*,\s*/g, ',') !== value.replace(/\s*,\s*/g, ','))
      return { finding: 'sent other headers', reason: `${name}: ${sent}, not ${value}` };
  }
  if (body === undefined) {
    const isEmpty = bytes.toString() === '{}' || /^--(.*)--\r\n$/.test(bytes.toString());
    if (bytes.length > 0 && !isEmpty) return other('a body is sent');
    return undefined;
  }
  if (wanted.body === undefined) return undefined;
  return differenceOfBodies(wanted.body, bytes, headers['content-type'] ?? '', body);
}

async function differenceOfBodies(
  wanted: WrittenBody,
  bytes: Buffer,
  type: string,
  { content, value, hasDefault }: NonNullable<Chosen['body']>,
): Promise<Judged | undefined> {
  const other = (reason: string): Judged => ({
    finding: 'sent other content',
    reason: `in ${content.mediaType}: ${reason}`,
  });
  const family = familyOf(type);
  if (family !== familyOf(wanted.contentType)) return other(`the body is in ${type}`);
  switch (family) {
    case 'json': {
      const sent = JSON.parse(bytes.toString()) as Json;
      const difference = differenceIn(value, sent, '');
      return difference === '' || (hasDefault && difference.endsWith('was added')) ? undefined : other(difference);
    }
    case 'xml': {
      const difference = differenceOf(readXml(wanted.bytes.toString()), readXml(bytes.toString()));
      return difference === undefined ? undefined : other(difference);
    }
    case 'urlencoded':
    case 'multipart': {
      const [theirs, ours] = [await pairsOf(wanted.contentType, wanted.bytes), await pairsOf(type, bytes)];
      return theirs.join('\n') === ours.join('\n')
        ? undefined
        : other(`${ours.join(' & ')} is to be ${theirs.join(' & ')}`);
    }
    default:
      return bytes.equals(wanted.bytes) ? undefined : other(`the text is ${bytes.toString().slice(0, 100)}`);
  }
}

function canonical(text: string): string {
  return text
    .split('/')
    .map((each) => encodeURIComponent(decoded(each)))
    .join('/');
}

/** A pair of a query without differences of what is percent-encoded; a list of several texts stays one. */
function canonicalPair(pair: string): string {
  return decoded(pair.replaceAll('+', ' '));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
