import { inspect } from 'node:util';

/** The forms that a secret can have in a text: unchanged, percent-encoded, in JSON, in Base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = encodeURIComponent(secret);
  const strictly = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = JSON.stringify(secret).slice(1, -1);
  const form = encoded.replaceAll('%20', '+');
  const octets = bytes.toString('latin1');
  const all = [secret, encoded, strictly, form, json, encodeURI(secret), octets, bytes.toString('base64')];
  return [...new Set([...all, bytes.toString('base64url'), bytes.toString('hex')])];
}

/** Everything that can be read from a value, including hidden properties, stacks, and causes of errors. */
export function everythingOf(value: unknown): string {
  const shown = inspect(value, {
    depth: Infinity,
    showHidden: true,
    maxStringLength: Infinity,
    maxArrayLength: Infinity,
  });
  return `${shown}\n${stacksOf(value).join('\n')}`;
}

function stacksOf(value: unknown): string[] {
  if (!(value instanceof Error)) return [];
  return [`${value.message}\n${value.stack ?? ''}`, ...stacksOf(value.cause)];
}

/** The forms of secrets that occur in a text. */
export function leaked(text: string, secrets: readonly string[]): string[] {
  return secrets.flatMap(formsOf).filter((form) => text.includes(form));
}
