/** The part of a package.json that matters here. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** The package.json of a new project; what npm has written already is kept. */
export function newManifest(name: string, version: string, before: Manifest): object {
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
    // npm asks about install scripts: `node` fetches the runtime by its own, better-sqlite3 brings its binaries along.
    allowScripts: { node: true, 'better-sqlite3': false, ...before.allowScripts },
  };
}

/** The files of a new project, path -> text, apart from package.json and what is generated. */
export function projectFiles(name: string): ReadonlyMap<string, string> {
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
gateway: LOCAL                       # name of the local node in paths, which may leave it out
context: gateway                     # first segment of every path
listen: 127.0.0.1:8080               # HOST and PORT override
database: \${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}
namespace: urn:${name}               # of XML documents: <namespace>:<Service>.<version>
`;

const service = `# yaml-language-server: $schema=../../generated/definitions.schema.json
service: Hello.v1
description: Greets whoever calls.
operations:
  HELLO_GET:                         # answered by src/handlers/hello-get.ts
    description: A greeting for a name.
    get: Hello/{NAME}
    public: true                     # anyone may call it; name a permission list (permission:) where that is not meant
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

| where | what |
|---|---|
| \`definitions/\` | services, documents, queries, users: what the gateway is |
| \`src/handlers/\` | code, one file an operation; Node runs it as it is, there is no build step |
| \`generated/\` | types, schemas and contracts that follow from the definitions; commit it |

| command | what it does |
|---|---|
| \`npm run dev\` | runs the gateway and takes over every edit as it is saved |
| \`npm run check\` | reports every mistake in the definitions |
| \`npm start\` | runs the gateway |
| \`npx signalbox describe openapi Hello.v1\` | writes a contract |
| \`npx signalbox --help\` | shows the other commands |

To add an operation, add it to \`definitions/hello/service.yaml\` while \`npm run dev\` runs: its handler file is created, typed,
and waits for its code.
`;
