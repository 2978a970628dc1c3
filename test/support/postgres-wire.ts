import { connect, createServer, type Server, type Socket } from 'node:net';

/** A message of a client that has a type byte (PostgreSQL's manual, section 55.7): `Q` is a query, `P` parses one. */
interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

/** What a transaction writes: `insert note`, `update job`; a table in another schema is `other`. */
export type Writes = ReadonlySet<string>;

/** What a proxy does with the commit of a transaction. */
type OnCommit = (writes: Writes) => 'forward' | 'hold';

/**
 * A TCP proxy before PostgreSQL, which reads the statements of its clients and notes what each transaction writes. It can keep a
 * commit from the database, and stop forwarding without closing anything.
 */
export class PostgresWire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Called for each connection that a client opens, before anything is forwarded. */
  onOpen: () => void = () => {};
  /** Called before a commit is forwarded. */
  onCommit: OnCommit = () => 'forward';
  /** What transactions wrote that were about to commit, by its text. */
  readonly seen = new Map<string, Writes>();
  #stalled = false;

  private constructor(host: string, port: number) {
    this.#server = createServer((client) => this.#serve(client, connect(port, host)));
  }

  static async open(url: string): Promise<PostgresWire> {
    const { hostname, port } = new URL(url);
    const wire = new PostgresWire(hostname, Number(port));
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  /** The URL of a database through the proxy. */
  through(url: string): string {
    const through = new URL(url);
    through.port = String((this.#server.address() as { readonly port: number }).port);
    return through.href;
  }

  /** Stops forwarding in both directions, or goes on. Connections stay open, and new ones are accepted. */
  stall(stalled: boolean): void {
    this.#stalled = stalled;
    for (const socket of this.#sockets)
      if (stalled) socket.pause();
      else socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket, server: Socket): void {
    this.onOpen();
    const statements = new Statements();
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#stalled) from.pause();
    }
    server.on('data', (bytes) => client.write(bytes));
    let held = false;
    client.on('data', (bytes) => {
      for (const { type, bytes: message } of statements.read(bytes)) {
        const writes = statements.take(type, message);
        if (writes !== undefined) {
          this.seen.set([...writes].join(', '), writes);
          held ||= this.onCommit(writes) === 'hold';
        }
        if (!held) server.write(message);
      }
    });
  }
}

const WRITES = /(?<!for |do |key )\b(insert|update|delete)(?: into| from)?\s+"?([a-z_]+)"?(?:\."?([a-z_]+)"?)?/gi;

/** The statements of one connection. */
class Statements {
  #rest = Buffer.alloc(0);
  #started = false;
  #writes: Set<string> | undefined;
  /** Texts of statements by name; that without a name is replaced by the next. */
  readonly #parsed = new Map<string, string>();

  *read(bytes: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      // The first message of a connection has no type.
      const head = this.#started ? 1 : 0;
      if (this.#rest.length < head + 4) return;
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield { type: this.#started ? String.fromCharCode(message[0] as number) : '', bytes: message };
      this.#started = true;
    }
  }

  /** The statement that a message runs. One that is parsed is run when values are bound to it, also again and again. */
  #text(type: string, message: Buffer): string | undefined {
    if (!'QPB'.includes(type)) return undefined;
    // Behind the length. Parse: the name of the statement, and its text. Bind: the portal, and the name of the statement.
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0', 2);
    if (type === 'Q') return first;
    if (type === 'B') return this.#parsed.get(second);
    this.#parsed.set(first, second);
    return undefined;
  }

  /** @returns what the transaction writes that a message commits */
  take(type: string, message: Buffer): Writes | undefined {
    const text = this.#text(type, message);
    if (text === undefined) return undefined;
    if (/^begin/i.test(text)) this.#writes = new Set();
    else if (/^(rollback|commit)/i.test(text)) {
      const writes = this.#writes ?? new Set();
      // What follows is not part of it.
      this.#writes = undefined;
      return /^c/i.test(text) ? writes : undefined;
    } else
      for (const [, verb = '', table = '', inSchema] of text.matchAll(WRITES)) {
        const name = inSchema === undefined ? table : 'other';
        this.#writes?.add(`${verb.toLowerCase()} ${name.replace(/^signalbox_/, '')}`);
      }
    return undefined;
  }
}
