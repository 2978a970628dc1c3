import { receivable } from '../../wire/uri-template/layout.ts';
import { pathSegments, type Segment, segmentsMayMeet, templatesOverlap } from '../../wire/uri-template/specificity.ts';
import { parseUriTemplate, type UriTemplate } from '../../wire/uri-template/uri-template.ts';
import type { DraftOperation } from '../draft.ts';
import type { Losses } from '../place.ts';

/** The template of an operation before another one. */
interface Known {
  readonly name: string;
  readonly template: UriTemplate;
  readonly segments: readonly Segment[];
  readonly lists: ReadonlySet<string>;
}

/**
 * Operations that have an address at which they can be served. One whose requests could be meant for another one before it, too,
 * has that as the reason why it can't be: contracts leave open which of the two a server takes.
 */
export function servable(operations: readonly DraftOperation[], losses: Losses): readonly DraftOperation[] {
  const known = new Map<string, Known[]>();
  return operations.flatMap((operation) => {
    const { rest, name } = operation;
    if (rest === undefined) return operation;
    const faults = rest.uris.map((uri) => receivable(parseUriTemplate(uri)));
    const fault = faults.find((each) => each !== undefined);
    if (fault !== undefined) {
      losses.add(`the operation "${name}", whose path no request can match: ${fault}`, 'left out', operation.place);
      return [];
    }
    if (operation.uncallable !== undefined) return operation;
    const before = known.get(rest.method) ?? [];
    known.set(rest.method, before);
    const lists = listsOf(operation);
    const own = rest.uris.map((uri): Known => {
      const template = parseUriTemplate(uri === '' ? '/' : uri);
      return { name, template, segments: pathSegments(template), lists };
    });
    for (const one of own) {
      const other = before.find((each) => overlap(one, each));
      if (other !== undefined) {
        const uncallable = `a request to ${one.template.text} can be one to ${other.template.text} of "${other.name}"`;
        return { ...operation, uncallable };
      }
    }
    before.push(...own);
    return operation;
  });
}

function overlap(a: Known, b: Known): boolean {
  if (!segmentsMayMeet(a.segments, b.segments)) return false;
  const isList = (name: string): boolean => a.lists.has(name) || b.lists.has(name);
  return templatesOverlap(a.template, b.template, ({ name }) => (isList(name) ? 'list' : 'string'));
}

/** The fields of a request that are lists. */
function listsOf({ request, rest }: DraftOperation): ReadonlySet<string> {
  const documents = [rest?.template, request.kind === 'document' ? request.document : undefined];
  const fields = documents.flatMap((document) => document?.fields ?? []);
  return new Set(fields.flatMap(({ name, type }) => (type.kind === 'list' ? [name] : [])));
}
