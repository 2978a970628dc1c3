import type { Json } from '../../json-instances.ts';
import { Unmakeable } from '../../simple-text.ts';
import type { ForeignParameter } from './contract.ts';

/** Writes values into a request as the tables of OpenAPI ("Style Values") have them, apart from what the gateway does. */

type Encode = (text: string) => string;

const strictly: Encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reserved characters stay, except for those that would end the value. */
const reserving: Encode = (text) =>
  strictly(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);

/** The value as it is in a path, with what stands before it. */
export function inPath({ name, style, explode, mediaType, allowReserved }: ForeignParameter, value: Json): string {
  const encode = allowReserved ? reserving : strictly;
  const texts = textsOf(mediaType === undefined ? value : JSON.stringify(value));
  const pairs = pairsOf(value, explode);
  const [first, mark] = PATH_MARKS[style] ?? ['', ','];
  if (texts.length === 0) throw new Unmakeable('an empty value in a path');
  let text: string;
  if (style === 'matrix') {
    const one = (key: string, each: string): string => `;${encode(key)}=${encode(each)}`;
    if (pairs !== undefined) text = pairs.map(([key, each]) => one(key, each)).join('');
    else if (explode) text = texts.map((each) => one(name, each)).join('');
    else text = `;${encode(name)}=${texts.map(encode).join(',')}`;
  } else {
    const parts = pairs?.map(([key, each]) => `${encode(key)}=${encode(each)}`) ?? texts.map(encode);
    text = first + parts.join(explode ? mark : ',');
  }
  if (text === '' || /^\.{1,2}$/.test(text)) throw new Unmakeable('a value that a path can not have');
  return text;
}

/** What is before the value in a path, and between its entries. */
const PATH_MARKS: Readonly<Record<string, readonly [string, string] | undefined>> = { label: ['.', '.'] };

/** The pairs of a query that a value is, each encoded. */
export function inQuery(
  { name, style, explode, mediaType, allowReserved }: Omit<ForeignParameter, 'in' | 'required' | 'schema'>,
  value: Json,
): string[] {
  const encode = allowReserved ? reserving : strictly;
  const pair = (key: string, text: string): string => `${strictly(key)}=${text}`;
  if (mediaType !== undefined) return [pair(name, encode(JSON.stringify(value)))];
  if (style === 'deepObject') {
    if (!isObject(value)) throw new Unmakeable('deepObject of another value');
    return Object.entries(value).flatMap(([key, each]) => {
      if (isObject(each)) throw new Unmakeable('an object in an object of a query');
      return textsOf(each).map((text) => `${strictly(name)}[${strictly(key)}]=${encode(text)}`);
    });
  }
  const pairs = pairsOf(value, explode);
  if (style === 'form' && pairs !== undefined) return pairs.map(([key, each]) => pair(key, encode(each)));
  const texts = textsOf(value).map(encode);
  if (style === 'form' && explode && Array.isArray(value)) return texts.map((text) => pair(name, text));
  if (texts.length === 0) return [];
  return [pair(name, texts.join(QUERY_MARKS[style] ?? ','))];
}

const QUERY_MARKS: Readonly<Record<string, string | undefined>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  tabDelimited: '%09',
};

/** The text of a header or a cookie. */
export function inHeader({ explode, mediaType }: ForeignParameter, value: Json): string {
  const text =
    mediaType === undefined
      ? (pairsOf(value, explode)?.map((pair) => pair.join('=')) ?? textsOf(value)).join(',')
      : JSON.stringify(value);
  if (!/^[\x20-\x7E]*$/.test(text) || text.trim() !== text || text === '')
    throw new Unmakeable('a value that a header can not have');
  return text;
}

/** A value as a text that its caller writes, for a field that is one. */
export function joined({ style, explode, mediaType }: ForeignParameter, value: Json): string {
  if (mediaType !== undefined) return JSON.stringify(value);
  const parts = pairsOf(value, explode)?.map((pair) => pair.join('=')) ?? textsOf(value);
  const mark = explode ? PATH_MARKS[style]?.[1] : undefined;
  return parts.join(mark ?? JOINED[style] ?? ',');
}

const JOINED: Readonly<Record<string, string | undefined>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
};

export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object whose names are before their values. */
function pairsOf(value: Json, explode: boolean): readonly (readonly [string, string])[] | undefined {
  if (!isObject(value) || !explode) return undefined;
  return Object.entries(value).map(([key, each]) => [key, textOf(each)] as const);
}

/** The texts that a value consists of: entries, or names and values in turn. */
function textsOf(value: Json): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  if (isObject(value)) return Object.entries(value).flatMap(([key, each]) => [key, textOf(each)]);
  return [textOf(value)];
}

export function textOf(value: Json): string {
  if (value === null) throw new Unmakeable('null in a text');
  if (typeof value === 'object') throw new Unmakeable('an object in a text');
  return String(value);
}
