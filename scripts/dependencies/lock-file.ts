import { readFileSync } from 'node:fs';

/** A package of package-lock.json. */
export interface LockedPackage {
  /** The folder of the package: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Only needed for development. Optional dependencies of the package itself ship, and are not included. */
  readonly development: boolean;
  /** It may be missing from node_modules. */
  readonly optional: boolean;
  /** It has an install script, which npm would run. */
  readonly installScript: boolean;
}

/** The packages of package-lock.json, version 3. @param root folder of the project, with a slash at the end */
export function readLockFile(root: URL): LockedPackage[] {
  return lockedPackages(readFileSync(new URL('package-lock.json', root), 'utf8'));
}

/** @throws Error for another version of the format */
export function lockedPackages(text: string): LockedPackage[] {
  const { lockfileVersion, packages } = JSON.parse(text) as LockFile;
  if (lockfileVersion !== 3) throw new Error(`package-lock.json has version ${lockfileVersion}, not 3.`);
  return Object.entries(packages).flatMap(([path, each]) => {
    const marker = path.lastIndexOf('node_modules/');
    // The project itself and its folders.
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
