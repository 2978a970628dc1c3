import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AUTHORITY } from '../../peers/certificates.ts';
import { startDocumentLibrary } from '../../peers/document-library.ts';
import { environmentOf, LOGIN_HOST, libraryHost } from '../../peers/library-facts.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The built command. */
export const command = join(repository, 'dist/cli/main.js');

/** A project with the sample's upload, and a document library that accepts it. */
export interface LibraryProject {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Inputs of the upload other than the file. */
  readonly values: readonly string[];
  close(): Promise<void>;
}

export async function libraryProject(folder: string): Promise<LibraryProject> {
  const library = await startDocumentLibrary();
  const { facts, login, documents } = library;
  const cwd = join(folder, 'library');
  mkdirSync(join(cwd, 'definitions'), { recursive: true });
  cpSync(join(repository, 'definitions/doclib'), join(cwd, 'definitions/doclib'), { recursive: true });
  const files = {
    'authority.pem': AUTHORITY,
    'definitions/gateway.yaml': 'gateway: LOCAL\n',
    'definitions/lists.yaml': 'permission-list: PARTNERS\n',
    'definitions/nodes.yaml': [
      nodeText('DOCLIB_LOGIN', '${env:DOCLIB_AUTH_URL}', LOGIN_HOST, login.port),
      nodeText('DOCLIB', 'https://', libraryHost(facts), documents.port),
    ].join('---\n'),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  return {
    cwd,
    env: environmentOf(facts),
    values: ['SiteName=HR', 'DocFolder=Shared Documents'],
    close: () => library.close(),
  };
}

function nodeText(id: string, base: string, host: string, port: number): string {
  return `node: ${id}\nbase: ${base}\nca-file: authority.pem\nresolve: { ${host}: "127.0.0.1:${port}" }\n`;
}
