import { createReport, type Diagnostic, type Place } from './diagnostic/diagnostic.ts';
import { readMockFiles } from './read/files.ts';
import { createPlaces, type Places } from './read/places.ts';
import { isTreeMap, parseTree, type TreeMap, type TreeValue } from './read/tree.ts';

export { isTreeMap, type Places, type TreeMap, type TreeValue };

/** The files of `mocks/` as trees. What they mean is decided by the operations that they are about. */
export interface MockTrees {
  /** One for each part between `---`, in the order of the files. */
  readonly roots: readonly { readonly value: TreeValue; readonly at: Place }[];
  readonly places: Places;
  /** What could not be read. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the files by their names. */
  readonly sources: ReadonlyMap<string, string>;
}

export function readMocks(root: string): MockTrees {
  const [places, report] = [createPlaces(), createReport()];
  const sources = new Map<string, string>();
  const roots = readMockFiles(root).flatMap((each) => {
    const { file } = each;
    if (each.kind === 'unreadable') {
      report.raise('file-unreadable', { reason: each.reason }, { file, line: 1, column: 1 });
      return [];
    }
    sources.set(file, each.text);
    return parseTree({ file, text: each.text }, places, report).roots;
  });
  return { roots, places, diagnostics: report.sorted(), sources };
}
