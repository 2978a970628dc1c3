import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseBounds } from '../../../src/model/gateway.ts';
import type { Query } from '../../../src/model/query.ts';
import { openQueries, type QueryPort } from '../../../src/query/index.ts';
import { postgres } from '../../../src/query/postgres/adapter.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { below } from '../connected-support.ts';
import { query, textOf } from '../support.ts';
import { postgresOf, storeAt, type TestPostgres } from './support.ts';

/** `stops`: it reports that it stops, in one piece with the message before, and closes the connection. */
type Ending = 'closes' | 'resets' | 'stops' | 'is silent';

/** The connection that ends, from 0 in the order in which they are opened, and the number of messages before that. */
interface End {
  readonly connection: number;
  readonly after: number;
  readonly how: Ending;
}

/** The message of a server that stops (PostgreSQL's manual, section 55.8). */
function stopping(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A proxy before PostgreSQL, which ends one connection behind a message of the server. */
class EndingWire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #end: End | undefined;
  /** The types of the messages of the server, by connection. Rows and settings that follow each other count as one. */
  readonly messages: string[] = [];

  private constructor(url: string, end?: End) {
    const { hostname, port } = new URL(url);
    this.#end = end;
    this.#server = createServer((client) => this.#serve(client, connect(Number(port), hostname)));
  }

  static async open(url: string, end?: End): Promise<EndingWire> {
    const wire = new EndingWire(url, end);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  through(url: string): string {
    const through = new URL(url);
    through.port = String((this.#server.address() as { readonly port: number }).port);
    through.searchParams.set('sslmode', 'disable');
    return through.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => server.write(bytes));
    const number = this.messages.push('') - 1;
    const end = this.#end?.connection === number ? this.#end : undefined;
    let rest = Buffer.alloc(0);
    let ended = false;
    server.on('data', (bytes) => {
      if (ended) return;
      rest = Buffer.concat([rest, bytes]);
      let at = 0;
      while (!ended && at + 5 <= rest.length && at + 1 + rest.readInt32BE(at + 1) <= rest.length) {
        this.#note(number, String.fromCharCode(rest[at] as number));
        at += 1 + rest.readInt32BE(at + 1);
        ended = this.messages[number]?.length === end?.after;
      }
      const whole = rest.subarray(0, at);
      rest = rest.subarray(at);
      if (!ended || end?.how === 'is silent') client.write(whole);
      else if (end?.how === 'resets') client.write(whole, () => client.resetAndDestroy());
      else client.end(end?.how === 'stops' ? Buffer.concat([whole, stopping()]) : whole);
    });
  }

  #note(number: number, type: string): void {
    const before = this.messages[number] ?? '';
    if (!'DS'.includes(type) || !before.endsWith(type)) this.messages[number] = before + type;
  }
}

/** Queries through a wire of their own, which both end with the test. */
async function openThrough(
  database: TestPostgres,
  end?: End,
  connectTimeout = 500,
): Promise<{ wire: EndingWire; port: QueryPort }> {
  const wire = await EndingWire.open(database.url, end);
  const url = wire.through(database.url);
  const bounds = databaseBounds(30_000, { timeouts: { connect: connectTimeout } });
  const store = await storeAt(url, database.results.replace(/-results$/, ''));
  const { access } = await postgres.reach(url, '/', { bounds });
  const port = openQueries({
    store: { ...store, postgres: store.postgres && { ...store.postgres, config: access } },
    timezone: 'UTC',
    limits: { rows: 10_000, timeout: 20_000 },
  });
  onTestFinished(async () => {
    // With a query that hangs this takes longer than a test may.
    await port.close();
    await wire.close();
  });
  return { wire, port };
}

const rows = query('select n from generate_series(1, 1000) as n', { N: 'integer' });
const few = query('select n from generate_series(1, 100) as n', { N: 'integer' });
const connected = below(
  few,
  query('select n % 100 as n from generate_series(1, 1000) as n', { N: 'integer' }, {}, { id: 'BELOW' }),
  { N: 'N' },
);
const asleep = query('select pg_sleep(60)::text as n', { N: 'string' });

/** The rows of a query, or the code of its fault. */
async function outcomeOf(port: QueryPort, of: Query): Promise<string> {
  try {
    const call = { query: of, prompts: {}, format: 'xmlp', connected: of.children.length > 0 } as const;
    const result = await port.run(call);
    await textOf(result);
    return `${result.rows} rows`;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

function allFree(port: QueryPort, seconds?: number): Promise<true> {
  const isFree = (): true | undefined => {
    const { readers, waiting } = port.status();
    return waiting === 0 && readers.every(({ busy }) => !busy) ? true : undefined;
  };
  return eventually('the places of all connections', isFree, seconds);
}

/** What a query returns once the end of the connection has been noticed. */
function outcomeAfter(port: QueryPort): Promise<string> {
  const limited = { ...rows, timeout: 300 };
  return eventually('an answer on another connection', async () => {
    const outcome = await outcomeOf(port, limited);
    return ['TIMEOUT', 'UNAVAILABLE'].includes(outcome) ? undefined : outcome;
  });
}

/** Tries each message of a conversation, some at the same time. @returns those where it did not go as it should */
async function wrongOf(conversation: string, attempt: (after: number) => Promise<boolean>): Promise<string[]> {
  const wrong: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let after = ++next; after <= conversation.length; after = ++next)
      if (!(await attempt(after))) wrong.push(conversation.slice(0, after));
  };
  await Promise.all(Array.from({ length: 10 }, work));
  return wrong;
}

describe.skipIf(!hasPostgres)('where PostgreSQL ends a connection, at any message', () => {
  describe.each<[string, Query]>([
    ['a query', rows],
    ['a connected query', connected],
  ])('%s', (_, of) => {
    it.each<Ending>(['closes', 'resets', 'stops'])('fails at once if it %s, and the next ones do not', async (how) => {
      const database = await postgresOf('');
      const { wire, port } = await openThrough(database);
      const whole = await outcomeOf(port, of);
      const wrong = await wrongOf(wire.messages[0] as string, async (after) => {
        const { port } = await openThrough(database, { connection: 0, after, how }, 20_000);
        const outcomes = [await outcomeOf(port, of), await outcomeOf(port, of), await outcomeOf(port, of)];
        await allFree(port);
        const [failed, ...more] = outcomes.filter((outcome) => outcome !== whole);
        return more.length === 0 && (failed === undefined || failed === 'UNAVAILABLE') && outcomes[2] === whole;
      });
      expect(whole).toMatch(/^\d+ rows$/);
      expect(wrong).toEqual([]);
    });
  });

  it('a query that is not answered any more ends at its time limit, and leaves its place', async () => {
    const database = await postgresOf('');
    const { wire, port } = await openThrough(database);
    await outcomeOf(port, rows);
    const wrong = await wrongOf(wire.messages[0] as string, async (after) => {
      const { port } = await openThrough(database, { connection: 0, after, how: 'is silent' });
      const outcome = await outcomeAfter(port);
      await allFree(port);
      return outcome === '1000 rows';
    });
    expect(wrong).toEqual([]);
  });

  describe.each([
    ['its connection', 0],
    ['the connection that stops it', 1],
  ])('a query that is stopped at its time limit leaves its place, also if %s', (_, connection) => {
    it.each<Ending>(['closes', 'resets', 'stops', 'is silent'])('%s', async (how) => {
      const database = await postgresOf('');
      const slow = { ...asleep, timeout: 200 };
      const { wire, port } = await openThrough(database);
      // On a busy machine its time may be over before there is a connection, and then none stops it.
      const conversation = await eventually('a query that began', async () => {
        await outcomeOf(port, slow);
        await allFree(port);
        return wire.messages[1] === undefined ? undefined : wire.messages[connection];
      });
      const wrong = await wrongOf(conversation, async (after) => {
        const { port } = await openThrough(database, { connection, after, how });
        const outcome = await outcomeOf(port, slow);
        await allFree(port);
        return ['TIMEOUT', 'UNAVAILABLE'].includes(outcome) && (await outcomeAfter(port)) === '1000 rows';
      });
      expect(wrong).toEqual([]);
    });
  });

  it('a query that was cut does not wait for the connection that should have stopped it', async () => {
    const database = await postgresOf('');
    const { port } = await openThrough(database, { connection: 1, after: 1, how: 'is silent' }, 5000);
    expect(await outcomeOf(port, { ...asleep, timeout: 200 })).toBe('TIMEOUT');
    await allFree(port, 3);
  });

  it('closing waits for a connection that is being made only as long as that may take', async () => {
    const database = await postgresOf('');
    const { port: none } = await openThrough(database, { connection: 0, after: 1, how: 'is silent' });
    const ready = expect(none.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await none.close();
    await ready;
    // Two are made at once, and one of them serves both queries.
    const { port: other } = await openThrough(database, { connection: 1, after: 1, how: 'is silent' });
    await Promise.all([outcomeOf(other, rows), outcomeOf(other, rows)]);
    await other.close();
  });
});
