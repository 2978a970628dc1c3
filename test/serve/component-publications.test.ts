// Saves that publish, and code that runs in their transaction: HTTP in, subscriptions out.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, type EngineKind, type MessageGateway, startMessages } from '../message/project.ts';
import { type Reply, startTestGateway } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { envelope, SERVICES } from './soap-client.ts';

const DEFINITIONS = `document: JOB
fields:
  ID: { type: integer, required: true }
  TITLE: { type: string(30), required: true }
  STATUS: { type: string(8), enum: [OPEN, WAITING, CLOSED], default: OPEN }
  HOURS: decimal(6.2)
  MEMO: { type: string(10), nullable: true, default: none }
  OWNER: string(10)
  PIN: { type: string(8), sensitive: true }
  REVISION: integer
---
component: JOBS
table: job
shape: JOB
keys: [ID]
lock: REVISION
after-save: job-history
publish:
  - operation: JOB_CHANGED
    map:
      WAS: "{before.STATUS}"
      ACTION: "{save.action}"
      LABEL: "{ID}: {TITLE}"
      SOURCE: jobs
      N: "{REVISION}"
  - { operation: JOB_CLOSED, on: updated, when: { STATUS: CLOSED, before.STATUS: [OPEN, WAITING] } }
events:
  - { event: SavePreChange, service: JOB_RULES }
  - { event: SavePostChange, service: JOB_LATER }
---
{ related-content: JOB_RULES, class: job-rules, public: true }
---
{ related-content: JOB_LATER, class: job-later, public: true }
---
# The queue has one operation alone, which therefore needs no name.
component: NOTES
table: note
shape: NOTE
keys: [ID]
publish: NOTE_EVENTS
after-save: { handler: note-saved, on: [created, updated], when: { TEXT: run }, as: READERS }
---
document: NOTE
fields: { ID: { type: string(5), required: true }, TEXT: text }
---
{ queue: JOB_EVENTS, order: [ID], search: [ID] }
---
{ queue: NOTE_EVENTS }
---
document: JOB_EVENT
fields:
  ID: { type: integer, required: true }
  TITLE: { type: string(12), required: true }
  STATUS: { type: string(8), required: true }
  WAS: string(8)
  HOURS: decimal(6.2)
  MEMO: { type: string(10), nullable: true }
  ACTION: { type: string(7), required: true, enum: [created, updated, deleted] }
  LABEL: text
  SOURCE: { type: string(10), required: true }
  N: { type: integer, required: true }
---
# No caller has it: the component publishes, not the user who saves.
permission-list: PUBLISHERS
---
permission-list: QUERIES
---
{ role: READERS, permission-lists: [QUERIES] }
---
query: JOBS_OPEN
permission: QUERIES
columns: { ID: integer }
sql: select id from job where status = 'OPEN' order by id
---
service: Jobs.v1
permission: EVERYTHING
operations:
  JOB_GET: { get: "jobs/{ID}", read: JOBS }
  JOB_POST: { post: jobs, soap: true, save: JOBS }
  JOB_PUT: { put: "jobs/{ID}", save: JOBS }
  JOB_PATCH: { patch: "jobs/{ID}", save: JOBS }
  JOB_DELETE: { delete: "jobs/{ID}", save: JOBS }
  NOTE_PUT: { put: "notes/{ID}", save: NOTES }
  JOBS_BY_CODE: { post: code, request: { fields: { ID: integer, THEN: string } } }
---
service: Events.v1
permission: PUBLISHERS
operations:
  JOB_CHANGED: { post: changed, request: JOB_EVENT, queue: JOB_EVENTS }
  JOB_CLOSED: { post: closed, request: { fields: { ID: { type: integer, required: true } } }, queue: JOB_EVENTS }
  NOTE_SAVED: { post: note, request: { fields: { ID: { type: string(5), required: true }, TEXT: text } }, queue: NOTE_EVENTS }
---
{ subscription: CHANGES, operation: JOB_CHANGED, handler: takes }
---
{ subscription: CLOSINGS, operation: JOB_CLOSED, handler: takes }
---
{ subscription: NOTES_TAKEN, operation: NOTE_SAVED, handler: takes }
`;

const text = (record: string) =>
  `JSON.stringify(${record} ?? null, (key, value) => (key === 'PIN' ? undefined : value))`;

