import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBlobs, openStore, type Store } from '../../src/store/index.ts';
import { DEFINITIONS, NOON, write } from '../message/rows.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';
import { project, type Ran, signalbox } from './support.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`signalbox message on ${engine}`, () => {
    let cwd: string;
    let database: TestDatabase | undefined;
    let env: Record<string, string>;
    let store: Store;
    beforeAll(async () => {
      cwd = await project({
        'definitions/gateway.yaml': gatewayText(),
        'definitions/messages.yaml': `${DEFINITIONS}---
{ queue: WEIGHTS, order: [WEIGHT, ACTIVE] }
---
service: Weights.v1
public: true
operations:
  WEIGHED:
    post: weighed
    request: { fields: { WEIGHT: { type: decimal(8.2), required: true }, ACTIVE: { type: boolean, required: true } } }
    queue: WEIGHTS
---
{ subscription: WEIGHED_TO_ERP, operation: WEIGHED, call: ERP_PUT, map: { LOCATION: "{ACTIVE}" } }
`,
        'edited.json': '{ "CODE": 8 }',
        'wrong.json': '{ "CODE": "many" }',
        'broken.json': '{ "CODE": 8',
      });
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      env = { DATABASE_URL: database?.url ?? `sqlite:${cwd}/test.db` };
      store = await openStore({ url: env.DATABASE_URL ?? '', root: cwd });
      await store.migrate();
    });
    afterAll(async () => {
      await store.close();
      await database?.drop();
    });

    const message = (...args: string[]): Promise<Ran> => signalbox(['message', ...args], { cwd, env });

    it('lists messages and shows the way of one to its subscriptions, without what is secret', async () => {
      const partition = '["NYC01"]';
      const [first, second] = await write(store, [
        {
          ...{ partition, fields: { LOCATION: 'NYC01' }, payload: '{"LOCATION":"NYC01","PIN":"c4n4ry"}' },
          deliveries: { TO_ERP: 'Hold', TO_CACHE: 'Done' },
        },
        { partition, fields: { LOCATION: 'NYC01' }, deliveries: { TO_ERP: 'New', TO_CACHE: 'Done' } },
      ]);
      await store.transaction(async (tx) => {
        const reason = 'ERP replied 404: no c4n4ry';
        await tx
          .insertInto('signalbox_delivery_attempt')
          .values({
            delivery: first?.deliveries.TO_ERP ?? '',
            number: 1,
            began: NOON,
            ended: NOON + 40,
            gateway: 'one',
            code: 404,
            reason,
          })
          .execute();
        await tx
          .updateTable('signalbox_delivery')
          .set({ reason })
          .where('id', '=', first?.deliveries.TO_ERP ?? '')
          .execute();
      });
      const list = await message('list', '--field', 'LOCATION=NYC01', '--status', 'hold', '--kind', 'MESSAGE');
      expect(list).toMatchObject({ code: 0, stderr: '' });
      expect(list.stdout).toMatch(/^MESSAGE +STATUS +OPERATION +ENTERED +USER +DELIVERIES$/m);
      expect(list.stdout).toMatch(
        new RegExp(`^${first?.id} +Hold +LOCATION_CHANGED +2026-03-01T12:00:00.000Z +demo +1 Done, 1 Hold$`, 'm'),
      );
      expect(list.stdout).not.toContain(second?.id);
      const page = await message('list', '--limit', '1');
      expect(page.stderr).toBe(`There are more: add --after ${second?.id}\n`);
      expect(JSON.parse((await message('list', '--after', second?.id ?? '', '--json')).stdout)).toMatchObject({
        messages: [{ id: first?.id, status: 'Hold', deliveries: { Done: 1, Hold: 1 } }],
      });
      const show = await message('show', first?.id ?? '');
      expect(show).toMatchObject({ code: 0, stderr: '' });
      expect(show.stdout).toMatch(/^LOCATION +NYC01$/m);
      expect(show.stdout).toMatch(/^\S+ +TO_ERP +Hold +ERP_PUT at ERP +1 .*ERP replied 404: no \*\*\*$/m);
      expect(show.stdout).toMatch(/^2026-03-01T12:00:00.000Z +entered over rest by demo$/m);
      expect(show.stdout).toMatch(
        /^2026-03-01T12:00:00.040Z +TO_ERP +one +attempt 1 failed, status 404: ERP replied 404: no \*\*\*$/m,
      );
      expect(show.stdout).toContain('"PIN": "***"');
      const waiting = await message('show', second?.id ?? '');
      expect(waiting.stdout).toContain(`waits for ${first?.id}, which is Hold`);
      const json = JSON.parse((await message('show', first?.id ?? '', '--json')).stdout);
      expect(json).toMatchObject({ id: first?.id, payload: { request: { LOCATION: 'NYC01', PIN: '***' } } });
      for (const { stdout } of [list, show]) expect(stdout).not.toContain('c4n4ry');
    });

    it('lists the nodes that are down, with the subscriptions that wait', async () => {
      expect(JSON.parse((await message('down', '--json')).stdout)).toEqual([]);
      const [probed] = await write(store, [{ deliveries: { TO_ERP: 'Retry' } }]);
      const reason = 'node ERP has been down since 2026-03-01T11:00:00.000Z; this delivery was the probe';
      const db = await store.tables();
      const id = probed?.deliveries.TO_ERP ?? '';
      await db.updateTable('signalbox_delivery').set({ reason, next: NOON }).where('id', '=', id).execute();
      expect((await message('down')).stdout).toMatch(
        new RegExp(
          `^NODE +SUBSCRIPTION +SINCE +NEXT +MESSAGE\nERP +TO_ERP +2026-03-01T11:00:00.000Z +2026-03-01T12:00:00.000Z +${probed?.id}$`,
          'm',
        ),
      );
      await db.updateTable('signalbox_delivery').set({ status: 'Done' }).where('id', '=', id).execute();
    });

    it('acts on deliveries, on what filters find, and holds a node', async () => {
      const [one, two] = await write(store, [
        { operation: 'PLAIN', queue: 'PLAIN_EVENTS', deliveries: { PLAIN_CACHE: 'Error' } },
        { operation: 'PLAIN', queue: 'PLAIN_EVENTS', deliveries: { PLAIN_CACHE: 'Error' } },
      ]);
      const deliveryOf = (each: typeof one): string => each?.deliveries.PLAIN_CACHE ?? '';
      expect(await message('resubmit', one?.id ?? '', '--actor', 'night shift')).toEqual({
        ...{ code: 0, signal: null, stderr: '' },
        stdout: `${one?.id} to PLAIN_CACHE, which was Error, is sent again.\n`,
      });
      expect(await message('resubmit', deliveryOf(one))).toMatchObject({
        code: 1,
        stderr: `Delivery ${deliveryOf(one)} waits already.\n`,
      });
      expect(await message('cancel', '--all', '--queue', 'PLAIN_EVENTS', '--status', 'New')).toMatchObject({
        ...{ code: 0, stdout: '1 delivery is cancelled.\n', stderr: '1 delivery to cancel.\n' },
      });
      expect(await message('cancel', '--all', '--queue', 'PLAIN_EVENTS', '--status', 'New', '--json')).toMatchObject({
        ...{ code: 0, stderr: '0 deliveries to cancel.\n' },
      });
      expect(await message('resubmit', '--all', '--subscription', 'PLAIN_CACHE', '--rate', '1', '--yes')).toMatchObject(
        { code: 0, stdout: '1 delivery is sent again.\n', stderr: '1 delivery to resubmit.\n' },
      );
      expect(JSON.parse((await message('hold', two?.id ?? '', '--json')).stdout)).toMatchObject({
        done: [{ message: two?.id, was: 'New' }],
        refused: [],
      });
      expect((await message('cancel', two?.id ?? '')).stdout).toContain('which was Hold, is cancelled.');
      expect((await message('hold', '--node', 'ERP')).stdout).toBe('node ERP is held.\n');
      expect((await message('hold', '--node', 'ERP')).stdout).toBe('node ERP is already held.\n');
      expect((await message('held')).stdout).toMatch(/^HELD +SINCE +BY\nnode ERP +\S+Z +\S+@\S+$/m);
      expect((await signalbox(['queue'], { cwd, env })).stdout).toMatch(
        /^TO_ERP .* held with node ERP since \S+Z by \S+@\S+$/m,
      );
      expect((await message('release', '--node', 'ERP')).stdout).toBe('node ERP is released.\n');
      expect((await message('show', one?.id ?? '')).stdout).toMatch(/PLAIN_CACHE +resubmit by night shift$/m);
      expect((await signalbox(['queue', 'log', '--limit', '1'], { cwd, env })).stdout).toMatch(/ release +node ERP$/m);
    });

    it('shows a payload that is a blob, without what is secret', async () => {
      const text = `{"LOCATION":"NYC01","REGION":"N","PIN":"c4n4ry"}`;
      const [one] = await write(store, [{ payload: text, deliveries: { TO_ERP: 'Error' } }]);
      const id = one?.id ?? '';
      const blobs = await openBlobs(store);
      const content = Buffer.from(text);
      await blobs.scope('messages').put(`${id}/request`, {
        contentType: 'application/octet-stream',
        async *stream() {
          yield content;
        },
      });
      await blobs.close();
      await store.transaction((tx) =>
        tx
          .updateTable('signalbox_message_content')
          .set({ content: null, blob: `${id}/request`, encoding: 'plain', size: content.length })
          .where('message', '=', id)
          .execute(),
      );
      const { stdout } = await message('show', id, '--json');
      expect(JSON.parse(stdout).payload).toEqual({
        request: { LOCATION: 'NYC01', REGION: 'N', PIN: '***' },
        'sent.TO_ERP': { LOCATION: 'NYC01' },
      });
    });

    it('edits a message from a file, which is checked as a request is', async () => {
      const [one] = await write(store, [
        { operation: 'PLAIN', queue: 'PLAIN_EVENTS', payload: '{"CODE":7}', deliveries: { PLAIN_CACHE: 'Error' } },
      ]);
      const id = one?.id ?? '';
      const refused = await Promise.all(['wrong.json', 'broken.json'].map((file) => message('edit', id, file)));
      expect(refused.map(({ code, stderr }) => [code, stderr.split(' at line')[0]])).toEqual([
        [2, 'signalbox: CODE is not an integer\n'],
        [2, expect.stringMatching(/^signalbox: broken.json is not JSON: /)],
      ]);
      const edited = await message('edit', id, 'edited.json', '--actor', 'night shift');
      expect(edited).toMatchObject({ code: 0, stderr: '' });
      expect(edited.stdout).toMatch(
        new RegExp(
          `^Message \\S+ is published to PLAIN_CACHE in place of ${id}.\nThe delivery to PLAIN_CACHE, which was Error, is Edited.\n$`,
        ),
      );
      const copy = edited.stdout.split(' ')[1] ?? '';
      expect(JSON.parse((await message('show', copy, '--json')).stdout)).toMatchObject({
        ...{ editedFrom: id, connector: 'operator', payload: { request: { CODE: 8 } } },
        actions: [{ actor: 'night shift', action: 'edit' }],
      });
      expect((await message('show', id)).stdout).toMatch(/PLAIN_CACHE +edit by night shift$/m);
      expect(await message('edit', id, 'edited.json')).toMatchObject({
        ...{ code: 1, stderr: `signalbox: message ${id} has no delivery that is Error or Timeout or Hold\n` },
      });
    });

    it('edits single fields, and finds records of calls', async () => {
      const [old] = await write(store, [
        {
          ...{ partition: '["NYC01"]', payload: '{"LOCATION":"NYC01","WEIGHT":1.50,"PIN":"c4n4ry"}' },
          deliveries: { TO_ERP: 'Error', TO_CACHE: 'Done' },
        },
      ]);
      const { id } = old ?? expect.fail();
      for (const [given, words] of [
        ['REGON=WEST', 'REGON is not a field of LOCATION_CHANGED; its fields are LOCATION, REGION'],
        ['WEIGHT=heavy', 'WEIGHT is not a decimal'],
        ['PIN=***', 'contains ***, which stands for a value that is not shown'],
      ] as const)
        expect((await message('edit', id, given)).stderr).toContain(words);
      const edited = await message('edit', id, 'REGION=EAST', 'WEIGHT=12345.67');
      expect(edited).toMatchObject({ code: 0, stderr: '' });
      const copy = edited.stdout.split(' ')[1] ?? '';
      const shown = JSON.parse((await message('show', copy, '--json')).stdout);
      expect(shown).toMatchObject({
        ...{ editedFrom: id, connector: 'operator', fields: { LOCATION: 'NYC01', REGION: 'EAST', WEIGHT: '12345.67' } },
        payload: { request: { LOCATION: 'NYC01', REGION: 'EAST', PIN: '***' }, 'sent.TO_ERP': { LOCATION: 'NYC01' } },
      });
      const more = { node: 'ERP', connector: 'call', code: 503, reason: 'it is away' };
      const [call] = await write(store, [{ queue: null, operation: 'ERP_PUT', status: 'Error', more }]);
      const list = await message('list', '--kind', 'call');
      expect(list.stdout).toMatch(new RegExp(`^${call?.id} +Error +ERP_PUT +\\S+Z +demo +call of ERP 503$`, 'm'));
      expect(list.stdout).not.toContain(id);
      expect((await message('list', '--kind', 'message')).stdout).not.toContain(call?.id);
      const record = await message('show', call?.id ?? '');
      expect(record.stdout).toMatch(/^reason +it is away$/m);
      expect(record.stdout).toMatch(/^began +2026-03-01T12:00:00.000Z$/m);
      expect(await message('resubmit', call?.id ?? '')).toMatchObject({
        code: 1,
        stderr: `Message ${call?.id} is the record of a call, which has no deliveries; only its caller can repeat it.\n`,
      });
      expect((await message('edit', call?.id ?? '', 'A=1')).stderr).toContain('is the record of a call');
    });

    it('says what can not be found, with what can', async () => {
      const said = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await message(...args);
        expect(stdout).toBe('');
        return `${code} ${stderr}`;
      };
      const ID = 'a0a0a0a0-0000-4000-8000-000000000000';
      expect([
        await said('list', '--operation', 'LOCATION_CHANGE'),
        await said('list', '--queue', 'PLAIN_EVENT'),
        await said('list', '--subscription', 'TO_CASH'),
        await said('list', '--node', 'EPR'),
        await said('list', '--field', 'LOCATION'),
        await said('list', '--field', 'CODE=many'),
        await said('list', '--status', 'Lost'),
        await said('list', '--since', 'noon'),
        await said('show', ID),
        await said('show', 'x\u001b[31my'),
        await said('cancel', ID),
        await said('cancel'),
        await said('cancel', ID, '--all'),
        await said('cancel', '--node', 'ERP'),
        await said('hold', '--node', 'ERP', '--queue', 'PLAIN_EVENTS'),
        await said('hold', '--node', 'ERP', '--partition', 'A'),
        await said('hold', '--queue', 'LOCATION_EVENTS', '--partition', 'NONE'),
        await said('hold', '--queue', 'WEIGHTS', '--partition', '1.50', '--partition', 'true'),
        await said('hold', '--queue', 'WEIGHTS', '--partition', 'much', '--partition', 'true'),
        await said('release', '--queue', 'WEIGHTS', '--partition', '1.50'),
        await said('hold', '--queue', 'PLAIN_EVENTS', '--partition', 'A'),
        await said('hold', '--all', '--queue', 'LOCATION_EVENTS', '--partition', 'NYC01'),
        await said('release', ID, '--partition', 'NYC01'),
        await said('list', '--field', 'LOCATION=NYC01', '--field', 'LOCATION=NYC02'),
        await said('list', '--since', '2026-02-30'),
        await said('resubmit', '--all', '--status', 'Done'),
        await said('cancel', '--all', '--status', 'Started'),
      ]).toEqual([
        '2 signalbox: there is no operation LOCATION_CHANGE\n  Did you mean LOCATION_CHANGED?\n',
        '2 signalbox: there is no queue PLAIN_EVENT\n  Did you mean PLAIN_EVENTS?\n',
        '2 signalbox: there is no subscription TO_CASH\n  Did you mean TO_CACHE?\n',
        '2 signalbox: there is no node EPR\n  Did you mean ERP?\n',
        "2 signalbox: --field can't be 'LOCATION'\n  It takes a field and its value, such as 'LOCATION=NYC01'.\n  'signalbox message list --help' shows the usage.\n",
        '2 signalbox: Field CODE is not an integer\n',
        "2 signalbox: --status can't be 'Lost'\n  Allowed choices are New, Started, Working, Done, Retry, Hold, Timeout, Edited, Error, Cancelled.\n  'signalbox message list --help' shows the usage.\n",
        "2 signalbox: --since can't be 'noon'\n  It takes a time such as '90 d', '12 h' or '30 m', from 1 ms to 36500 d.\n  'signalbox message list --help' shows the usage.\n",
        `1 signalbox: there is no message ${ID}\n  'signalbox message list' lists the messages.\n`,
        "1 signalbox: there is no message x [31my\n  'signalbox message list' lists the messages.\n",
        `1 signalbox: there is no message ${ID}\n  'signalbox message list' lists the messages.\n`,
        "2 signalbox: cancel takes ids of messages or deliveries, or --all\n  'signalbox message cancel --help' shows both.\n",
        '2 signalbox: cancel takes ids, or --all\n',
        '2 signalbox: options that choose messages need --all\n',
        '2 signalbox: to hold or release as a whole takes one of --queue, --subscription and --node, and no other option\n',
        '2 signalbox: --partition needs --queue\n',
        '1 signalbox: partition ["NONE"] of LOCATION_EVENTS has no delivery that waits; hold the queue or a subscription instead\n',
        '1 signalbox: partition ["1.5","true"] of WEIGHTS has no delivery that waits; hold the queue or a subscription instead\n',
        '2 signalbox: partition WEIGHT is not a decimal\n',
        '2 signalbox: partition takes 2 values, of WEIGHT and ACTIVE, in this order\n',
        "2 signalbox: partition can't be of PLAIN_EVENTS: the queue keeps no order\n",
        '2 signalbox: --partition names what is held as a whole; it needs --queue, and neither ids nor --all\n',
        '2 signalbox: --partition names what is held as a whole; it needs --queue, and neither ids nor --all\n',
        "2 signalbox: --field can't be 'LOCATION=NYC02'\n  LOCATION has a value already; messages have one each.\n  'signalbox message list --help' shows the usage.\n",
        "2 signalbox: --since can't be '2026-02-30'\n  It takes a time such as '2026-03-01T12:00Z', or how long ago it was, such as '1 h'.\n  'signalbox message list --help' shows the usage.\n",
        "2 signalbox: Status can't be Done: resubmit is for deliveries that are Error or Timeout or Hold\n",
        "2 signalbox: Status can't be Started: cancel is for deliveries that are New or Working or Retry or Hold\n",
      ]);
    });
  });
}
