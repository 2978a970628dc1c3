import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { type Components, openComponents } from '../../src/event/index.ts';
import type { Component, ComponentEventRegistration } from '../../src/model/component.ts';
import type { Transaction, WorkContext } from '../../src/model/handler.ts';
import type { Role } from '../../src/model/security.ts';
import { type ComponentEvent, type ServiceClass, ServiceInterface } from '../../src/model/service-interface.ts';
import type { Account } from '../../src/model/work.ts';
import type { Owners } from '../../src/security/directory/directory-port.ts';
import { type JobQueue, openQueue, openStore, type Store, sqlTransaction } from '../../src/store/index.ts';
import { createDirectory } from '../support/directory.ts';
import { document, field, registry } from '../support/registry.ts';

const key = field('ID', 'integer', { required: true });
const lock = field('REVISION', 'integer');

/** Writes each save down, by two classes. */
class Audit extends ServiceInterface {
  override async execute({ execute, save, after }: ComponentEvent): Promise<void> {
    const values = { save, id: after?.ID, revision: after?.REVISION, class: this.constructor.name };
    await execute('insert into audit (save, id, revision, class) values (:save, :id, :revision, :class)', values);
  }
}
class Second extends Audit {}

const TABLES = `create table counted (id integer primary key, name text, revision integer);
create table audit (n integer primary key, save text, id integer, revision integer, class text);`;

const service = (file: string) => ({ id: file, file, permissions: [], public: true, at: key.at });
const COUNTED: Component = {
  id: 'COUNTED',
  table: 'counted',
  shape: document('COUNTED', [key, field('NAME'), lock]),
  keys: [key],
  lock,
  permissions: [],
  public: true,
  publications: [],
  events: ['Audit', 'Second'].map((file, index) => ({
    enabled: true,
    event: 'SavePostChange',
    service: service(file),
    sequence: index + 1,
    processing: 'Post Process',
    at: key.at,
  })),
  at: key.at,
};

/** A component whose saves are written down, as a gateway has it, on a database. */
export interface Audited {
  readonly store: Store;
  readonly queue: JobQueue;
  readonly components: Components;
  readonly component: Component;
}

export interface AuditedOptions {
  readonly directory?: (store: Store) => Promise<Owners>;
  readonly onError?: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  readonly account?: Account;
  /** The clock of the queue, in milliseconds. */
  readonly now?: () => number;
  /** In place of the first class. */
  readonly first?: ServiceClass;
  /** The role whose grants the first class runs under. */
  readonly firstAs?: Role;
}

/** Opens it; the queue is not started yet. */
export async function openAudited(folder: string, options: AuditedOptions = {}): Promise<Audited> {
  const store = await openStore({ url: 'sqlite:box.db', root: folder });
  await store.migrate();
  await store.loadSampleData([{ name: 'tables.sql', sql: TABLES }]);
  const queue = await openQueue(store, options.now === undefined ? {} : { now: options.now });
  const [first, ...others] = COUNTED.events as [ComponentEventRegistration, ...ComponentEventRegistration[]];
  const { firstAs: as } = options;
  // Its grants decide: without the role, only those of a user.
  const service = { ...first.service, public: false, permissions: as?.permissionLists ?? [] };
  const component = as === undefined ? COUNTED : { ...COUNTED, events: [{ ...first, service, as }, ...others] };
  const components = openComponents({
    registry: { ...registry({}), components: new Map([[component.id, component]]) },
    store,
    queue,
    directory: (await options.directory?.(store)) ?? createDirectory(new Map(), true),
    saves: new Map(),
    publisherOf: () => async () => undefined,
    classes: new Map([
      ['Audit', options.first ?? Audit],
      ['Second', Second],
    ]),
    redactor: createRedactor(),
    work: ({ user, requestId, signal }) => {
      const context: Partial<WorkContext> = { caller: { user: user?.id }, requestId, signal, log() {} };
      return {
        context: context as WorkContext,
        inside: (tx) => sqlTransaction(tx, store.kind) as Transaction,
        done() {},
      };
    },
    onError: options.onError ?? (() => {}),
    account: options.account,
  });
  return { store, queue, components, component };
}
