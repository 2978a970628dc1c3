import type { Position } from '../model/definition.ts';
import { type OperationIdentity, qualifiedName } from '../model/operation-names.ts';
import type { OperationUri } from '../model/service.ts';
import { placeOf } from './diagnostic/diagnostic.ts';
import type { Linking } from './linking.ts';
import type { FileText } from './read/files.ts';

/** The committed registry, which `generate` writes. */
const REGISTRY_FILE = 'generated/registry.json';

/** An operation of the committed registry, answered here or called. */
export interface CommittedOperation {
  readonly id: string;
  /** `undefined` in a file that `generate` did not write. */
  readonly service: string | undefined;
  /** URI templates in the order of their index; empty for SOAP only. */
  readonly uris: readonly string[];
}

/** The operations of the committed registry, or the reason why they can't be read; `undefined` without a file. */
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
  if (typeof consumers !== 'object') return 'its consumers are not a map';
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

/** The qualified name of a committed operation, or its id alone when the file does not name the service. */
export function committedName({ id, service }: CommittedOperation): string {
  return service === undefined || id.includes('.') ? id : `${service}.${id}`;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** An operation with URI templates by index, or a consumer over REST. */
interface Indexed extends OperationIdentity {
  readonly uris?: readonly OperationUri[];
  readonly at: Position;
}

/**
 * Compares URI indexes with the committed registry: none may be removed, and no template may move to another index. A template
 * whose text changes keeps its index.
 */
export function checkUriIndexes(
  { report, doubt }: Linking,
  operations: readonly Indexed[],
  committed: readonly CommittedOperation[] | string | undefined,
): void {
  if (committed === undefined) return;
  if (typeof committed === 'string') {
    report.raise('registry-unreadable', { reason: committed }, { file: REGISTRY_FILE, line: 1, column: 1 });
    return;
  }
  const byName = new Map(
    operations.flatMap((each) => [[each.id, each] as const, [qualifiedName(each), each] as const]),
  );
  for (const before of committed) {
    const { uris: templates } = before;
    const operation = byName.get(committedName(before));
    // A URI that could not be read was not removed.
    if (operation?.uris === undefined || doubt.about(operation)) continue;
    const { id } = operation;
    const at = placeOf(operation.at);
    const now = operation.uris.map((uri) => uri.template.text);
    for (const [position, template] of templates.entries()) {
      const index = position + 1;
      if (now[position] === template) continue;
      const moved = now.indexOf(template);
      if (moved >= 0 && !templates.slice(0, position).includes(template)) {
        report.raise('uri-index', { operation: id, index, template, change: 'moved', now: moved + 1 }, at);
      } else if (position >= now.length) {
        report.raise('uri-index', { operation: id, index, template, change: 'removed', now: 0 }, at);
      }
    }
  }
}
