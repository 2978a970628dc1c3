import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually, gatewayText } from '../support/project.ts';

export type EngineKind = 'sqlite' | 'postgres';

/** Engines that there are here. */
export const ENGINES: readonly EngineKind[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

/** A request as a target of messages got it. */
interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A system that messages are delivered to. */
export class Target {
  readonly url: string;
  /** In the order in which they came. */
  readonly taken: Taken[];
  /** The status of the reply to a request. */
  status: (taken: Taken) => number | Promise<number> = () => 200;
  readonly #close: () => Promise<void>;

  private constructor(url: string, taken: Taken[], close: () => Promise<void>) {
    this.url = url;
    this.taken = taken;
    this.#close = close;
  }

  static async start(): Promise<Target> {
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const own = { path: request.url ?? '', headers: request.headers, body: text === '' ? {} : JSON.parse(text) };
      target.taken.push(own);
      const status = await target.status(own);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    };
    const target = new Target(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, [], close);
    return target;
  }

  /** The requests to a path. */
  at(path: string): Taken[] {
    return this.taken.filter((each) => each.path === path);
  }

  stop(): Promise<void> {
    return this.#close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** A gateway that publishes and delivers, with its own database. */
export interface MessageGateway extends TestGateway {
  /** The URL of its database. */
  readonly database: string;
  rows(sql: string): Promise<Row[]>;
  /** Rows, once there are so many. */
  found(what: string, sql: string, count?: number): Promise<Row[]>;
  /** Posts to an operation, and returns the id of the message. */
  publish(path: string, message: object): Promise<string>;
  /** The delivery of a message to a subscription, once it has a status. */
  delivered(message: string, subscription: string, status?: string): Promise<Row>;
}

/** Posts a message to an operation: `Places.v1/changed`. @returns its id */
export async function publishAt(gateway: Pick<TestGateway, 'call'>, path: string, message: object): Promise<string> {
  const { status, text } = await gateway.call(`/gateway/RESTListeningConnector/${path}`, {
    method: 'POST',
    body: JSON.stringify(message),
  });
  if (status !== 202) throw new Error(`${status} ${text}`);
  return JSON.parse(text).message;
}

/** Starts a gateway with tables and sample data on one of the engines. */
export async function startMessages(
  kind: EngineKind,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<MessageGateway> {
  const database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
  const gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql\nlimits: { attachment: 300 KiB }'),
      ...files,
    },
    env: { ...env, ...(database === undefined ? {} : { DATABASE_URL: database.url }) },
  });
  const rows = async (sql: string): Promise<Row[]> => {
    if (database !== undefined) return (await database.run(sql)).rows;
    const file = new Database(join(gateway.folder, 'test.db'));
    try {
      const statement = file.prepare<[], Row>(sql);
      return statement.reader ? statement.all() : [{ ...statement.run() }];
    } finally {
      file.close();
    }
  };
  const found = (what: string, sql: string, count = 1): Promise<Row[]> =>
    eventually(what, async () => {
      const list = await rows(sql);
      return list.length >= count ? list : undefined;
    });
  return {
    ...gateway,
    database: database?.url ?? `sqlite:${join(gateway.folder, 'test.db')}`,
    rows,
    found,
    publish: (path, message) => publishAt(gateway, path, message),
    async delivered(message, subscription, status = 'Done') {
      const where = `message = '${message}' and subscription = '${subscription}' and status = '${status}'`;
      const what = `${subscription} to be ${status}`;
      const [row] = await found(what, `select * from signalbox_delivery where ${where}`);
      return row as Row;
    },
    async stop() {
      await gateway.stop();
      await database?.drop();
    },
  };
}
