import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namesMatching } from '../../load/read/files.ts';
import type { Registry } from '../../model/registry.ts';
import type { ProjectFiles, SampleDataFile } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';

/** Where a project is. */
export interface ProjectPlace {
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string | undefined;
}

/** The files of a project that change its database: migrations run before sample data. @throws GatewayError */
export function projectFilesOf(
  { gateway: { migrations, sampleData } }: Pick<Registry, 'gateway'>,
  { root, definitions = 'definitions' }: ProjectPlace,
): Required<Pick<ProjectFiles, 'migrations' | 'sampleData'>> {
  return {
    migrations: migrations?.files ?? [],
    sampleData: sampleData === undefined ? [] : readSampleData(join(root, definitions), sampleData),
  };
}

/** Files that match a pattern such as `sample/*.sql`, sorted by name. */
function readSampleData(folder: string, pattern: string): SampleDataFile[] {
  try {
    const paths = namesMatching(folder, pattern);
    // As the loader does, without a byte order mark, which PostgreSQL takes for a part of the first word.
    return paths.map((path) => ({
      name: basename(path),
      sql: readFileSync(join(folder, path), 'utf8').replace(/^\uFEFF/, ''),
    }));
  } catch (error) {
    throw new GatewayError(`sample-data: ${pattern} can't be read`, {
      hint: 'It is relative to the definitions folder.',
      cause: error,
    });
  }
}
