import type { ConfigText } from '../model/config.ts';

/** Stands for what a reference resolves to. */
const REFERENCE = '\u0000';

/** Whether an address holds a password or token that is written out. */
export function credentialsIn({ parts }: ConfigText): boolean {
  const shown = parts.map((part) => (part.kind === 'literal' ? part.text : REFERENCE)).join('');
  if (inAddress(shown)) return true;
  return parts.some((part) => part.kind === 'env' && part.default !== undefined && inAddress(part.default));
}

function inAddress(text: string): boolean {
  const userinfo = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)@/.exec(text)?.[1];
  const password = userinfo === undefined ? undefined : /:(.*)$/s.exec(userinfo)?.[1];
  if (password !== undefined && isWritten(password)) return true;
  for (const found of text.matchAll(/[?&;](?:password|passwd|pwd|secret|token|api[_-]?key)=([^&;#]*)/gi)) {
    if (isWritten(found[1] as string)) return true;
  }
  return false;
}

function isWritten(text: string): boolean {
  return text.replaceAll(REFERENCE, '') !== '';
}

/** Why a text is no password hash that can be tried: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. Undefined where it is one. */
export function passwordHashFault(text: string): string | undefined {
  const found = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (found === null) return 'its parts are not those of the form';
  const [ln, r, p] = found.slice(1, 4).map(Number) as [number, number, number];
  if (ln < 1 || r < 1 || p < 1 || 128 * 2 ** ln * r > MOST_MEMORY) return 'its cost is out of bounds';
  if ((found[4] as string).length < 11) return 'its salt is shorter than 8 bytes';
  return (found[5] as string).length < 22 ? 'its hash is shorter than 16 bytes' : undefined;
}

/** No definition may ask for more than this: 128 * 2^ln * r bytes are taken for each try. */
const MOST_MEMORY = 256 * 1024 * 1024;
