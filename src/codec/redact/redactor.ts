import { isSecretName, MASK, type MoreSecrets, type Redactor } from '../../model/redactor.ts';
import { type Needle, needleOf, withoutNeedles } from './text.ts';

/**
 * How much of one value is searched, a secret in 128 characters being one: some tenths of a second. The texts beyond are masked
 * as a whole.
 */
const MOST = 1e7;

/** Secrets that were learned and are remembered; the oldest make room. */
const MOST_LEARNED = 1000;

/**
 * The redactor that all others are made from.
 * @param configured the secrets of the configuration that are resolved so far; read each time
 */
export function createRedactor(configured: () => Iterable<string> = () => []): Redactor {
  return new KnownSecrets(undefined, {}, configured);
}

/** A search of one value. */
interface Search {
  readonly needles: readonly Needle[];
  readonly wanted: ReadonlySet<string>;
  readonly hide: (text: string) => string;
  /** The values around the one at hand. */
  readonly above: Set<object>;
  left: number;
}

class KnownSecrets implements Redactor {
  readonly #parent: KnownSecrets | undefined;
  readonly #hide: ((text: string) => string) | undefined;
  readonly #configured: (() => Iterable<string>) | undefined;
  readonly #needles = new Map<string, Needle>();
  #unread: (() => Iterable<string>) | undefined;

  constructor(parent: KnownSecrets | undefined, { secrets, hide }: MoreSecrets, configured?: () => Iterable<string>) {
    this.#parent = parent;
    this.#unread = secrets;
    this.#hide = hide;
    this.#configured = configured;
  }

  text(text: string): string {
    return redactedText(text, this.#search());
  }

  value(value: unknown): unknown {
    try {
      return redactedIn(value, this.#search());
    } catch {
      // It is too deep, or its own code fails.
      return MASK;
    }
  }

  error(thrown: unknown): unknown {
    return this.#redactError(thrown, new Set());
  }

  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const search = this.#search();
    const entries = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      isSecretName(name) ? maskedHeader(name, value) : redactedText(value, search),
    ]);
    return Object.fromEntries(entries);
  }

  knowing(more: MoreSecrets): Redactor {
    return new KnownSecrets(this, more);
  }

  learn(secrets: Iterable<string>): void {
    this.#add(secrets);
    for (const [oldest] of this.#needles) {
      if (this.#needles.size <= MOST_LEARNED) break;
      this.#needles.delete(oldest);
    }
  }

  #add(secrets: Iterable<string>): void {
    for (const secret of secrets)
      if (secret !== '' && !this.#needles.has(secret)) this.#needles.set(secret, needleOf(secret));
  }

  #search(): Search {
    const needles: Needle[] = [];
    const hiding: ((text: string) => string)[] = [];
    for (let at: KnownSecrets | undefined = this; at !== undefined; at = at.#parent) {
      const unread = at.#unread;
      at.#unread = undefined;
      if (unread !== undefined) at.#add(unread());
      if (at.#configured !== undefined) at.#add(at.#configured());
      needles.push(...at.#needles.values());
      if (at.#hide !== undefined) hiding.push(at.#hide);
    }
    return {
      needles,
      wanted: new Set(needles.map(({ secret }) => secret)),
      hide: (text) => hiding.reduce((shown, hide) => hide(shown), withoutForms(text)),
      above: new Set(),
      left: MOST,
    };
  }

  #redactError(thrown: unknown, seen: Set<Error>): unknown {
    if (!(thrown instanceof Error)) return this.value(thrown);
    if (seen.has(thrown)) return thrown;
    seen.add(thrown);
    try {
      for (const name of new Set(['message', 'stack', 'cause', 'errors', ...Object.keys(thrown)])) {
        const given: unknown = Reflect.get(thrown, name);
        const isMany = name === 'errors' && Array.isArray(given);
        const shown = isMany ? given.map((each) => this.#redactError(each, seen)) : this.#redactError(given, seen);
        const isSame = isMany ? given.every((each, index) => each === (shown as unknown[])[index]) : shown === given;
        // One that can't be changed is shown by its name alone.
        if (!isSame && !Reflect.set(thrown, name, shown)) return new Error(`${thrown.name}: ${MASK}`);
      }
      return thrown;
    } catch {
      // Its own code fails.
      return new Error(MASK);
    }
  }
}

/** The scheme of credentials is not secret. */
function maskedHeader(name: string, value: string): string {
  const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^[A-Za-z]+ /.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}${MASK}`;
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
      const shown = redactedIn(written, search);
      return shown === written ? value : shown;
    }
    if (Array.isArray(value)) {
      const shown = value.map((each) => redactedIn(each, search));
      return shown.some((each, index) => each !== value[index]) ? shown : value;
    }
    const entries = Object.entries(value);
    const shown = entries.map(([name, each]): [string, unknown] => [
      redactedText(name, search),
      redactedIn(each, search),
    ]);
    const isSame = shown.every(([name, each], index) => name === entries[index]?.[0] && each === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(shown);
  } finally {
    above.delete(value);
  }
}

function redactedText(text: string, search: Search): string {
  const { needles, wanted, hide } = search;
  if (wanted.has(text)) return MASK;
  search.left -= needles.length * (1 + text.length / 128);
  return search.left < 0 ? MASK : hide(withoutNeedles(text, needles));
}

/**
 * Secrets by their form: the password of an address (RFC 3986 section 3.2.1), a private key (RFC 7468), a signed token (RFC 7519),
 * and credentials after their scheme (RFC 6750, RFC 7617), which hold a digit or a capital within and so are no words.
 */
const FORMS =
  /(:\/\/[^\s/?#@:"'<>]*:)[^\s/?#@"'<>]+(?=@)|(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:(?=-----END )|$)|(\b(?:Bearer|Basic) +)(?=[^\s"'<>,;]*[\dA-Z])[\w.~+/-]{16,}=*|\beyJ[\w-]{8,}\.eyJ[\w-]*\.[\w-]*/g;

function withoutForms(text: string): string {
  if (!MAY_HAVE_FORM.test(text)) return text;
  return text.replace(FORMS, (_, userinfo = '', begin = '', scheme = '') => `${userinfo}${begin}${scheme}${MASK}`);
}

const MAY_HAVE_FORM = /:\/\/|PRIVATE KEY-----|Bearer |Basic |eyJ/;
