import { readXml } from '../../../../../src/wire/xml/read-xml.ts';
import type { Json, JsonInstances, JsonSchema } from '../../json-instances.ts';
import { Unmakeable } from '../../simple-text.ts';
import type { ForeignContent } from './contract.ts';
import { inQuery, isObject, textOf } from './styles.ts';
import { readBody, writeBody } from './xml.ts';

export interface WrittenBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export type Family = 'json' | 'xml' | 'urlencoded' | 'multipart' | 'text' | 'binary';

export function familyOf(mediaType: string): Family {
  const essence = mediaType.replace(/;.*/s, '').trim().toLowerCase();
  if (/^(?:application|text)\/json$|\+json$|^\*\/\*$|^application\/\*$/.test(essence)) return 'json';
  if (/^(?:application|text)\/xml$|\+xml$/.test(essence)) return 'xml';
  if (essence === 'application/x-www-form-urlencoded') return 'urlencoded';
  if (essence.startsWith('multipart/')) return 'multipart';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Writes a body as a client or a server of the description would. @throws Unmakeable */
export function writtenBody(content: ForeignContent, value: Json, maker: JsonInstances): WrittenBody {
  const { mediaType, schema } = content;
  const family = familyOf(mediaType);
  const contentType = mediaType.includes('*') ? USUAL[family] : mediaType;
  const of = (text: string): WrittenBody => ({ contentType, bytes: Buffer.from(text) });
  switch (family) {
    case 'json':
      return of(JSON.stringify(value));
    case 'xml':
      return of(schema === undefined ? '<any/>' : writeBody(schema, value, maker));
    case 'urlencoded':
      return of(urlencoded(content, value));
    case 'multipart':
      return multipart(contentType, content, value, maker);
    default:
      if (isObject(value) || Array.isArray(value)) throw new Unmakeable(`an object in ${mediaType}`);
      return of(textOf(value));
  }
}

const USUAL: Readonly<Record<Family, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  urlencoded: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

function urlencoded({ encoding }: ForeignContent, value: Json): string {
  if (!isObject(value)) throw new Unmakeable('a form that is not an object');
  const pairs = Object.entries(value).flatMap(([name, each]) => {
    const how = encoding[name] ?? {};
    const style = String(how.style ?? 'form');
    const isComplex = isObject(each) && how.style === undefined;
    if (isComplex || (Array.isArray(each) && each.some((entry) => typeof entry === 'object')))
      return inQuery(
        { name, style: 'form', explode: false, allowReserved: false, mediaType: 'application/json' },
        each,
      );
    return inQuery({ name, style, explode: how.explode !== false, allowReserved: false }, each);
  });
  return pairs.join('&').replaceAll('%20', '+');
}

/** The parts of a form, one for each entry of a list. */
function multipart(
  mediaType: string,
  { schema, encoding }: ForeignContent,
  value: Json,
  maker: JsonInstances,
): WrittenBody {
  if (!isObject(value)) throw new Unmakeable('a form that is not an object');
  if (!mediaType.startsWith('multipart/form-data')) throw new Unmakeable(`a body in ${mediaType}`);
  const boundary = 'foreign-client-boundary';
  const { properties = {} } = maker.resolve(schema) as { properties?: JsonSchema };
  const parts = Object.entries(value).flatMap(([name, each]) => {
    const property = maker.resolve((properties as Record<string, unknown>)[name]);
    const declared = encoding[name]?.contentType;
    return (Array.isArray(each) ? each : [each]).map((entry) => {
      const single = Array.isArray(each) ? maker.resolve(property.items) : property;
      const isFile = single.format === 'binary';
      const isComplex = typeof entry === 'object';
      const type = String(
        declared ?? (isFile ? 'application/octet-stream' : isComplex ? 'application/json' : ''),
      ).split(',')[0];
      const file = isFile ? `; filename="${name.replace(/\W/g, '_')}.bin"` : '';
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n`;
      const line = type === '' ? '' : `Content-Type: ${type?.replace('*', 'png')}\r\n`;
      return `${head}${line}\r\n${isComplex ? JSON.stringify(entry) : textOf(entry)}\r\n`;
    });
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
  };
}

/** The value of a body by the description; what is wrong with it as a text. */
export function bodyValue(
  { schema }: ForeignContent,
  contentType: string,
  bytes: Buffer,
  maker: JsonInstances,
): { readonly value: Json } | { readonly wrong: string } {
  const text = bytes.toString();
  switch (familyOf(contentType)) {
    case 'json':
      try {
        return { value: JSON.parse(text) as Json };
      } catch {
        return { wrong: 'is not JSON' };
      }
    case 'xml':
      return schema === undefined ? { value: null } : readBody(schema, readXml(text), maker);
    default:
      return { value: text };
  }
}

/** A form as pairs of names and texts, sorted: what two forms with the same content have in common. */
export async function pairsOf(contentType: string, bytes: Buffer): Promise<string[]> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  const pairs: string[] = [];
  for (const [name, value] of form) pairs.push(`${name}=${typeof value === 'string' ? value : await value.text()}`);
  return pairs.sort();
}
