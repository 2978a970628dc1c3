import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient, InvokeError } from '../../src/invoke/index.ts';
import { loadProject, renderDiagnostics } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Attachment } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/index.ts';
import { AUTHORITY } from '../peers/certificates.ts';
import { type DocumentLibrary, type LibraryOptions, startDocumentLibrary } from '../peers/document-library.ts';
import { environmentOf, FACTS, type LibraryFacts, LOGIN_HOST, libraryHost } from '../peers/library-facts.ts';
import { atFileEnd } from '../support/file-end.ts';
import { writeProject } from '../support/project.ts';
import { thrown } from './support.ts';

/** The sample's nodes, but with addresses of the test's own in place of DNS. */
const nodes = (host: string): string => `node: DOCLIB_LOGIN
base: \${env:DOCLIB_AUTH_URL}
ca-file: \${env:DOCLIB_CA_FILE:-}
resolve: { ${LOGIN_HOST}: "\${env:LOGIN_ADDRESS:-}" }
---
node: DOCLIB
base: https://
ca-file: \${env:DOCLIB_CA_FILE:-}
resolve: { ${host}: "\${env:DOCUMENTS_ADDRESS:-}" }
---
node: THIRD_PARTY
base: \${env:THIRD_PARTY_URL}
credential: { basic: { user: signalbox, password: "\${secret:THIRD_PARTY_PASSWORD}" } }
`;

const REPEATING = `service: Repeating.v1
target: THIRD_PARTY
public: true
operations:
  JSON_REPEAT: { post: echo, request: json, response: json }
`;

const definitions = fileURLToPath(new URL('../../definitions/', import.meta.url));

/** Texts of the sample's definitions in a folder, by their paths in a project. */
function sampleOf(folder: string): Record<string, string> {
  const files = readdirSync(join(definitions, folder)).map((file) => join(folder, file));
  return Object.fromEntries(
    files.map((file) => [`definitions/${file}`, readFileSync(join(definitions, file), 'utf8')]),
  );
}

let caFile = '';
let folder = '';
let loaded: Registry | undefined;

/** The sample's consumers, and one that has JSON repeated. */
function consumers(): Registry {
  if (loaded !== undefined) return loaded;
  const project = writeProject({
    ...sampleOf('doclib'),
    ...sampleOf('third-party'),
    'definitions/nodes.yaml': nodes(libraryHost(FACTS)),
    'definitions/repeating.yaml': REPEATING,
    // What it grants of services that are not here is left out.
    'definitions/users.yaml': readFileSync(join(definitions, 'security.yaml'), 'utf8').replace(
      /^operations: .*\n( {2}- .*\n)*/gm,
      '',
    ),
    'authority.pem': AUTHORITY,
  });
  atFileEnd(() => {
    loaded = undefined;
    project.remove();
  });
  folder = project.root;
  caFile = join(folder, 'authority.pem');
  const { registry, ...told } = loadProject({ root: folder, handlers: 'ignore-missing' });
  if (registry === undefined) throw new Error(renderDiagnostics(told, { colour: false }));
  loaded = registry;
  return registry;
}

/** The project that they are of. */
export function sampleFolder(): string {
  consumers();
  return folder;
}

export interface SampleClientOptions extends Omit<Partial<ClientOptions>, 'env'> {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A client for the sample's consumers, with nothing in its environment but what it is given; closed with the test. */
export function sampleClient({ env = {}, ...options }: SampleClientOptions = {}): Client {
  const spooled = mkdtempSync(join(tmpdir(), 'signalbox-doclib-'));
  const registry = consumers();
  const client = createClient(registry, { env, spool: createSpool({ folder: spooled }), ...options });
  onTestFinished(async () => {
    await client.close();
    rmSync(spooled, { recursive: true, force: true });
  });
  return client;
}

/** Addresses of a library's two servers. */
export interface LibraryAddresses {
  readonly login: string;
  readonly documents: string;
}

/** What leads the sample's consumers to a library. */
export function libraryEnv(
  { login, documents }: LibraryAddresses,
  facts: LibraryFacts = FACTS,
): Record<string, string> {
  consumers();
  return {
    ...environmentOf(facts),
    DOCLIB_CA_FILE: caFile,
    LOGIN_ADDRESS: login,
    DOCUMENTS_ADDRESS: documents,
  };
}

export interface Doclib {
  readonly library: DocumentLibrary;
  readonly client: Client;
  /** Steps that the library saw, and how it answered: `upload 200`. */
  steps(): string[];
}

export interface DoclibOptions extends SampleClientOptions {
  readonly library?: LibraryOptions;
}

/** A library, and a client that knows where it is. */
export async function doclib({ library: given, env, ...options }: DoclibOptions = {}): Promise<Doclib> {
  const library = await startDocumentLibrary(given);
  onTestFinished(() => library.close());
  const { login, documents, facts } = library;
  const there = libraryEnv({ login: login.address, documents: documents.address }, facts);
  const client = sampleClient({ env: { ...there, ...env }, ...options });
  return { library, client, steps: () => library.seen.map(({ step, status }) => `${step} ${status}`) };
}

export const DESTINATION = { SiteName: 'HR', DocFolder: 'Shared Documents/2026' } as const;

/** A file as it lies on a disk: it can be read again. */
export function file(content: string | Buffer, more: Partial<Attachment> = {}): Attachment {
  const bytes = Buffer.from(content);
  return {
    contentType: 'application/pdf',
    name: "O'Brien 100% #1.pdf",
    length: bytes.length,
    again: true,
    async *stream() {
      yield bytes;
    },
    ...more,
  };
}

/** What a call throws, which has to be an error of the client. */
export async function failure(call: Promise<unknown>): Promise<InvokeError> {
  const error = await thrown(call);
  if (!(error instanceof InvokeError)) throw error;
  return error;
}
