import { MASK } from '../binding/call-held.ts';
import type { RestConsumer } from '../model/consumer.ts';
import type { Document } from '../model/document.ts';

/** A text of a reply without what is secret in it. */
export type Mask = (text: string, secrets: Iterable<string>) => string;

/** Secrets by their names in OAuth 2.0 (RFC 6749 sections 2.3.1, 5.1 and 6) and OpenID Connect. */
const OAUTH = ['access_token', 'refresh_token', 'id_token', 'client_secret', 'assertion'];

/**
 * Compiles the masking of what a target says, for errors: values of the request that are secret, wherever they stand and
 * however they are encoded, and in JSON, XML and forms what bears the name of a sensitive field.
 */
export function compileMask({ input, responses, fault }: RestConsumer): Mask {
  const names = new Set(OAUTH);
  const seen = new Set<Document>();
  for (const document of [input, ...(fault === undefined ? [] : [fault])]) addNames(document, false, names, seen);
  for (const { message } of responses) if (message.kind === 'document') addNames(message.document, false, names, seen);
  const any = [...names].map(escaped).join('|');
  const json = new RegExp(
    `("(?:${any})"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|\\[[^\\]]*\\]?|\\{[^}]*\\}?|[^\\s,}\\]]+)`,
    'gs',
  );
  const xml = new RegExp(`(<(?:[\\w.-]+:)?(?:${any})(?:\\s[^>]*)?>)[^<]+`, 'g');
  const form = new RegExp(`((?:^|[&?;\\s])(?:${any})=)[^&;\\s]+`, 'g');
  return (text, secrets) => {
    let masked = text;
    for (const secret of [...spellings(secrets)].sort((a, b) => b.length - a.length))
      masked = masked.replaceAll(secret, MASK);
    return masked.replace(json, `$1"${MASK}"`).replace(xml, `$1${MASK}`).replace(form, `$1${MASK}`);
  };
}

function addNames({ fields }: Document, isInside: boolean, names: Set<string>, seen: Set<Document>): void {
  for (const { name, jsonName, xmlName, sensitive, type } of fields) {
    const isSecret = isInside || sensitive;
    if (isSecret) for (const each of [name, jsonName, xmlName]) names.add(each);
    const single = type.kind === 'list' ? type.item : type;
    if (single.kind !== 'document' || (seen.has(single.document) && !isSecret)) continue;
    // A sensitive document that holds itself has given its names by then.
    if (isSecret && single.document.fields.every((each) => names.has(each.name))) continue;
    seen.add(single.document);
    addNames(single.document, isSecret, names, seen);
  }
}

/** A secret as it stands in text, in a URL, in JSON and in XML. */
function spellings(secrets: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const secret of secrets) {
    if (secret === '') continue;
    const json = JSON.stringify(secret).slice(1, -1);
    const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    for (const each of [secret, encodeURIComponent(secret.toWellFormed()), json, xml]) found.add(each);
  }
  return found;
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
