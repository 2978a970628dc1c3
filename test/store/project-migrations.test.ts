import { expect, it } from 'vitest';
import { describeEngines } from './engines.ts';
import { migration } from './migrations.ts';

const one = migration('0001-orders.sql', 'create table orders (number integer primary key, note text);');
const two = migration(
  '0002-notes.sql',
  "insert into orders values (1, 'a;b');\n\nupdate orders set note = note || 'c';\n",
);
const rows = 'select number, name, state from signalbox_project_migration order by number';

describeEngines('migrations of a project', ({ place, kind }) => {
  it('run once each, in the order of their numbers, also after another start', async () => {
    const { migrated, run } = await place();
    const ran: string[] = [];
    const store = await migrated();
    await store.migrateProject([one], (file) => ran.push(file));
    await (await migrated()).migrateProject([one, two], (file) => ran.push(file));
    await store.migrateProject([one, two], (file) => ran.push(file));
    expect(ran).toEqual(['migrations/0001-orders.sql', 'migrations/0002-notes.sql']);
    expect(await run('select note from orders')).toEqual([{ note: 'a;bc' }]);
    expect((await run(rows)).map(({ name, state }) => `${name} ${state}`)).toEqual([
      '0001-orders applied',
      '0002-notes applied',
    ]);
  });

  it('run once where several processes start together', async () => {
    const { migrated, open, run } = await place();
    const stores = [await migrated(), await open(), await open()];
    const apart = migration('0003-more.sql', 'insert into orders values (3, null);', false);
    // So that the others are there before it ends.
    const slow = { ...one, sql: kind === 'sqlite' ? one.sql : `${one.sql} select pg_sleep(1);` };
    const ran: string[] = [];
    await Promise.all(stores.map((store) => store.migrateProject([slow, two, apart], (file) => ran.push(file))));
    expect(ran).toEqual([one.file, two.file, apart.file]);
    expect(await run('select number from orders order by number')).toHaveLength(2);
  });

  it('run on their engine only', async () => {
    const { migrated, run } = await place();
    const files = [
      migration('0001-t.sqlite.sql', 'create table t (sqlite integer);'),
      migration('0001-t.postgres.sql', 'create table t (postgres integer);'),
      migration('0002-u.postgres.sql', 'insert into t (postgres) values (1);'),
    ];
    const store = await migrated();
    await store.migrateProject(files);
    await run(`insert into t (${kind}) values (2)`);
    expect(await run('select * from t')).toHaveLength(kind === 'sqlite' ? 1 : 2);
    expect(await store.pending({ migrations: files })).toEqual([]);
  });

  it('that fail name the place in the file, and leave nothing behind', async () => {
    const { migrated, run } = await place();
    const lines = Array.from({ length: 2000 }, (_, index) => `insert into big values (${index}, 'é😀; --');`);
    const big = ['create table big (n integer, t text);', ...lines];
    big[1200] = "  insert into big values (1, '😀'), (2, 'x') select;\n";
    const store = await migrated();
    const bad = migration('0002-big.sql', big.join('\n'));
    await expect(store.migrateProject([one, bad])).rejects.toMatchObject({
      name: 'StoreError',
      code: 'failed',
      at: { file: 'migrations/0002-big.sql', line: 1201, column: 46 },
      message: expect.stringMatching(/^migrations\/0002-big\.sql:1201:46: .*syntax error/),
      hint: expect.stringContaining('Nothing of it is in '),
    });
    await expect(run('select * from big')).rejects.toThrow();
    expect(await run(rows)).toHaveLength(1);
    big[1200] = '';
    await store.migrateProject([one, migration('0002-big.sql', big.join('\n'))]);
    expect(await run('select * from big')).toHaveLength(1999);
  });

  it.each([
    ['insert into\n  nowhere values (1);', 2, 3, /nowhere/],
    ['select 1;\n\n  create table\n   orders (a integer);', 4, 4, /already exists/],
    ['create table a (b integer,\n  c integer, b text);', 1, 17, /\bb\b/],
    ['select 1;\nselect lower(nothing) from orders;', 2, 14, /nothing/],
    ['insert into orders values (7, null);\ninsert into orders values (7, null);', 2, 1, /unique/i],
    ['create table a (b integer', 1, 26, /incomplete|end of input/],
    ["create table a (b text default 'x);", 1, 32, /unrecognized|unterminated/],
  ])('name the token: %s', async (sql, line, column, reason) => {
    const store = await (await place()).migrated();
    await store.migrateProject([one]);
    const failed = store.migrateProject([one, migration('0002-x.sql', sql)]);
    await expect(failed).rejects.toMatchObject({ at: { line, column }, reason: expect.stringMatching(reason) });
  });

  it('that were edited after they ran are refused, with the remedy', async () => {
    const { migrated, open } = await place();
    const store = await migrated();
    await store.migrateProject([one, two]);
    const edited = { ...one, sql: `${one.sql}\n` };
    const expected = {
      code: 'changed',
      message: expect.stringMatching(/^migrations\/0001-orders\.sql:1:1: it was changed after it ran on .* \(\d{4}-/),
      hint: expect.stringMatching(/Restore its text, .* 0003-NAME\.sql\..*--baseline 1\.\n.*in development/s),
    };
    await expect(store.migrateProject([edited, two])).rejects.toMatchObject(expected);
    await expect((await open()).pending({ migrations: [edited, two] })).rejects.toMatchObject(expected);
    const other = migration('0002-parts.sql', 'create table parts (n integer);');
    await expect(store.migrateProject([one, other])).rejects.toMatchObject({
      reason: expect.stringContaining('its number is that of 0002-notes, which ran on '),
      hint: expect.stringContaining('0003-parts'),
    });
  });

  it('with a number below one that ran are refused, unless they are recorded as done', async () => {
    const { migrated } = await place();
    const store = await migrated();
    const five = migration('0005-five.sql', 'create table five (n integer);');
    await store.migrateProject([one, five]);
    await expect(store.migrateProject([one, two, five])).rejects.toMatchObject({
      code: 'order',
      message: expect.stringMatching(
        /^migrations\/0002-notes\.sql:1:1: its number is below that of 0005-five, which ran/,
      ),
      hint: expect.stringMatching(/^Give it the next number: 0006-notes\..*--baseline 2/),
    });
    await store.baseline([one, two, five], 2);
    await store.migrateProject([one, two, five]);
  });

  it('of a newer version leave an older one working, and are noted in its plan', async () => {
    const { migrated } = await place();
    const store = await migrated();
    await store.migrateProject([one, two]);
    await store.migrateProject([one]);
    const notes: string[] = [];
    expect(await store.pending({ migrations: [one], onNote: (note) => notes.push(note) })).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^The migration 0002-notes ran on .* has no file of that number/)]);
  });

  it('are recorded by a baseline without being run', async () => {
    const { migrated, run } = await place();
    await run('create table orders (number integer primary key, note text)');
    const store = await migrated();
    const recorded: string[] = [];
    await store.baseline([one, two], 1, (file) => recorded.push(file));
    await store.baseline([one, two], 1, (file) => recorded.push(file));
    expect(recorded).toEqual([one.file]);
    expect((await run(rows))[0]).toMatchObject({ name: '0001-orders', state: 'baseline' });
    await store.migrateProject([one, two]);
    expect(await run('select note from orders')).toEqual([{ note: 'a;bc' }]);
    const edited = { ...two, sql: '-- nothing\nselect 1;' };
    await store.baseline([one, edited], 2);
    await store.migrateProject([one, edited]);
  });

  it('without a transaction keep what they did before an error, and run again, whole', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    const apart = (last: string) =>
      migration(
        '0002-apart.sql',
        `create table if not exists kept (n integer);\ninsert into kept values (1);\n${last};`,
        false,
      );
    await expect(store.migrateProject([one, apart('insert into nowhere values (1)')])).rejects.toMatchObject({
      at: { line: 3, column: 13 },
      hint: expect.stringContaining('its statements before this one are in '),
    });
    expect((await run(rows)).at(-1)).toMatchObject({ state: 'begun' });
    const notes: string[] = [];
    const mended = [one, apart('insert into kept values (2)')];
    expect(await store.pending({ migrations: mended, onNote: (note) => notes.push(note) })).toMatchObject([
      { of: 'project', name: 'migrations/0002-apart.sql' },
    ]);
    expect(notes).toEqual([expect.stringContaining('did not end; it runs again, whole')]);
    await store.migrateProject(mended);
    expect(await run('select n from kept order by n')).toMatchObject([{ n: 1 }, { n: 1 }, { n: 2 }]);
    expect((await run(rows)).at(-1)).toMatchObject({ state: 'applied' });
  });

  const apart = kind === 'sqlite' ? 'vacuum' : 'create index concurrently orders_note on orders (note)';
  it(`${apart} needs to be without one, as the error says`, async () => {
    const { migrated, open } = await place();
    const store = await migrated();
    await store.migrateProject([one]);
    const within = migration('0002-x.sql', `${apart};`);
    await expect(store.migrateProject([one, within])).rejects.toMatchObject({
      hint: expect.stringMatching(/^Begin the file with the line `-- signalbox: no transaction`/),
    });
    const outside = [one, { ...within, transaction: false }];
    await Promise.all([store.migrateProject(outside), (await open()).migrateProject(outside)]);
    expect(await store.pending({ migrations: outside })).toEqual([]);
  });

  it('may change the settings of their session, and have none left to others', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    const set = kind === 'sqlite' ? 'pragma case_sensitive_like = on' : "select set_config('search_path', '', false)";
    const table = kind === 'sqlite' ? 't' : 'public.t';
    const files = [
      migration('0001-t.sql', `${set};\ncreate table ${table} (a text);`),
      migration('0002-u.sql', 'create table u (a text);'),
    ];
    await store.migrateProject(files);
    await store.migrateProject(files.map((each) => ({ ...each })));
    expect(await run('select a from t union all select a from u')).toEqual([]);
  });

  it('check at their end what the database checks there', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    const parent = migration(
      '0001-family.sql',
      'create table parent (id integer primary key);\ncreate table child (id integer references parent (id) on delete cascade deferrable initially deferred);\ninsert into parent values (1);\ninsert into child values (1);',
    );
    await store.migrateProject([parent]);
    const orphan = migration('0002-orphan.sql', 'insert into child\nvalues (2);');
    await expect(store.migrateProject([parent, orphan])).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/^migrations\/0002-orphan\.sql:1:\d+: .*foreign key/i),
    });
    expect(await run('select id from child')).toEqual([{ id: 1 }]);
    if (kind === 'postgres') return;
    const rebuilt =
      'create table parent2 (id integer primary key, n text);\ninsert into parent2 (id) select id from parent;\ndrop table parent;\nalter table parent2 rename to parent;';
    await store.migrateProject([parent, migration('0002-rebuilt.sql', rebuilt)]);
    expect(await run('select child.id, n from child join parent on parent.id = child.id')).toEqual([
      { id: 1, n: null },
    ]);
  });

  it('are planned statement by statement', async () => {
    const store = await (await place()).migrated();
    expect(await store.pending({ migrations: [one, two] })).toEqual([
      { of: 'project', name: one.file, statements: [one.sql] },
      {
        of: 'project',
        name: two.file,
        statements: ["insert into orders values (1, 'a;b');", "update orders set note = note || 'c';"],
      },
    ]);
  });
});
