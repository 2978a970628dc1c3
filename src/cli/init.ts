import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { CliFailure } from './failure.ts';
import { explain } from './help.ts';
import { packageVersion } from './package-info.ts';
import { loadRegistry } from './project.ts';
import { coloursOf, jsonText, print } from './terminal.ts';

const help = {
  examples: ['signalbox init my-gateway', 'signalbox init .'],
  notes: ["The folder must be empty, except for files that 'npm install signalbox' and 'git init' create."],
  exits: ['done', 'the folder is not empty, or could not be written'],
} as const;

/** `signalbox init`: creates a project that runs at once. */
export function addInit(program: Command): void {
  explain(program.command('init'), help)
    .description('create a new project with one service')
    .argument('<dir>', 'its folder, which is created if necessary')
    .action(async (dir: string) => {
      const root = resolve(dir);
      const manifest = await checkFolder(root, dir);
      const created = await writeProject(root, manifest);
      await print(nextSteps(relative(process.cwd(), root), created));
    });
}

/** Files of package managers and version control, which may exist already. */
const harmless = new Set(['.git', 'node_modules', 'package.json', 'package-lock.json', '.DS_Store']);

/**
 * Checks that the project overwrites nothing.
 * @returns the existing package.json, if it contains only what npm writes itself
 */
async function checkFolder(root: string, shown: string): Promise<Manifest> {
  const names = await namesIn(root, shown);
  const manifest = names.includes('package.json') ? await readManifest(join(root, 'package.json')) : {};
  const inTheWay = names.filter((name) => !harmless.has(name) || (name === 'package.json' && manifest === undefined));
  if (inTheWay.length > 0 || manifest === undefined) {
    throw new CliFailure(`${shown} is not empty`, {
      hint: `In the way: ${shortened(inTheWay)}.\nName a new folder: signalbox init my-gateway`,
    });
  }
  return manifest;
}

function shortened(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

const MOST_NAMED = 5;

async function namesIn(root: string, shown: string): Promise<string[]> {
  try {
    return (await readdir(root)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new CliFailure(`${shown} is a file`, { hint: 'Name a new folder: signalbox init my-gateway' });
    throw new CliFailure(`${shown} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Keys that npm itself writes to a package.json, including `npm install-scripts approve`. */
const npmKeys = new Set(['dependencies', 'devDependencies', 'allowScripts']);

/** A package.json with nothing but what `npm install` writes; `undefined` if it contains more. */
async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
    return Object.keys(found).every((key) => npmKeys.has(key)) ? found : undefined;
  } catch {
    return undefined;
  }
}

async function writeProject(root: string, manifest: Manifest): Promise<string[]> {
  const name = packageName(basename(root));
  const files = new Map(projectFiles(name));
  files.set('package.json', jsonText(newManifest(name, packageVersion(), manifest)));
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const registry = await loadRegistry({ root });
  const { planGenerated, writeGenerated } = await import('./generated-files.ts');
  await writeGenerated(root, await planGenerated(root, registry));
  return [...files.keys(), 'generated/'].sort();
}

/** A name that npm accepts, derived from the name of the folder. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' || name === 'signalbox' || name === 'node-modules' ? 'my-gateway' : name;
}

function nextSteps(folder: string, created: readonly string[]): string {
  const { bold, green } = coloursOf(process.stdout);
  const steps = [
    ...(folder === '' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder}'`}`]),
    'npm install',
    'npm run dev',
  ];
  return [
    `${green('Created')} ${created.join(', ')}.`,
    '',
    'Next:',
    ...steps.map((step) => `  ${bold(step)}`),
    'and in another terminal:',
    `  ${bold('curl http://127.0.0.1:8080/gateway/RESTListeningConnector/Hello.v1/Hello/World')}`,
    '',
  ].join('\n');
}

/** The keys of a package.json that `npm install` writes. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** The package.json of a new project, with what npm has already written. */
function newManifest(name: string, version: string, before: Manifest): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.19' },
    scripts: {
      start: 'signalbox serve',
      dev: 'signalbox dev',
      check: 'signalbox check',
      generate: 'signalbox generate',
    },
    ...before,
    dependencies: { signalbox: `^${version}`, ...before.dependencies },
    // npm asks about install scripts: `node` needs its own to fetch the runtime, better-sqlite3 ships its binaries.
    allowScripts: { node: true, 'better-sqlite3': false, ...before.allowScripts },
  };
}

/** The files of a new project by path, apart from package.json and generated files. */
function projectFiles(name: string): ReadonlyMap<string, string> {
  return new Map([
    ['definitions/gateway.yaml', gateway(name)],
    ['definitions/hello/service.yaml', service],
    ['src/handlers/hello-get.ts', handler],
    ['tsconfig.json', tsconfig],
    ['.gitignore', 'node_modules/\n.signalbox/\n'],
    ['README.md', readme(name)],
  ]);
}

const gateway = (name: string): string => `# yaml-language-server: $schema=../generated/definitions.schema.json
gateway: LOCAL                       # name of the local node, which is optional in paths
context: gateway                     # first segment of every path
listen: 127.0.0.1:8080               # HOST and PORT override
database: \${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}
namespace: urn:${name}               # of XML documents: <namespace>:<Service>.<version>
`;

const service = `# yaml-language-server: $schema=../../generated/definitions.schema.json
service: Hello.v1
description: Greets its callers.
operations:
  HELLO_GET:                         # answered by src/handlers/hello-get.ts
    description: A greeting for a name.
    get: Hello/{NAME}
    public: true                     # anyone may call it; to restrict it, name a permission list (permission:)
    request:
      fields:
        NAME: { type: string(40), required: true, example: World }
    response:
      fields:
        GREETING: string
`;

const handler = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('HELLO_GET', {
  onRequest(request) {
    return { GREETING: \`Hello, \${request.NAME}!\` };
  },
});
`;

const tsconfig = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "types": [],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "generated"]
}
`;

const readme = (name: string): string => `# ${name}

Services described in YAML, run by Signalbox.

\`\`\`
npm install
npm run dev
curl http://127.0.0.1:8080/gateway/RESTListeningConnector/Hello.v1/Hello/World
\`\`\`

| path | contents |
|---|---|
| \`definitions/\` | services, documents, queries, users |
| \`src/handlers/\` | code, one file per operation; Node runs it directly, without a build step |
| \`generated/\` | types, schemas and contracts, generated from the definitions; commit them |

| command | effect |
|---|---|
| \`npm run dev\` | runs the gateway and applies every edit as it is saved |
| \`npm run check\` | reports every error in the definitions |
| \`npm start\` | runs the gateway |
| \`npx signalbox describe openapi Hello.v1\` | writes a contract |
| \`npx signalbox --help\` | shows the other commands |

To add an operation, write it to \`definitions/hello/service.yaml\` while \`npm run dev\` is running. A typed stub of its handler is
created for you to complete.
`;
