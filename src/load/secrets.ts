import type { ConfigText } from '../model/config.ts';

/** Stands for what a reference without a default resolves to. */
const REFERENCE = '\u0000';

/** Whether an address holds a password or token that is written out, defaults of references included. */
export function credentialsIn({ parts }: ConfigText): boolean {
  const text = parts
    .map((part) =>
      part.kind === 'literal' ? part.text : part.kind === 'env' ? (part.default ?? REFERENCE) : REFERENCE,
    )
    .join('');
  // The scheme may be a reference too.
  const userinfo = /^[^/?#]*:\/\/([^/?#]*)@/.exec(text)?.[1];
  const password = userinfo === undefined ? undefined : /:(.*)$/s.exec(userinfo)?.[1];
  if (password !== undefined && isWritten(password)) return true;
  for (const found of text.matchAll(/[?&;](?:password|passwd|pwd|secret|token|api[_-]?key)=([^&;#]*)/gi)) {
    if (isWritten(found[1] as string)) return true;
  }
  return false;
}

/** Whether a text that is a secret as a whole is written out, or has a part or default that is. */
export function isWrittenOut({ parts }: ConfigText): boolean {
  const written = parts.map((part) => (part.kind === 'literal' ? part.text : part.kind === 'env' ? part.default : ''));
  return written.some((text) => text !== undefined && text !== '');
}

function isWritten(text: string): boolean {
  return text.replaceAll(REFERENCE, '') !== '';
}
