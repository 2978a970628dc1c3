import type { FileText, ProjectFiles } from '../../src/load/read/files.ts';
import { readProject } from '../../src/load/read/files.ts';

const packaged = readProject('/nowhere', 'definitions').delivered;

/**
 * A project out of one text: a line `#file PATH` starts a file, what stands before the first one is
 * `definitions/example.yaml`. A project without a gateway gets one, in a file that sorts last, unless a file of
 * definitions is called gateway.yaml.
 */
export function projectOf(text: string): ProjectFiles {
  const files = splitFiles(text);
  const definitions = [...files].filter(([path]) => /^definitions\/.*\.ya?ml$/.test(path));
  const hasGateway = definitions.some(
    ([path, content]) => path.endsWith('/gateway.yaml') || /^gateway:/m.test(content),
  );
  if (!hasGateway && files.has('definitions/example.yaml'))
    definitions.push(['definitions/zz-gateway.yaml', 'gateway: LOCAL\n']);
  const committed = files.get('generated/registry.json');
  const handlers = [...files.keys()].filter((path) => path.startsWith('src/handlers/'));
  return {
    folder: 'definitions',
    definitions: definitions.map(([file, content]) => ({ file, ...textOf(content) })),
    delivered: packaged,
    migrations: (folder) => {
      const below = [...files].filter(([path]) => path.startsWith(`${folder}/`));
      return below.length === 0 ? undefined : below.map(([file, content]) => ({ file, ...textOf(content) }));
    },
    sampleData: (pattern) => {
      const [before = '', after = ''] = `definitions/${pattern}`.split('*');
      const folder = before.slice(0, before.lastIndexOf('/') + 1);
      if (![...files.keys()].some((path) => path.startsWith(folder))) return undefined;
      const found = [...files].filter(([path]) => path.startsWith(before) && path.endsWith(after));
      return found.map(([file, content]) => ({ file, ...textOf(content) }));
    },
    handlers: (folder) =>
      handlers.flatMap((path) =>
        path.slice(0, path.lastIndexOf('/')) === folder ? path.slice(folder.length + 1) : [],
      ),
    committed: committed === undefined ? undefined : { kind: 'text', text: committed },
  };
}

/** Whether the project says which handler files there are; else missing ones are passed over. */
export function namesHandlers(text: string): boolean {
  return /^#file src\/handlers\//m.test(text);
}

function textOf(content: string): FileText {
  // Bytes that are no UTF-8 can't stand in a text file of ours: this mark stands for them.
  return content.includes('\\xff')
    ? { kind: 'unreadable', reason: 'it is not UTF-8 text' }
    : { kind: 'text', text: content };
}

export function splitFiles(text: string): Map<string, string> {
  const files = new Map<string, string>();
  const parts = text.split(/^#file (\S+)\n/m);
  const [first = ''] = parts;
  if (first.trim() !== '') files.set('definitions/example.yaml', first);
  for (let i = 1; i < parts.length; i += 2) files.set(parts[i] as string, parts[i + 1] as string);
  return files;
}
