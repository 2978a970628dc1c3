import type { ConfigPart, ConfigText } from '../../model/config.ts';

/** A reference that is not one, and where it starts in the text. */
export interface BadReference {
  readonly text: string;
  readonly offset: number;
  /** `${X}`: the name without its source. */
  readonly unprefixed?: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Parses the references of a text: `${env:X}`, `${env:X:-default}`, `${secret:X}`. */
export function parseConfigText(source: string): { readonly text: ConfigText; readonly bad: readonly BadReference[] } {
  const parts: ConfigPart[] = [];
  const bad: BadReference[] = [];
  let at = 0;
  while (at < source.length) {
    const start = source.indexOf('${', at);
    if (start !== at) parts.push({ kind: 'literal', text: source.slice(at, start < 0 ? undefined : start) });
    if (start < 0) break;
    const end = source.indexOf('}', start);
    const text = source.slice(start, end < 0 ? undefined : end + 1);
    const part = end < 0 ? undefined : parseReference(text.slice(2, -1));
    if (part !== undefined) parts.push(part);
    else {
      const inner = text.slice(2, -1);
      bad.push({ text, offset: start, ...(end >= 0 && NAME.test(inner) ? { unprefixed: inner } : {}) });
    }
    at = start + text.length;
  }
  return { text: { source, parts }, bad };
}

/** The texts of a map by their keys; bad references in them have been reported. */
export function parseConfigTexts(sources: Readonly<Record<string, string>>): ReadonlyMap<string, ConfigText> {
  return new Map(Object.entries(sources).map(([key, source]) => [key, parseConfigText(source).text]));
}

function parseReference(inner: string): ConfigPart | undefined {
  const colon = inner.indexOf(':');
  const kind = inner.slice(0, colon);
  const rest = inner.slice(colon + 1);
  if (kind === 'secret') return NAME.test(rest) ? { kind: 'secret', name: rest } : undefined;
  if (kind !== 'env') return undefined;
  const dash = rest.indexOf(':-');
  const name = dash < 0 ? rest : rest.slice(0, dash);
  if (!NAME.test(name)) return undefined;
  return dash < 0 ? { kind: 'env', name } : { kind: 'env', name, default: rest.slice(dash + 2) };
}

/** What of a text is written in the definitions themselves; `undefined` where it refers to something without a default. */
export function literalOf(text: ConfigText): string | undefined {
  let literal = '';
  for (const part of text.parts) {
    if (part.kind === 'literal') literal += part.text;
    else if (part.kind === 'env' && part.default !== undefined) literal += part.default;
    else return undefined;
  }
  return literal;
}
