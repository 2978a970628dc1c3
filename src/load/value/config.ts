import type { ConfigText } from '../../model/definition.ts';
import { readText } from '../read/files.ts';

/** A text refers to configuration that is not set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Unique names that are not set, in order. */
  readonly missing: readonly string[];

  constructor(missing: readonly string[], reasons: readonly string[]) {
    super(reasons.join('; '));
    this.missing = missing;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

const resolvedSecrets = new WeakMap<Environment, Set<string>>();

/** The secrets that were resolved from an environment so far: `${secret:X}`, and passwords inside addresses. */
export function secretsOf(env: Environment): ReadonlySet<string> {
  const known = resolvedSecrets.get(env) ?? new Set();
  resolvedSecrets.set(env, known);
  return known;
}

/**
 * Resolves the references of all texts together, so that one message names everything that is missing. An empty variable counts
 * as unset, as for `:-` in a shell. A secret that is not in the environment is read from the file in `<NAME>_FILE`, without its
 * final line end.
 * @throws ConfigError
 */
export function resolveAll(texts: readonly ConfigText[], env: Environment): string[] {
  const missing = new Map<string, string>();
  const resolved = texts.map(({ parts }) =>
    parts
      .map((part) => {
        if (part.kind === 'literal') return part.text;
        const value = env[part.name];
        if (part.kind === 'secret') return secretOf(part.name, env, missing);
        if (value !== undefined && value !== '') return value;
        if (part.default !== undefined) return part.default;
        missing.set(part.name, `${part.name} is not set`);
        return '';
      })
      .join(''),
  );
  for (const address of resolved) notePassword(address, env);
  if (missing.size > 0) throw new ConfigError([...missing.keys()], [...missing.values()]);
  return resolved;
}

function secretOf(name: string, env: Environment, missing: Map<string, string>): string {
  const value = env[name];
  const secret = value !== undefined && value !== '' ? value : secretFromFile(name, env, missing);
  if (secret !== '') (secretsOf(env) as Set<string>).add(secret);
  return secret;
}

/** The password inside an address, as it is written and decoded: a driver's errors may repeat either. */
function notePassword(address: string, env: Environment): void {
  const [, password = ''] = /^[^/?#]*:\/\/[^/?#@:]*:([^/?#@]+)@/.exec(address) ?? [];
  if (password === '') return;
  const known = secretsOf(env) as Set<string>;
  known.add(password);
  try {
    known.add(decodeURIComponent(password));
  } catch {
    // It is used as it is written.
  }
}

function secretFromFile(name: string, env: Environment, missing: Map<string, string>): string {
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') {
    missing.set(name, `${name} is not set, and neither is ${name}_FILE`);
    return '';
  }
  const content = readText(path);
  if (content.kind === 'unreadable') {
    missing.set(name, `${name}_FILE can't be read: ${content.reason}`);
    return '';
  }
  const secret = content.text.replace(/\r?\n$/, '');
  if (secret === '') missing.set(name, `the file that ${name}_FILE names is empty`);
  return secret;
}
