import type { FileText } from './read/files.ts';

/** Where `generate` writes the registry that is committed. */
export const REGISTRY_FILE = 'generated/registry.json';

/** An operation as the committed registry has it, answered here or called elsewhere. */
export interface CommittedOperation {
  readonly id: string;
  /** Undefined in a file that was not written by `generate`. */
  readonly service: string | undefined;
  /** URI templates in the order of their index; none over SOAP alone. */
  readonly uris: readonly string[];
}

/** What the registry said when it was last generated: its operations, or why they can't be read; undefined without a file. */
export function readCommitted(committed: FileText | undefined): readonly CommittedOperation[] | string | undefined {
  if (committed === undefined) return undefined;
  if (committed.kind === 'unreadable') return committed.reason;
  let parsed: unknown;
  try {
    parsed = JSON.parse(committed.text);
  } catch {
    return 'it is not JSON';
  }
  const operations = memberOf(parsed, 'operations');
  if (typeof operations !== 'object' || operations === null) return 'it has no operations';
  const consumers = memberOf(parsed, 'consumers') ?? {};
  if (typeof consumers !== 'object') return 'its consumers are no map';
  const found: CommittedOperation[] = [];
  for (const [id, operation] of [...Object.entries(operations), ...Object.entries(consumers)]) {
    const uris = memberOf(operation, 'uris') ?? [];
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
      return `the uris of ${id} are not a list of templates`;
    const service = memberOf(operation, 'service');
    found.push({ id, service: typeof service === 'string' ? service : undefined, uris });
  }
  return found;
}

/** The qualified name of a committed operation; its id alone where the file does not say of which service it is. */
export function committedName({ id, service }: CommittedOperation): string {
  return service === undefined || id.includes('.') ? id : `${service}.${id}`;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