const FILES = {
  'definitions/jobs.yaml': DEFINITIONS,
  'src/handlers/job-history.ts': `import { Fault } from 'signalbox';
export default {
  async onSave(save, context) {
    const { rows } = await context.execute('select status from job where id = :ID', { ID: (save.after ?? save.before).ID });
    await context.execute(
      'insert into history (step, save, action, was, now, found, oprid) values (:step, :id, :action, :was, :now, :found, :user)',
      { step: 'after-save', id: save.id, action: save.action, was: ${text('save.before')}, now: ${text('save.after')},
        found: rows[0]?.status ?? 'none', user: context.caller.user },
    );
    if (save.after?.TITLE === '!fault') throw Fault.custom('NOT_TODAY', 409, 'Not today.');
    if (save.after?.TITLE === '!error') throw new Error('hidden words of the code');
    if (save.after?.TITLE === '!note') await context.saveComponent('NOTES', { ID: 'n' + save.after.ID, TEXT: 'by code' });
    if (save.after?.TITLE === '!loop') await context.saveComponent('JOBS', { ...save.after, REVISION: undefined });
    const after = save.after ?? {};
    if (after.TITLE === '!sql') await context.execute("update job set title = 'by sql', revision = 7 where id = :ID", { ID: after.ID });
    if (after.TITLE === '!again') await context.saveComponent('JOBS', { ID: after.ID, TITLE: 'again' }, { action: 'patch' });
    if (after.TITLE === '!gone') await context.execute('delete from job where id = :ID', { ID: after.ID });
    if (after.TITLE === '!remove') await context.saveComponent('JOBS', { ID: after.ID }, { action: 'delete' });
    if (save.action === 'deleted' && save.before.TITLE === 'phoenix')
      await context.saveComponent('JOBS', { ID: save.before.ID, TITLE: 'reborn' });
    if (save.after?.TITLE === '!change') save.after.TITLE = 'changed';
  },
};
`,
  'src/handlers/note-saved.ts': `export default {
  async onSave({ after, action }, context) {
    const open = await context.tx.query('JOBS_OPEN');
    await context.execute("insert into history (step, action, now) values ('note', :action, :now)",
      { action, now: context.component + ' ' + after.ID + ' ' + (open.length > 0) });
  },
};
`,
  'src/handlers/job-rules.ts': rule('before', "if (event.after?.TITLE === '!rule') throw new Error('refused');"),
  'src/handlers/job-later.ts': rule('later', ''),
  'src/handlers/takes.ts': `export default {
  async onMessage(message, context) {
    await context.execute('insert into taken (subscription, message) values (:subscription, :message)', {
      subscription: context.subscription,
      message: JSON.stringify(message),
    });
  },
};
`,
  'src/handlers/jobs-by-code.ts': `export default {
  async onRequest({ ID, THEN }, context) {
    await context.transaction(async (tx) => {
      await tx.saveComponent('JOBS', { ID, TITLE: 'by code' });
      if (THEN === 'fail') throw new Error('rolled back');
      await tx.saveComponent('JOBS', { ID, STATUS: 'CLOSED' }, { action: 'patch' });
    });
    return {};
  },
};
`,
};

/** A class that writes down when it runs. */
function rule(step: string, then: string): string {
  return `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute(event) {
    ${then}
    await event.execute('insert into history (step, save, action, found) values (:step, :save, :action, :found)',
      { step: '${step}', save: event.save, action: event.action, found: '${step}' === 'later' ? ${text('event.after')} : null });
  }
}
`;
}

function tables(kind: EngineKind): string {
  const serial = kind === 'sqlite' ? 'integer primary key' : 'serial primary key';
  return `create table person (id varchar(10) primary key);
insert into person (id) values ('ada');
create table job (id integer primary key, title text not null, status varchar(8), hours ${kind === 'sqlite' ? 'text' : 'numeric(6, 2)'},
  memo varchar(10), owner varchar(10) references person (id) deferrable initially deferred, pin varchar(8), revision integer);
create table note (id varchar(5) primary key, text text);
create table history (n ${serial}, step text, save text, action text, was text, now text, found text, oprid text);
create table taken (n ${serial}, subscription text, message text);
`;
}

const BASE = '/gateway/RESTListeningConnector/Jobs.v1';

