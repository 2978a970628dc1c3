import { type OperationIdentity, qualifiedName } from '../../model/operation-names.ts';
import type { Position } from '../../model/position.ts';
import type { OperationUri } from '../../model/service.ts';
import { type CommittedOperation, committedName, REGISTRY_FILE } from '../committed.ts';
import { placeOf } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';

/** What has URI templates by their index: an operation, or a consumer over REST. */
interface Indexed extends OperationIdentity {
  readonly uris?: readonly OperationUri[];
  readonly at: Position;
}

/**
 * Holds URI indexes against those of the committed registry: none may be gone, and no template may have moved to another
 * one. A template whose text was changed where it stands keeps its index.
 */
export function checkUriIndexes(
  { report, incomplete }: Linking,
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
    // URIs that could not be read are no removed ones.
    if (operation?.uris === undefined || incomplete.has(operation)) continue;
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
