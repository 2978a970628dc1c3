import { isJsonType, isXmlType } from '../../../wire/media-type.ts';
import { readXml } from '../../../wire/xml/read-xml.ts';
import { type Html, html, type Part } from '../../html.ts';

/** The language of a text. */
export type Language = 'json' | 'xml' | 'text';

export function languageOf(contentType: string): Language {
  const essence = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (isJsonType(essence)) return 'json';
  return isXmlType(essence) ? 'xml' : 'text';
}

/** Whether content of this type is text for people. */
export const isText = (contentType: string): boolean =>
  languageOf(contentType) !== 'text' ||
  /^(?:text\/|multipart\/|application\/(?:x-www-form-urlencoded|javascript))/i.test(contentType);

/** A token of a text: its kind, which determines its colour, and its text. */
type Token = readonly [kind: string, text: string];

const JSON_TOKENS = /("(?:[^"\\]|\\[\s\S])*")(?=(\s*:)?)|-?\d[\d.eE+-]*|true|false|null|\s+|[\s\S]/g;

function* jsonTokens(text: string): Generator<Token> {
  for (const [token, string, isName] of text.matchAll(JSON_TOKENS)) {
    if (string !== undefined) yield [isName === undefined ? 'string' : 'name', token];
    else if (/^[-\dtfn]/.test(token)) yield ['value', token];
    else yield ['', token];
  }
}

const XML_TOKENS = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|[^<]+|</g;

function* xmlTokens(text: string): Generator<Token> {
  for (const [token] of text.matchAll(XML_TOKENS))
    if (token.startsWith('<!--')) yield ['note', token];
    else if (token.startsWith('<![')) yield ['string', token];
    else if (token.startsWith('<')) yield ['name', token];
    else yield ['', token];
}

const TOKENS = { json: jsonTokens, xml: xmlTokens } as const;

/** Only well-formed texts are split into tokens: in others, the end of a token could be searched for again and again. */
function isWellFormed(text: string, language: Exclude<Language, 'text'>): boolean {
  try {
    if (language === 'json') JSON.parse(text);
    else readXml(text);
    return true;
  } catch {
    return false;
  }
}

/** Maximum number of coloured characters; a longer text has no colours. */
const MOST_COLOURED = 64 * 1024;

/** A text with names, strings and values in colours. Each token is escaped text, whatever it contains. */
export function coloured(text: string, language: Language): Part {
  if (language === 'text' || text.length > MOST_COLOURED || !isWellFormed(text, language)) return text;
  return [...TOKENS[language](text)].map(
    ([kind, token]): Part => (kind === '' ? token : html`<span class="token-${kind}">${token}</span>`),
  );
}

/**
 * The text with one line for each member or element; `undefined` if it is not well-formed, or if its language has no such form.
 */
export function pretty(text: string, language: Language): string | undefined {
  if (language === 'text' || !isWellFormed(text, language)) return undefined;
  return language === 'json' ? prettyJson(text) : prettyXml(text);
}

/** Tokens are kept unchanged, so that numbers keep their digits. */
function prettyJson(text: string): string {
  let depth = 0;
  let written = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  const tokens = [...jsonTokens(text)].map(([, token]) => token).filter((token) => token.trim() !== '');
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === '{' || token === '[') {
      if (next === '}' || next === ']') written += token;
      else {
        depth++;
        written += token + line();
      }
    } else if (token === '}' || token === ']') {
      const before = tokens[index - 1];
      if (before !== '{' && before !== '[') {
        depth--;
        written += line();
      }
      written += token;
    } else if (token === ',') written += token + line();
    else written += token === ':' ? ': ' : token;
  }
  return written;
}

/** An element with text only stays on one line. */
function prettyXml(text: string): string {
  const tokens = [...xmlTokens(text)].map(([, token]) => token).filter((token) => token.trim() !== '');
  const lines: string[] = [];
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string;
    const [content, end] = [tokens[index + 1], tokens[index + 2]];
    if (token.startsWith('</')) depth = Math.max(0, depth - 1);
    const indent = '  '.repeat(depth);
    if (!isStart(token)) lines.push(indent + token.trim());
    else if (content?.startsWith('</') === true) {
      lines.push(indent + token + content);
      index++;
    } else if (content !== undefined && !content.startsWith('<') && end?.startsWith('</') === true) {
      lines.push(indent + token + content + end);
      index += 2;
    } else {
      lines.push(indent + token);
      depth++;
    }
  }
  return lines.join('\n');
}

const isStart = (token: string): boolean => /^<[^!?/]/.test(token) && !token.endsWith('/>');

/** A text in a monospaced font, under a heading, with a button that copies it. */
export function textBlock(id: string, title: string, content: Part): Html {
  return html`<div class="block"><div class="bar"><h3>${title}</h3><button type="button" class="plain small" data-copy="${id}" aria-label="Copy: ${title}">Copy</button></div><pre class="code" id="${id}" tabindex="0" role="region" aria-label="${title}">${content}</pre></div>`;
}
