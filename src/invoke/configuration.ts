import { ConfigError, type Environment, resolveAll, secretChanges } from '../load/value/config.ts';
import type { ConfigText, Reference, ResolveReference } from '../model/definition.ts';
import { MASK } from '../model/redactor.ts';
import { type Called, InvokeError } from './error.ts';

/** Resolves references to configuration, each once in the lifetime of a client, but for secrets in files that change. */
export class Configuration {
  readonly #env: Environment;
  readonly #placeholder: string | undefined;
  readonly #known = new Map<string, string>();
  readonly #secrets = new Set<Reference>();
  #changes = 0;
  /** Texts whose references are all known: a repeated call has nothing to resolve. */
  readonly #done = new WeakSet<ConfigText>();

  /** @param placeholder takes the place of every secret, and of variables that are not set */
  constructor(env: Environment, placeholder?: string) {
    this.#env = env;
    this.#placeholder = placeholder;
  }

  /**
   * Resolves the references of texts.
   * @throws InvokeError CONFIGURATION naming everything that is not set
   */
  resolve(texts: readonly ConfigText[], called: Called): ResolveReference {
    this.#renewSecrets();
    const open = texts.filter((text) => !this.#done.has(text));
    if (open.length > 0) this.#lookUp(open, called);
    return this.#valueOf;
  }

  #lookUp(texts: readonly ConfigText[], called: Called): void {
    const references = texts
      .flatMap(({ parts }) => parts)
      .filter((part) => part.kind !== 'literal')
      .filter((part) => !this.#known.has(keyOf(part)));
    const single = references.map((part) => ({ source: '', parts: [part] }));
    const resolved =
      this.#placeholder === undefined
        ? resolving(called, references, () => resolveAll(single, this.#env))
        : references.map((part) => placeheld(part, this.#env, this.#placeholder as string));
    for (const [index, part] of references.entries()) {
      this.#known.set(keyOf(part), resolved[index] as string);
      if (part.kind === 'secret' && this.#placeholder === undefined) this.#secrets.add(part);
    }
    for (const text of texts) this.#done.add(text);
  }

  #renewSecrets(): void {
    const changes = secretChanges(this.#env);
    if (changes === this.#changes) return;
    this.#changes = changes;
    for (const part of this.#secrets) {
      const [value] = resolveAll([{ source: '', parts: [part] }], this.#env);
      this.#known.set(keyOf(part), value as string);
    }
  }

  readonly #valueOf: ResolveReference = (part) => {
    const value = this.#known.get(keyOf(part));
    if (value === undefined) throw new TypeError(`${part.name} was not resolved`);
    return value;
  };
}

function placeheld(part: Reference, env: Environment, placeholder: string): string {
  return part.kind === 'secret' ? placeholder : env[part.name] || (part.default ?? placeholder);
}

function keyOf(part: Reference): string {
  return part.kind === 'env' ? `env ${part.name} ${part.default ?? ''}` : `secret ${part.name}`;
}

function resolving(called: Called, references: readonly Reference[], resolve: () => string[]): string[] {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { missing, message } = error;
    const hint = hintOf(missing, references);
    throw new InvokeError('CONFIGURATION', called, message, { missing, hint, cause: error });
  }
}

function hintOf(missing: readonly string[], references: readonly Reference[]): string {
  const isSecret = (name: string): boolean => references.some((part) => part.kind === 'secret' && part.name === name);
  const secret = missing.find(isSecret);
  const names = missing.join(' and ');
  const file = secret === undefined ? '' : `, or name the file that holds a secret: ${secret}_FILE=<path>`;
  return `Set ${names} in the environment${file}.`;
}

/** A text with its references resolved. */
export function resolveText({ parts }: ConfigText, resolve: ResolveReference): string {
  return parts.map((part) => (part.kind === 'literal' ? part.text : resolve(part))).join('');
}

/** A text for messages, with secrets masked. */
export function shownText({ parts }: ConfigText, resolve: ResolveReference): string {
  return parts
    .map((part) => {
      if (part.kind === 'literal') return part.text;
      return part.kind === 'secret' ? MASK : resolve(part);
    })
    .join('');
}
