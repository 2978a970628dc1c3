import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is installed in a project. */
export interface Release {
  /** The folder of the package, built; by default this one. */
  readonly product?: string | undefined;
  /** Whether it has the next definitions: a process, a parameter, a query and a class more. */
  readonly next?: boolean;
}

/** A project in its own folder. */
export interface FleetProject {
  readonly root: string;
  /** What is installed now. */
  readonly release: Release;
  readonly installation: 'first' | 'second';
  /** File in which the handlers record when they run. */
  readonly marks: string;
  /** File with the gateways' output. */
  readonly log: string;
  /** Replaces the definitions and the package. */
  install(release: Release): void;
  remove(): void;
}

interface ProjectOptions extends Release {
  /** The project whose files for marks and output it uses too. */
  readonly beside?: FleetProject | undefined;
  /** Whether it is of the second installation, which has a schema of its own. */
  readonly second?: boolean;
}

const source = fileURLToPath(new URL('project/', import.meta.url));
const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The files that belong to a part: that of the next definitions, or what the version before does not know. */
const FILES = {
  next: { definitions: 'next.yaml', handlers: ['fleet-next.ts', 'fleet-next-audit.ts'] },
  now: { definitions: 'messages.yaml', handlers: ['fleet-commit.ts', 'fleet-delivered.ts'] },
} as const;

/** Copies `project/` out of the repository, so that handlers import the package like those of any project. */
export function createProject({ beside, second = false, ...first }: ProjectOptions = {}): FleetProject {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-fleet-'));
  for (const part of ['handlers', 'intervals.ts'])
    cpSync(join(source, part), join(root, 'src', part), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
  mkdirSync(join(root, 'node_modules'));
  const { marks, log } = beside ?? { marks: join(root, 'marks.jsonl'), log: join(root, 'gateways.log') };
  if (beside === undefined) for (const file of [marks, log]) writeFileSync(file, '');
  let release = first;
  const install = (of: Release): void => {
    release = of;
    const { product = repository, next = false } = of;
    const link = join(root, 'node_modules/signalbox');
    rmSync(link, { force: true });
    symlinkSync(product, link, 'dir');
    const parts = { next, second, now: product === repository };
    for (const [part, { handlers }] of Object.entries(FILES)) {
      for (const handler of handlers.map((name) => join('handlers', name))) {
        if (parts[part as keyof typeof FILES]) cpSync(join(source, handler), join(root, 'src', handler));
        else rmSync(join(root, 'src', handler), { force: true });
      }
    }
    writeDefinitions(root, new Set(Object.keys(parts).filter((part) => parts[part as keyof typeof parts])));
  };
  install(first);
  return {
    root,
    get release() {
      return release;
    },
    installation: second ? 'second' : 'first',
    marks,
    log,
    install,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Writes the definitions with the lines of some parts: `# next:` begins a line of the next definitions, `# second:` one of the
 * second installation, and `# now:` one that the version before does not know.
 */
function writeDefinitions(root: string, parts: ReadonlySet<string>): void {
  const [from, to] = [join(source, 'definitions'), join(root, 'definitions')];
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (Object.entries(FILES).some(([part, { definitions }]) => definitions === name && !parts.has(part))) continue;
    const text = readFileSync(join(from, name), 'utf8');
    const lines = text.replace(/^( *)# (\w+): /gm, (line, indent, part) => (parts.has(part) ? indent : line));
    writeFileSync(join(to, name), lines);
  }
}
