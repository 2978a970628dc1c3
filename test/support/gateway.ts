import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefinitionsError, renderDiagnostics } from '../../src/load/index.ts';
import type { OwnApp } from '../../src/serve/own-app.ts';
import { type RunningGateway, startGateway } from '../../src/serve/start.ts';
import type { Clock } from '../../src/wire/waiting.ts';
import { writeProject } from './project.ts';
import { copyMigrated } from './sqlite.ts';

/** The project's folder. */
const repository = fileURLToPath(new URL('../../', import.meta.url));

export const DEMO = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
export const GUEST = `Basic ${Buffer.from('guest:guest').toString('base64')}`;

/** A complete reply. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Sends no credentials. By default, the call has those of `demo`. */
  readonly anonymous?: boolean;
}

export interface TestGateway {
  readonly gateway: RunningGateway;
  readonly port: number;
  /** Folder of the database; removed at the end. */
  readonly folder: string;
  /** The log so far, one entry per line. */
  readonly log: () => Record<string, unknown>[];
  /** Calls a path exactly as given, without normalising or encoding it. */
  call(path: string, options?: Call): Promise<Reply>;
  /** Writes bytes to a new connection, and reads until the gateway closes it. */
  raw(bytes: string | Buffer): Promise<string>;
  stop(): Promise<void>;
}

export interface TestGatewayOptions {
  /** The project; the default, without `files` as well, is the sample. */
  readonly root?: string;
  /** A project of the test's own, by path: see {@link writeProject}. */
  readonly files?: Readonly<Record<string, string>>;
  readonly definitions?: string;
  readonly env?: Record<string, string>;
  readonly idleTimeout?: number;
  readonly usersWithin?: number;
  readonly grace?: number;
  readonly headersTimeout?: number;
  readonly clock?: Clock;
  /** Processes for stored queries. The default, one, halves the time to start. */
  readonly readers?: number;
}

/** Middleware that looks at each Response, so that every reply has to be one. */
const reading: OwnApp = (app) => {
  app.use(async (c, next) => {
    await next();
    c.res.headers.get('content-type');
  });
};

/** A gateway on a free port of 127.0.0.1, with its own database. With SIGNALBOX_TEST_RESPONSES, it answers by Responses. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const project = options.files === undefined ? undefined : writeProject(options.files);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const lines: string[] = [];
  const file = join(folder, 'test.db');
  copyMigrated(file);
  const gateway = await startGateway({
    root: project?.root ?? options.root ?? repository,
    ...(options.definitions === undefined ? {} : { definitions: options.definitions }),
    ...(options.idleTimeout === undefined ? {} : { idleTimeout: options.idleTimeout }),
    ...(options.usersWithin === undefined ? {} : { usersWithin: options.usersWithin }),
    ...(options.grace === undefined ? {} : { grace: options.grace }),
    ...(options.headersTimeout === undefined ? {} : { headersTimeout: options.headersTimeout }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(process.env.SIGNALBOX_TEST_RESPONSES === undefined ? {} : { app: reading }),
    readers: options.readers ?? 1,
    env: { PORT: '0', DATABASE_URL: `sqlite:${file}`, ...options.env },
    log: { to: { write: (line: string) => lines.push(line) } },
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    project?.remove();
    if (!(error instanceof DefinitionsError)) throw error;
    throw new Error(renderDiagnostics(error.project, { colour: false }));
  });
  const port = Number(new URL(gateway.address).port);
  return {
    gateway,
    port,
    folder,
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    call: (path, given) => call(port, path, given),
    raw: (bytes) => raw(port, bytes),
    async stop() {
      await gateway.close({ timeoutMs: 1000 });
      rmSync(folder, { recursive: true, force: true });
      project?.remove();
    },
  };
}

/** Calls a path exactly as given, without normalising or encoding it. */
export function call(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, anonymous = false }: Call = {},
): Promise<Reply> {
  const credentials = anonymous ? {} : { authorization: DEMO };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers: { ...credentials, ...headers }, agent: false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () =>
          resolve({
            status: reply.statusCode as number,
            headers: reply.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(Buffer.concat(chunks).toString('latin1')) : reject(error),
    );
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}