it('deliver what a caller saves whom a token vouches for, in the name of that caller', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const scheme = `requires: [idp]
sample-data: data/*.sql
---
scheme: idp
bearer: { issuer: ${issuer.url}, audience: signalbox, jwks: ${issuer.jwks}, algorithms: [ES256], roles: { all: [ALL] } }`;
  const box = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(scheme),
      'definitions/places.yaml': `document: PLACE
fields: { ID: { type: string(5), required: true } }
---
{ component: PLACES, table: place, shape: PLACE, keys: [ID], publish: PLACE_EVENTS }
---
queue: PLACE_EVENTS
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_PUT: { put: "places/{ID}", save: PLACES }
  PLACE_SAVED: { post: saved, request: PLACE, queue: PLACE_EVENTS }
---
{ subscription: TAKES, operation: PLACE_SAVED, handler: takes }
`,
      'definitions/data/0001.sql': 'create table place (id varchar(5) primary key);',
      'src/handlers/takes.ts': `export default {
  onMessage: ({ ID }, { log, caller }) => log('info', 'taken ' + ID, { taker: caller.user }),
};
`,
    },
  });
  onTestFinished(() => box.stop());
  const headers = { authorization: `Bearer ${await issuer.token({ scope: 'all', sub: 'partner' })}` };
  const path = '/gateway/RESTListeningConnector/Places.v1/places/a';
  expect((await box.call(path, { method: 'PUT', headers, body: '{}' })).status).toBe(201);
  const line = await eventually('the delivery', () =>
    box.log().find((each) => JSON.stringify(each).includes('taken a')),
  );
  expect(line).toMatchObject({ taker: 'idp:partner' });
});

