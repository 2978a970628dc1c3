import { readFileSync } from 'node:fs';

/** A package of package-lock.json. */
export interface LockedPackage {
  /** Where it is installed: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Development alone needs it; not so what is optional beside that, which ships. */
  readonly development: boolean;
  /** It need not be installed. */
  readonly optional: boolean;
  /** npm would run a script of its own where it is installed. */
  readonly installScript: boolean;
}

/** The packages of package-lock.json, version 3. @param root folder of the project, with a slash at the end */
export function readLockFile(root: URL): LockedPackage[] {
  return lockedPackages(readFileSync(new URL('package-lock.json', root), 'utf8'));
}

/** @throws Error where it is of another version */
export function lockedPackages(text: string): LockedPackage[] {
  const { lockfileVersion, packages } = JSON.parse(text) as LockFile;
  if (lockfileVersion !== 3) throw new Error(`package-lock.json has version ${lockfileVersion}, not 3.`);
  return Object.entries(packages).flatMap(([path, each]) => {
    const marker = path.lastIndexOf('node_modules/');
    // The project itself, and folders of it.
    if (marker === -1) return [];
    return {
      path,
      name: each.name ?? path.slice(marker + 'node_modules/'.length),
      version: each.version ?? '',
      development: each.dev === true,
      optional: each.optional === true || each.devOptional === true || each.peer === true,
      installScript: each.hasInstallScript === true,
    };
  });
}

interface LockFile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly name?: string;
        readonly version?: string;
        readonly dev?: boolean;
        readonly devOptional?: boolean;
        readonly optional?: boolean;
        readonly peer?: boolean;
        readonly hasInstallScript?: boolean;
      }
    >
  >;
}
