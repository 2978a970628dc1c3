import type { Position } from '../../model/position.ts';
import type { OperationUri } from '../../model/service.ts';
import { placeOf } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import type { FileText } from '../read/files.ts';

const FILE = 'generated/registry.json';

/** What has URI templates by their index: an operation, or a consumer over REST. */
interface Indexed {
  readonly uris?: readonly OperationUri[];
  readonly at: Position;
}

/**
 * Holds URI indexes against those of the committed registry: none may be gone, and no template may have moved to another
 * one. A template whose text was changed where it stands keeps its index.
 */
export function checkUriIndexes(
  { report, incomplete }: Linking,
  operations: ReadonlyMap<string, Indexed>,
  consumers: ReadonlyMap<string, Indexed>,
  committed: FileText | undefined,
): void {
  if (committed === undefined) return;
  const before = readUris(committed);
  if (typeof before === 'string') {
    report.raise('registry-unreadable', { reason: before }, { file: FILE, line: 1, column: 1 });
    return;
  }
  for (const [id, templates] of before) {
    const operation = operations.get(id) ?? consumers.get(id);
    // URIs that could not be read are no removed ones.
    if (operation?.uris === undefined || incomplete.has(operation)) continue;
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

/** Templates by operation, or why they can't be read. */
function readUris(committed: FileText): Map<string, readonly string[]> | string {
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
  const found = new Map<string, readonly string[]>();
  for (const [id, operation] of [...Object.entries(operations), ...Object.entries(consumers)]) {
    // One that is SOAP alone has none.
    const uris = memberOf(operation, 'uris') ?? [];
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
      return `the uris of ${id} are not a list of templates`;
    found.set(id, uris);
  }
  return found;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
