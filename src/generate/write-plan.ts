import { carriesHeader } from './header.ts';

/** What has to happen so that the files on disk are the generated ones. Paths are in order. */
export interface WritePlan {
  /** New or changed, with their text. */
  readonly write: ReadonlyMap<string, string>;
  /** Generated before and no longer: services, for instance, that are gone. */
  readonly remove: readonly string[];
  /** As they should be. */
  readonly same: readonly string[];
  /** In the way of nothing and not generated: somebody else's, left alone. */
  readonly foreign: readonly string[];
}

/**
 * Compares what was generated with what is there. Line ends are no difference, since version control may rewrite them.
 * @param files path under the project's folder -> text, from {@link generate}
 * @param existing path -> text of every file in the folder of generated files
 */
export function planWrite(files: ReadonlyMap<string, string>, existing: ReadonlyMap<string, string>): WritePlan {
  const paths = [...files.keys()].sort();
  const isSame = (path: string): boolean => existing.get(path)?.replaceAll('\r\n', '\n') === files.get(path);
  const others = [...existing.keys()].filter((path) => !files.has(path)).sort();
  const isGenerated = (path: string): boolean => carriesHeader(existing.get(path) ?? '');
  return {
    write: new Map(paths.filter((path) => !isSame(path)).map((path) => [path, files.get(path) ?? ''])),
    remove: others.filter(isGenerated),
    same: paths.filter(isSame),
    foreign: others.filter((path) => !isGenerated(path)),
  };
}
