import type { ConfigText, Reference } from '../../model/definition.ts';
import { fileMark, readText } from '../read/files.ts';

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

/** Why references to one name can't be resolved; `undefined` when they can. */
export function missingIn(references: readonly Reference[], env: Environment): string | undefined {
  try {
    resolveAll(
      references.map((part) => ({ source: '', parts: [part] })),
      env,
    );
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function secretOf(name: string, env: Environment, missing: Map<string, string>): string {
  const value = env[name];
  const secret = value !== undefined && value !== '' ? value : secretFromFile(name, env, missing);
  if (secret !== '') (secretsOf(env) as Set<string>).add(secret);
  return secret;
}

/** The password inside an address, as it is written and decoded: a driver's errors may repeat either. */
function notePassword(address: string, env: Environment): void {
  const known = secretsOf(env) as Set<string>;
  const userinfo = /^[^/?#]*:\/\/([^/?#]*)@/.exec(address)?.[1] ?? '';
  const inQuery = [...address.matchAll(/[?&](?:ssl)?password=([^&#]+)/g)].map(([, value = '']) => value);
  for (const password of [/:(.+)$/s.exec(userinfo)?.[1] ?? '', ...inQuery]) {
    if (password === '') continue;
    known.add(password);
    try {
      known.add(decodeURIComponent(password));
    } catch {
      // It is used as it is written.
    }
  }
}

/** A file with a secret, as it was read last. */
interface SecretFile {
  readonly path: string;
  /** Changes whenever the file is written or replaced. */
  mark: string;
  text: string;
}

/** The files that were read for an environment, by the names of the secrets. */
interface SecretFiles {
  readonly byName: Map<string, SecretFile>;
  /** When they were last checked, as `performance.now()`. */
  checked: number;
  /** How often one of them was found changed. */
  changes: number;
}

/** Milliseconds between two checks of the files. */
const CHECK_EVERY = 1000;

const secretFiles = new WeakMap<Environment, SecretFiles>();

function filesOf(env: Environment): SecretFiles {
  const known = secretFiles.get(env) ?? { byName: new Map(), checked: performance.now(), changes: 0 };
  secretFiles.set(env, known);
  return known;
}

/**
 * A number that grows when files with secrets were changed: passwords are rotated while a gateway runs. What it resolved before
 * is then resolved again. A file that can't be read, or is empty, is taken as one that is being written: what was read before
 * stays in use.
 */
export function secretChanges(env: Environment): number {
  const files = filesOf(env);
  if (files.byName.size === 0 || performance.now() - files.checked < CHECK_EVERY) return files.changes;
  files.checked = performance.now();
  for (const file of files.byName.values()) {
    const mark = fileMark(file.path);
    if (mark === undefined || mark === file.mark) continue;
    const text = readSecret(file.path);
    if (typeof text !== 'string' || text === '') continue;
    file.mark = mark;
    if (text === file.text) continue;
    file.text = text;
    files.changes += 1;
  }
  return files.changes;
}

/** The content without its final line end, or why it can't be read. */
function readSecret(path: string): string | { readonly reason: string } {
  const content = readText(path);
  return content.kind === 'unreadable' ? content : content.text.replace(/\r?\n$/, '');
}

function secretFromFile(name: string, env: Environment, missing: Map<string, string>): string {
  secretChanges(env);
  const { byName } = filesOf(env);
  const known = byName.get(name);
  if (known !== undefined) return known.text;
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') {
    missing.set(name, `${name} is not set, and neither is ${name}_FILE`);
    return '';
  }
  const mark = fileMark(path) ?? '';
  const text = readSecret(path);
  if (typeof text !== 'string') {
    missing.set(name, `${name}_FILE can't be read: ${text.reason}`);
    return '';
  }
  if (text === '') missing.set(name, `the file that ${name}_FILE names is empty`);
  else byName.set(name, { path, mark, text });
  return text;
}
