import { MASK, type Redaction } from '../../model/mask.ts';
import { compileRedaction } from './redact.ts';

/**
 * How much of one value is searched, a secret in 128 characters being one: some tenths of a second. The texts beyond are masked
 * as a whole.
 */
const MOST = 1e7;

/**
 * Redacts values as they would stand in JSON: secrets in texts and names, and numbers that are one. What repeats none stays
 * the same value.
 * @param secrets read once, when there is something to redact
 */
export function redactionOf(secrets: () => Iterable<string>): Redaction {
  let known: Pick<Search, 'wanted' | 'ofText'> | undefined;
  return (said) => {
    try {
      known ??= searchFor(new Set(secrets()));
      return redactedIn(said, { ...known, above: new Set(), left: MOST });
    } catch {
      // It is too deep, or its own code fails.
      return MASK;
    }
  };
}

function searchFor(wanted: Set<string>): Pick<Search, 'wanted' | 'ofText'> {
  wanted.delete('');
  return { wanted, ofText: compileRedaction(wanted) };
}

interface Search {
  readonly wanted: ReadonlySet<string>;
  readonly ofText: (text: string) => string;
  /** What is being looked through. */
  readonly above: Set<object>;
  left: number;
}

function redactedIn(value: unknown, search: Search): unknown {
  const { wanted, above } = search;
  if (typeof value === 'string') return redactedText(value, search);
  if (typeof value === 'number' || typeof value === 'bigint') return wanted.has(String(value)) ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[Circular]';
  above.add(value);
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const written: unknown = value.toJSON();
      const told = redactedIn(written, search);
      return told === written ? value : told;
    }
    if (Array.isArray(value)) {
      const told = value.map((each) => redactedIn(each, search));
      return told.some((each, index) => each !== value[index]) ? told : value;
    }
    const entries = Object.entries(value);
    const told = entries.map(([name, each]): [string, unknown] => [
      redactedText(name, search),
      redactedIn(each, search),
    ]);
    const isSame = told.every(([name, each], index) => name === entries[index]?.[0] && each === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(told);
  } finally {
    above.delete(value);
  }
}

function redactedText(text: string, search: Search): string {
  const { wanted, ofText } = search;
  if (wanted.has(text)) return MASK;
  search.left -= wanted.size * (1 + text.length / 128);
  return search.left < 0 ? MASK : ofText(text);
}

/**
 * Takes secrets out of what an error says, and its causes: it stays the same error.
 * @returns it; without them what was thrown that is no error
 */
export function redactError(thrown: unknown, redact: Redaction, seen: Set<Error> = new Set()): unknown {
  if (!(thrown instanceof Error)) return redact(thrown);
  if (seen.has(thrown)) return thrown;
  seen.add(thrown);
  try {
    for (const name of new Set(['message', 'stack', 'cause', 'errors', ...Object.keys(thrown)])) {
      const said: unknown = Reflect.get(thrown, name);
      const isMany = name === 'errors' && Array.isArray(said);
      const told = isMany ? said.map((each) => redactError(each, redact, seen)) : redactError(said, redact, seen);
      const isSame = isMany ? said.every((each, index) => each === (told as unknown[])[index]) : told === said;
      // One that can't be changed is told by its name alone.
      if (!isSame && !Reflect.set(thrown, name, told)) return new Error(`${thrown.name}: ${MASK}`);
    }
    return thrown;
  } catch {
    // Its own code fails.
    return new Error(MASK);
  }
}
