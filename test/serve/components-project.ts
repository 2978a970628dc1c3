import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `document: PLACE
fields:
  REGION: { type: string(1), required: true }
  ID: { type: integer, required: true }
  NAME: { type: string(10), required: true }
  STATUS: { type: string(1), enum: [A, I, X], default: A }
  PRICE: decimal(12.2)
  OPENED: date
  SEEN: datetime
  CLOSES: time
  BIG: integer
  LISTED: boolean
  CHECKED: flag
  TOKEN: uuid
  LINK: uri
  MORE: json
  REVISION: integer
---
document: NOTE
fields: { ID: { type: string(5), required: true }, TEXT: text }
---
document: TICKET
fields: { TOKEN: { type: uuid, required: true }, LINK: { type: uri, required: true } }
---
{ component: TICKETS, table: ticket, shape: TICKET, keys: [TOKEN, LINK] }
---
component: PLACES
table: place
shape: PLACE
keys: [REGION, ID]
lock: REVISION
events:
  - { event: SavePostChange, service: SECOND, sequence: 1, enabled: false }
  - { event: SavePostChange, service: SECOND, sequence: 3 }
  - { event: SavePostChange, service: AUDIT, sequence: 2, processing: Post Process }
  - { event: SavePostChange, service: DISABLED, sequence: 4, enabled: false }
  - { event: SavePostChange, service: GUARDED, sequence: 5 }
  - { event: SavePreChange, service: REFUSES, processing: Pre Process }
---
component: NOTES
table: note
shape: NOTE
keys: [ID]
---
{ related-content: AUDIT, class: audit, public: true }
---
{ related-content: SECOND, class: second, public: true }
---
{ related-content: DISABLED, class: second, public: true }
---
{ related-content: GUARDED, class: guarded, permission: NOBODY }
---
{ related-content: REFUSES, class: refuses, public: true }
---
permission-list: NOBODY
---
document: WRONG
fields: { MESSAGE: { type: text, default: "{fault.message}" }, CODE: { type: string, default: "{fault.code}" } }
---
service: Places.v1
permission: EVERYTHING
fault: WRONG
operations:
  PLACE_GET: { get: "places/{REGION}/{ID}", soap: true, read: PLACES }
  PLACE_POST: { post: places, soap: true, save: PLACES }
  PLACE_PUT: { put: "places/{REGION}/{ID}", soap: true, save: PLACES }
  PLACE_PATCH: { patch: "places/{REGION}/{ID}", soap: true, save: PLACES }
  PLACE_DELETE: { delete: "places/{REGION}/{ID}{?REVISION}", soap: true, save: PLACES }
  PLACE_SAVE: { soap: true, save: PLACES }
  TICKET_GET: { get: "tickets/{TOKEN}{?LINK}", read: TICKETS }
  TICKET_PUT: { put: "tickets/{TOKEN}{?LINK}", save: TICKETS }
  NOTE_GET: { get: "notes/{ID}", read: NOTES }
  NOTE_PUT: { put: "notes/{ID}", save: NOTES }
  NOTE_QUIET: { put: "quiet/{ID}", save: NOTES, response: none }
  NOTE_CODE: { post: "code/{ID}", request: { fields: { ID: string, TEXT: text, HOW: string, TAG: string } }, response: json }
`;

/** The tables, in the words of an engine. */
function tables(kind: 'sqlite' | 'postgres'): string {
  const [serial, decimal, instant, boolean, json, uuid] =
    kind === 'sqlite'
      ? ['integer primary key', 'text', 'text', 'integer', 'text', 'text']
      : ['serial primary key', 'numeric(12, 2)', 'timestamptz', 'boolean', 'jsonb', 'uuid'];
  return `create table place (
  region varchar(1) not null, id integer not null, name text, status varchar(1) not null, price ${decimal}, opened date,
  seen ${instant}, closes time, big bigint, listed ${boolean}, checked varchar(1), token ${uuid}, link text, more ${json}, revision integer,
  size integer default 7, primary key (region, id), constraint named unique (name), check (status <> 'X')
);
create table ticket (token ${uuid} not null, link text not null, primary key (token, link));
create table note (id varchar(5) primary key, text text);
create table audit (n ${serial}, save varchar(36), class varchar(10), action varchar(10), was text, now text, oprid varchar(30));
`;
}

const FILES = {
  'definitions/places.yaml': DEFINITIONS,
  'src/handlers/audit.ts': audit('audit'),
  'src/handlers/second.ts': audit('second'),
  'src/handlers/guarded.ts': audit('guarded'),
  'src/handlers/refuses.ts': `import { Fault, ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute(event) {
    const name = event.after?.NAME;
    if (name === undefined || !name.startsWith('!')) return;
    await event.execute("insert into audit (save, class) values (:save, 'refuses')", { save: event.save });
    if (name === '!same') event.log('info', 'asked of ' + event.after.ID);
    if (name === '!fault') throw Fault.custom('NOT_TODAY', 409, 'Not today.');
    if (name === '!error') throw new Error('secret detail of a class');
    if (name === '!note') await event.saveComponent('NOTES', { ID: 'n' + event.after.ID, TEXT: 'by a class' });
    if (name === '!loop') await event.saveComponent('PLACES', { ...event.after, REVISION: undefined });
    if (name === '!change') event.after.NAME = 'changed';
  }
}
`,
  'src/handlers/note-code.ts': `export default {
  async onRequest({ ID, TEXT, HOW, TAG }, context) {
    const saved = await context.saveComponent('NOTES', { ID, TEXT }, { action: HOW, ifMatch: TAG });
    return { created: saved.created, etag: saved.etag ?? '', text: saved.record?.TEXT ?? '' };
  },
};
`,
};

/** A class that writes saves down. The specification writes the name of its method with a capital letter. */
function audit(name: string): string {
  return `import { ServiceInterface } from 'signalbox';
const text = (record) => record && JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value));
export default class extends ServiceInterface {
  async ${name === 'second' ? 'Execute' : 'execute'}({ execute, save, action, before, after, caller, attempt }) {
    if (after?.NAME === 'fails' && '${name}' === 'audit' && attempt === 1) {
      await execute("insert into audit (save, class) values (:save, 'lost')", { save });
      throw new Error('the first attempt fails');
    }
    await execute(
      'insert into audit (save, class, action, was, now, oprid) values (:save, :name, :action, :was, :now, :user)',
      { save, name: '${name}', action, was: text(before), now: text(after), user: caller.user },
    );
  }
}
`;
}

/** A gateway with components, on one of the engines; classes write to the table audit. */
export interface ComponentsGateway extends TestGateway {
  /** Runs SQL in the gateway's database. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Engines that there are here. */
export const ENGINES: readonly ('sqlite' | 'postgres')[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

export async function startComponents(
  kind: 'sqlite' | 'postgres',
  more: Readonly<Record<string, string>> = {},
): Promise<ComponentsGateway> {
  const database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
  const files = {
    ...FILES,
    'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
    'definitions/data/tables.sql': tables(kind),
    ...more,
  };
  const gateway = await startTestGateway({
    files,
    ...(database === undefined ? {} : { env: { DATABASE_URL: database.url } }),
  });
  return {
    ...gateway,
    async rows(sql) {
      if (database !== undefined) return (await database.run(sql)).rows;
      const file = new Database(join(gateway.folder, 'test.db'));
      const statement = file.prepare(sql);
      const found = statement.reader ? statement.all() : [statement.run()];
      file.close();
      return found as Record<string, unknown>[];
    },
    async stop() {
      await gateway.stop();
      await database?.drop();
    },
  };
}
