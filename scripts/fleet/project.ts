import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A project in its own folder. */
export interface FleetProject {
  readonly root: string;
  /** The folder of the package that runs it, built. */
  readonly product: string;
  /** File in which the handlers record when they run. */
  readonly marks: string;
  /** File with the gateways' output. */
  readonly log: string;
  remove(): void;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Copies `project/` out of the repository, so that handlers import the package like those of any project.
 * @param product the folder of another version of the package
 */
export function createProject(product = repository): FleetProject {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-fleet-'));
  cpSync(fileURLToPath(new URL('project/', import.meta.url)), join(root, 'src'), { recursive: true });
  cpSync(join(root, 'src/definitions'), join(root, 'definitions'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(product, join(root, 'node_modules/signalbox'), 'dir');
  const marks = join(root, 'marks.jsonl');
  const log = join(root, 'gateways.log');
  for (const file of [marks, log]) writeFileSync(file, '');
  return { root, product, marks, log, remove: () => rmSync(root, { recursive: true, force: true }) };
}
