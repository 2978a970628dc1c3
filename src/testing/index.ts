// Tests of a project: signalbox/testing. It needs no test runner: what fails throws an AssertionError of node:assert.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../invoke/index.ts';
import { type LoadedProject, loadProject, registryOf, renderDiagnostics } from '../load/index.ts';
import type { Answers } from '../mock/answers.ts';
import { answersOf, loadMocks } from '../mock/fixtures.ts';
import { alternatives, operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import { ID_PATTERN, type Role } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import { CHEAP, hashPassword } from '../security/password.ts';
import { openUsers } from '../security/users/open-users.ts';
import { databaseOptions } from '../serve/start/settings.ts';
import { type RunningGateway, startGateway } from '../serve/start.ts';
import { createSpool, type JobState, openStore } from '../store/index.ts';
import { duration } from '../wire/duration.ts';
import type { Clock } from '../wire/waiting.ts';
import { type Credentials, createCaller, type TestCaller } from './caller.ts';
import { type ContractForm, compareContract } from './contract.ts';
import { createFreshDatabase, type FreshDatabase, literal, withDatabase } from './database.ts';
import { type AnyPartners, Partners, type PartnerTypes, type TestPartner } from './partners.ts';
import { readTime } from './time.ts';

export type { PartnerCall, PartnerReply } from '../mock/answers.ts';
export type { PartnerRefusal } from '../mock/mock-port.ts';
export { Fault } from '../model/fault.ts';
export type { ReplyOf, RequestOf, TestCaller } from './caller.ts';
export type { ContractForm } from './contract.ts';
export type { AnswerOptions, AnyPartners, PartnerTypes, TestPartner } from './partners.ts';

export interface TestGatewayOptions {
  /** The project's folder; the current one by default. */
  readonly root?: string;
  /** Folder of the definitions, relative to the root; `definitions` by default. */
  readonly definitions?: string;
  /** All that `${env:}` and `${secret:}` find: the environment of the process is not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** `postgres://…` of a server on which databases may be created; without it, SQLite. */
  readonly database?: string | undefined;
}

/** Who calls: a new user with these roles or permission lists, or one of the definitions; nobody without any of them. */
export interface CallerOptions {
  /** The id of the user; of the definitions if they have it, else of one that this test has made, else of a new one. */
  readonly user?: string;
  /** Ids of permission lists. */
  readonly grants?: readonly string[];
  /** Ids of roles. */
  readonly roles?: readonly string[];
}

/** A line of the gateway's log. */
export interface LogLine {
  readonly level: string;
  readonly msg?: string;
  readonly [member: string]: unknown;
}

/** A job that failed: for good, or until its next attempt. */
export interface FailedWork {
  readonly queue: string;
  readonly id: string;
  readonly attempts: number;
  readonly error: string;
  /** When it is attempted again, by the clock of the gateway; absent for a job that failed for good. */
  readonly again?: Date;
}

/** A clock that stands by the machine's, and is moved ahead by the test. */
export interface TestClock {
  /** The time of the gateway. */
  now(): Date;
  /** Moves it ahead: `2 h`, `30 m`, `90 d`; a number is in milliseconds. What became due then runs at `settle`, or by itself. */
  advance(time: string | number): Promise<void>;
}

/**
 * A project's gateway with a database of its own.
 * @typeParam H `Handlers` of `generated/handlers.ts`
 * @typeParam P `Partners` of `generated/client.ts`
 */
export interface TestGateway<H, P extends PartnerTypes<P> = AnyPartners> extends AsyncDisposable {
  /** `http://127.0.0.1:40123`. */
  readonly address: string;
  readonly registry: Registry;
  /** The lines of its log so far. */
  readonly log: readonly LogLine[];
  readonly clock: TestClock;
  caller(options?: CallerOptions): Promise<TestCaller<H>>;
  /** The other side of a node, with the types of its operations. */
  partner<Node extends keyof P & string>(node: Node): TestPartner<P[Node]>;
  /**
   * Runs all background work that is due, to its end, with what it enters. @returns what failed since the last time
   * @throws Error when work is still running after ten seconds
   */
  settle(): Promise<readonly FailedWork[]>;
  /** Stops it and removes its database. @throws AssertionError when a partner has refused a request, and no test has verified it */
  close(): Promise<void>;
}

/**
 * Starts the gateway of a project on a free port of this machine, with a fresh database and with partners in place of all nodes
 * that it calls.
 * @throws DefinitionsError, GatewayError, StoreError as a gateway does that can't start
 */
export async function startTestGateway<H = Record<never, never>, P extends PartnerTypes<P> = AnyPartners>(
  options: TestGatewayOptions = {},
): Promise<TestGateway<H, P>> {
  const { root = process.cwd(), definitions, env: given = {} } = options;
  const place = definitions === undefined ? { root } : { root, definitions };
  const loaded = loadProject(place);
  const passwords = new Passwords();
  const sound = await testable(registryOf(loaded), passwords);
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).toReversed()) await each();
  };
  try {
    const source = { project: loaded, registry: sound, place, server: options.database, env: given };
    const database = await createFreshDatabase(source);
    closing.push(() => database.drop());
    const registry = withDatabase(sound, database.url);
    const { test: clock, read } = createClock(database);
    const partners = new Partners(registry, mocksOf(registry, root));
    const env = { ...given, ...(await partners.start(clock)) };
    closing.push(() => partners.close());
    const lines: LogLine[] = [];
    const gateway = await startGateway({
      ...{ ...place, env, clock: read, readers: 1, usersWithin: 0 },
      project: { ...loaded, registry } satisfies LoadedProject,
      log: { to: { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) } },
    });
    closing.push(() => gateway.close({ timeoutMs: 1000 }));
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-caller-'));
    const client = createClient(registry, { env: {}, spool: createSpool({ folder }) });
    closing.push(async () => {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const ports = { registry, address: gateway.address, client, find: (id: string) => findOperation(registry, id) };
    const settled = new Set<string>();
    const made: Made = new Map();
    const closed = async (): Promise<void> => {
      await close();
      partners.verify();
    };
    return {
      address: gateway.address,
      registry,
      log: lines,
      clock,
      partner: (node) => partners.of(node),
      caller: async (who = {}) => createCaller<H>(ports, await signIn(ports.registry, database, passwords, made, who)),
      settle: () => settle(gateway, settled),
      close: closed,
      [Symbol.asyncDispose]: closed,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Compares a contract of a service with the file that has it.
 * @param of a gateway, or the folder of a project
 * @param file relative to the current folder, or to the project's when that is given
 * @throws AssertionError with the differences; with `UPDATE_CONTRACTS=1` or the argument `--update` the file is written instead
 */
export async function expectContract(
  of: { readonly registry: Registry } | string,
  form: ContractForm,
  service: string,
  file: string,
): Promise<void> {
  const root = typeof of === 'string' ? of : process.cwd();
  const registry = typeof of === 'string' ? registryOf(loadProject({ root, handlers: 'ignore-missing' })) : of.registry;
  compareContract(registry, form, service, { root, file });
}

/** The answers of `mocks/`. @throws Error when they have errors */
function mocksOf(registry: Registry, root: string): Answers {
  const mocks = loadMocks(registry, root);
  if (mocks.diagnostics.length > 0)
    throw new Error(`mocks/ has errors\n\n${renderDiagnostics(mocks, { colour: false }).trimEnd()}`);
  return answersOf(mocks);
}

/** The passwords of users, which only this test knows. */
class Passwords {
  readonly #known = new Map<string, string>();

  /** A new password. @returns its hash */
  async set(user: string): Promise<string> {
    const password = `test-${user}-${this.#known.size}`;
    this.#known.set(user, password);
    return hashPassword(password, CHEAP);
  }

  of(user: string): Credentials {
    return { user, password: this.#known.get(user) ?? '' };
  }
}

/** The role that gives a permission list to a user of a test. */
const grantRole = (list: string): string => `${GRANT}${list}`;
const isGrantRole = (role: string): boolean => role.startsWith(GRANT);
/** No id of the definitions has a colon. */
const GRANT = 'test:';

/** The registry for a gateway on a loopback port: passwords that cost nothing, a role for each list, no TLS or files of its own. */
async function testable(registry: Registry, passwords: Passwords): Promise<Registry> {
  const { tls: _tls, audit: _audit, publicUrl: _url, ...gateway } = registry.gateway;
  const roles = new Map(registry.roles);
  for (const list of registry.permissionLists.values()) {
    const id = grantRole(list.id);
    const role: Role = { ...{ id, permissionLists: [list], at: list.at } };
    roles.set(id, role);
  }
  const users = new Map(registry.users);
  for (const user of users.values()) users.set(user.id, { ...user, password: await passwords.set(user.id) });
  return { ...registry, roles, users, gateway: { ...gateway, listen: literal('127.0.0.1:0'), proxies: [] } };
}

/** The users that a test has made, by id. */
type Made = Map<string, { readonly roles: string; readonly credentials: Promise<Credentials> }>;

async function signIn(
  registry: Registry,
  database: FreshDatabase,
  passwords: Passwords,
  made: Made,
  { user, grants = [], roles = [] }: CallerOptions,
): Promise<Credentials | undefined> {
  if (user === undefined && grants.length + roles.length === 0) return undefined;
  for (const list of grants) known(list, registry.permissionLists, 'permission list');
  for (const role of roles) known(role, registry.roles, 'role');
  if (user !== undefined && !new RegExp(ID_PATTERN).test(user))
    throw new TypeError(
      `${JSON.stringify(user)} is not the id of a user: it has letters and digits, and after the first also _ . @ -`,
    );
  if (user !== undefined && registry.users.has(user)) {
    if (grants.length + roles.length > 0)
      throw new TypeError(
        `the definitions have the user ${user}: its roles are there, so name no roles or grants here`,
      );
    return passwords.of(user);
  }
  const id = user ?? `tester-${made.size + 1}`;
  const all = [...roles, ...grants.map(grantRole)].sort();
  const before = made.get(id);
  if (before === undefined) {
    const credentials = addUser(registry, database, passwords, { id, roles: all });
    made.set(id, { roles: all.join(), credentials });
    return credentials;
  }
  if (all.length > 0 && all.join() !== before.roles)
    throw new TypeError(`the test has made the user ${id} before, with other roles or grants: name another user`);
  return before.credentials;
}

async function addUser(
  { gateway }: Registry,
  database: FreshDatabase,
  passwords: Passwords,
  { id, roles }: { readonly id: string; readonly roles: readonly string[] },
): Promise<Credentials> {
  const store = await openStore({ ...databaseOptions(gateway, '/', {}), url: database.url });
  try {
    await openUsers({ store, actor: 'test' }).add({ id, password: await passwords.set(id), roles });
  } finally {
    await store.close();
  }
  return passwords.of(id);
}

function known(id: string, among: ReadonlyMap<string, { readonly id: string }>, what: string): void {
  if (among.has(id)) return;
  const ids = [...among.keys()].filter((each) => !isGrantRole(each));
  throw new TypeError(`unknown ${what} ${id}; the definitions have ${ids.length === 0 ? 'none' : ids.join(', ')}`);
}

function findOperation(registry: Registry, name: string): Operation {
  const found = (operationsByName(registry).get(name) ?? []).filter((each): each is Operation => !('target' in each));
  const [operation] = found;
  if (operation === undefined) throw new TypeError(`the gateway provides no operation ${name}`);
  if (found.length > 1) throw new TypeError(`the name ${name} is ambiguous: ${alternatives(found)}`);
  return operation;
}

/** A hundred years: dates stay within what databases keep. */
const FARTHEST = { ms: 36_525 * 86_400_000, words: '100 years' };

/** The clock of a test, and the same as the gateway reads it. */
function createClock(database: FreshDatabase): { readonly test: TestClock; readonly read: Clock } {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  return {
    read: { now, elapsed: () => performance.now() + ahead },
    test: {
      now: () => new Date(now()),
      async advance(time) {
        ahead += readTime(time, FARTHEST, 'the clock can be moved', ': it does not go back');
        await database.advance(ahead);
      },
    },
  };
}

/** Milliseconds for background work to end. */
const SETTLE_WITHIN = 10_000;

/** The queues in which jobs run or could, as words. */
async function busyQueues({ queues }: RunningGateway['background']): Promise<readonly string[]> {
  const busy: string[] = [];
  for (const { queue, paused, waiting, running, held, delayed } of await queues.overview()) {
    const isFree = held + delayed === 0;
    const couldRun = waiting > 0 && paused === undefined && (isFree || (await hasOthers(queues, queue)));
    if (running > 0 || couldRun) busy.push(`${queue} has ${waiting} waiting and ${running} running`);
  }
  return busy;
}

/** Whether jobs of a queue wait that are not behind one that is held, or that failed and is tried again later. */
async function hasOthers(queues: RunningGateway['background']['queues'], queue: string): Promise<boolean> {
  const list = async (state: JobState) => (await queues.list(queue, { state, limit: 1000 })).jobs;
  const failed = (await list('delayed')).filter(({ attempts }) => attempts > 0);
  const blocked = new Set([...(await list('held')), ...failed].map(({ key }) => key));
  return (await list('waiting')).some(({ key }) => key === undefined || !blocked.has(key));
}

async function settle({ background }: RunningGateway, seen: Set<string>): Promise<readonly FailedWork[]> {
  const limit = performance.now() + SETTLE_WITHIN;
  // What ends may let more become due: it is done when a look finds nothing.
  for (let hadWork = true; hadWork; ) {
    await background.hurry();
    hadWork = false;
    for (let busy = await busyQueues(background); busy.length > 0; busy = await busyQueues(background)) {
      hadWork = true;
      if (performance.now() > limit)
        throw new Error(`background work did not end within ${duration(SETTLE_WITHIN)}: ${busy.join('; ')}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const failed: FailedWork[] = [];
  for (const { queue } of await background.queues.overview()) {
    for (const state of ['dead', 'held', 'delayed'] as const) {
      const { jobs } = await background.queues.list(queue, { state, limit: 100 });
      for (const { id, attempts, reason = '', due } of jobs) {
        const key = `${id} ${attempts} ${state}`;
        if (seen.has(key) || (state === 'delayed' && attempts === 0)) continue;
        seen.add(key);
        const again = state === 'delayed' && due !== undefined ? { again: new Date(due) } : {};
        failed.push({ queue, id, attempts, error: reason, ...again });
      }
    }
  }
  return failed;
}