describe.each(ENGINES)('saves that publish, on %s', (kind) => {
  let box: MessageGateway;

  beforeAll(async () => {
    box = await startMessages(kind, { ...FILES, 'definitions/data/0001.sql': tables(kind) });
  });
  afterAll(() => box?.stop());

  const send = (method: string, path: string, body?: object, headers = {}): Promise<Reply> =>
    box.call(`${BASE}/${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const sent = async (...given: Parameters<typeof send>): Promise<number> => (await send(...given)).status;
  /** The messages about a job that a subscription took, once there are so many. */
  const taken = async (id: number | string, subscription: string, count: number): Promise<unknown[]> => {
    const like = typeof id === 'number' ? `%"ID":${id},%' or message like '%"ID":${id}}%` : `%"ID":"${id}"%`;
    const where = `subscription = '${subscription}' and (message like '${like}')`;
    const rows = await box.found(subscription, `select message from taken where ${where} order by n`, count);
    return rows.map(({ message }) => JSON.parse(message as string));
  };
  /** All messages about a job, delivered or not. */
  const messages = (id: number): Promise<unknown[]> =>
    box.rows(
      `select m.operation, m.connector, m.actor from signalbox_message m join signalbox_message_field f on f.message = m.id
      where f.name = 'ID' and f.value = '${id}' order by m.id`,
    );
  const steps = (id: number): Promise<Record<string, unknown>[]> =>
    box.rows(`select * from history where now like '%"ID":${id},%' or was like '%"ID":${id},%' order by n`) as never;

  it('deliver a message for each save, with what was and what is', async () => {
    expect(await sent('POST', 'jobs', { ID: 1, TITLE: 'Brakes', HOURS: '1.50' })).toBe(201);
    expect(await sent('PATCH', 'jobs/1', { STATUS: 'WAITING', MEMO: null })).toBe(200);
    expect(await sent('DELETE', 'jobs/1')).toBe(204);
    const same = { ID: 1, TITLE: 'Brakes', HOURS: '1.5', LABEL: '1: Brakes', SOURCE: 'jobs' };
    const all = (await taken(1, 'CHANGES', 3)) as { HOURS: string }[];
    expect(all.map(({ HOURS, ...rest }) => ({ ...rest, HOURS: HOURS.replace(/0$/, '') }))).toEqual([
      { ...same, STATUS: 'OPEN', MEMO: 'none', ACTION: 'created', N: 1 },
      { ...same, STATUS: 'WAITING', MEMO: null, WAS: 'OPEN', ACTION: 'updated', N: 2 },
      { ...same, STATUS: 'WAITING', MEMO: null, WAS: 'WAITING', ACTION: 'deleted', N: 2 },
    ]);
    const event = { operation: 'JOB_CHANGED', connector: 'component', actor: 'demo' };
    expect(await messages(1)).toEqual([event, event, event]);
  });

  it('fill what a row never had with the defaults of its fields, so that it can be deleted', async () => {
    await box.rows("insert into job (id, title) values (20, 'Old')");
    expect(await sent('DELETE', 'jobs/20')).toBe(204);
    const [message] = await taken(20, 'CHANGES', 1);
    expect(message).toMatchObject({ TITLE: 'Old', STATUS: 'OPEN', ACTION: 'deleted', N: 0 });
    expect(message).not.toHaveProperty('WAS');
  });

  it('publish only the saves that `on` and `when` are about, by values after and before the save', async () => {
    await send('PUT', 'jobs/2', { TITLE: 'Lights', STATUS: 'CLOSED' });
    await send('PATCH', 'jobs/2', { STATUS: 'OPEN' });
    await send('PATCH', 'jobs/2', { STATUS: 'CLOSED' });
    await send('PATCH', 'jobs/2', { HOURS: '2' });
    await send('DELETE', 'jobs/2');
    expect(await taken(2, 'CHANGES', 5)).toHaveLength(5);
    expect(
      (await messages(2)).filter((each) => (each as { operation: string }).operation === 'JOB_CLOSED'),
    ).toHaveLength(1);
    expect(await taken(2, 'CLOSINGS', 1)).toEqual([{ ID: 2 }]);
  });

  it('publish what is saved over SOAP and by code too, and by the name of a queue that has one operation', async () => {
    const body = envelope('<JOB_POST xmlns="urn:test:Jobs.v1"><ID>3</ID><TITLE>Soap</TITLE></JOB_POST>');
    const headers = { 'content-type': 'text/xml', soapaction: 'JOB_POST.v1' };
    expect((await box.call(SERVICES, { method: 'POST', body, headers })).status).toBe(200);
    expect(await taken(3, 'CHANGES', 1)).toMatchObject([{ TITLE: 'Soap', ACTION: 'created' }]);
    expect(await sent('POST', 'code', { ID: 4 })).toBe(204);
    expect(await taken(4, 'CHANGES', 2)).toMatchObject([{ ACTION: 'created' }, { ACTION: 'updated', WAS: 'OPEN' }]);
    expect(await taken(4, 'CLOSINGS', 1)).toEqual([{ ID: 4 }]);
    expect(await sent('PUT', 'notes/a', { TEXT: 'by queue' })).toBe(201);
    expect(await taken('a', 'NOTES_TAKEN', 1)).toEqual([{ ID: 'a', TEXT: 'by queue' }]);
  });

  it.each([
    ['a class before it refuses', 'PUT', { TITLE: '!rule' }, 500],
    ['the code after it throws a fault', 'PUT', { TITLE: '!fault' }, 409],
    ['the code after it fails', 'PUT', { TITLE: '!error' }, 500],
    ['the code after it saves the same record again and again', 'PUT', { TITLE: '!loop' }, 500],
    ['the code after it changes the record that it is given', 'PUT', { TITLE: '!change' }, 500],
    ['the commit fails', 'PUT', { TITLE: 'x', OWNER: 'nobody' }, 409],
    ['the message does not take a value', 'PUT', { TITLE: 'longer than the message' }, 500],
  ] as const)('publish and keep nothing when %s', async (_, method, record, status) => {
    const before = await box.rows("select count(*) as n from history where step <> 'later'");
    const reply = await send(method, 'jobs/5', record);
    expect([reply.status, reply.text]).toEqual([status, expect.not.stringContaining('hidden')]);
    expect(await messages(5)).toEqual([]);
    expect(await box.rows('select id from job where id = 5')).toEqual([]);
    expect(await box.rows("select count(*) as n from history where step <> 'later'")).toEqual(before);
  });

  it('tell the operator, not the caller, which message does not take a value', async () => {
    const { text: reply } = await send('PUT', 'jobs/6', { TITLE: 'longer than the message' });
    expect(reply).not.toContain('JOB_CHANGED');
    const lines = JSON.stringify(box.log());
    expect(lines).toContain("component JOBS can't publish JOB_CHANGED");
  });

  it('publish and keep nothing when the transaction of code is rolled back', async () => {
    expect(await sent('POST', 'code', { ID: 7, THEN: 'fail' })).toBe(500);
    expect(await messages(7)).toEqual([]);
    expect(await box.rows('select id from job where id = 7')).toEqual([]);
    expect(await steps(7)).toEqual([]);
  });

  it('run their code once the record is written, in the order of the specification: before, after, and after the commit', async () => {
    expect(await sent('PUT', 'jobs/8', { TITLE: 'Order' })).toBe(201);
    // Written in the same transaction, so it is there when the reply is.
    const [own] = await steps(8);
    expect(own).toMatchObject({ step: 'after-save', action: 'created', was: 'null', found: 'OPEN', oprid: 'demo' });
    const all = await box.found('all steps', `select step from history where save = '${own?.save}' order by n`, 3);
    expect(all.map(({ step }) => step)).toEqual(['before', 'after-save', 'later']);
    await send('DELETE', 'jobs/8');
    const [, deleted] = await steps(8);
    expect(deleted).toMatchObject({ action: 'deleted', now: 'null', found: 'none' });
  });

  /** Each message about a job, and each record that a class got after the commit. */
  const told = async (id: number, count: number): Promise<string[]> => {
    const all = (await taken(id, 'CHANGES', count)) as Record<string, unknown>[];
    expect(await messages(id)).toHaveLength(count);
    return all.map(({ ACTION, TITLE, N }) => `${ACTION} ${TITLE} ${N}`);
  };
  /** The revisions after which the class after the commit ran. */
  const later = async (id: number, count: number): Promise<string[]> => {
    const rows = await box.found(
      'later',
      `select found from history where step = 'later' and found like '%"ID":${id},%' order by n`,
      count,
    );
    return rows.map(({ found }) => {
      const { TITLE, REVISION } = JSON.parse(found as string);
      return `${TITLE} ${REVISION}`;
    });
  };

  it('tell what their code has made of the record: by SQL', async () => {
    const reply = await send('PUT', 'jobs/30', { TITLE: '!sql' });
    expect([reply.status, reply.headers.etag]).toEqual([201, '"7"']);
    expect(JSON.parse(reply.text)).toMatchObject({ TITLE: 'by sql', REVISION: 7 });
    expect(await told(30, 1)).toEqual(['created by sql 7']);
    expect(await later(30, 1)).toEqual(['by sql 7']);
    expect(await sent('PATCH', 'jobs/30', { HOURS: '1' }, { 'if-match': '"7"' })).toBe(200);
  });

  it('tell what their code has made of the record: by another save, whose message comes first', async () => {
    const reply = await send('PUT', 'jobs/31', { TITLE: '!again' });
    expect([reply.status, reply.headers.etag]).toEqual([201, '"2"']);
    expect(JSON.parse(reply.text)).toMatchObject({ TITLE: 'again', REVISION: 2 });
    expect(await told(31, 2)).toEqual(['updated again 2', 'created again 2']);
    expect(await later(31, 2)).toEqual(['again 2', 'again 2']);
  });

  it.each([
    ['SQL', 32, '!gone', [], ['deleted b 1']],
    ['a save', 33, '!remove', ['deleted !remove 1'], ['deleted !remove 2', 'deleted b 1']],
  ] as const)('tell nothing of a new record that their code deletes by %s, and of another that it is deleted', async (_, id, title, first, then) => {
    const reply = await send('PUT', `jobs/${id}`, { TITLE: title });
    expect([reply.status, reply.headers.etag, reply.headers.location]).toEqual([200, undefined, undefined]);
    expect(JSON.parse(reply.text)).toMatchObject({ TITLE: title });
    expect((await messages(id)).length).toBe(first.length);
    await send('PUT', `jobs/${id}`, { TITLE: 'b' });
    expect(await sent('PUT', `jobs/${id}`, { TITLE: title })).toBe(200);
    expect(await told(id, first.length + 1 + then.length)).toEqual([...first, 'created b 1', ...then]);
    expect(await sent('GET', `jobs/${id}`)).toBe(404);
  });

  it('tell that a record has changed which their code creates again once it is deleted', async () => {
    await send('PUT', 'jobs/34', { TITLE: 'phoenix' });
    expect(await sent('DELETE', 'jobs/34')).toBe(204);
    expect(await told(34, 3)).toEqual(['created phoenix 1', 'created reborn 1', 'updated reborn 1']);
    expect(await sent('GET', 'jobs/34')).toBe(200);
  });

  it('run their code for the saves that it names, as its role, and save other components with it', async () => {
    await send('PUT', 'jobs/9', { TITLE: '!note' });
    expect(await taken('n9', 'NOTES_TAKEN', 1)).toEqual([{ ID: 'n9', TEXT: 'by code' }]);
    await send('PUT', 'notes/b', { TEXT: 'run' });
    await send('PUT', 'notes/c', { TEXT: 'walk' });
    const ran = await box.rows("select action, now from history where step = 'note' order by n");
    expect(ran).toEqual([{ action: 'created', now: 'NOTES b true' }]);
  });
});
