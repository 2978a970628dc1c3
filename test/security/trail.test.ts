import { expect, it } from 'vitest';
import { readTrails, type TrailSearch } from '../../src/security/trail.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import type { UserSearch } from '../../src/security/users/user-port.ts';
import type { Store } from '../../src/store/index.ts';
import { describeEngines } from '../store/engines.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 4, 1, 12, 0, second)).toISOString();

/** Lines of both trails, some of the same moment. */
async function filled(store: Store): Promise<void> {
  const db = await store.tables();
  const users = [
    [1, at(1), 'ops@host', 'add', 'ada'],
    [2, at(2), 'ada', 'sign-in', 'ada'],
    [3, at(5), 'console:ada', 'disable', 'bob'],
    [4, at(5), 'console:ada', 'enable', 'bob'],
  ] as const;
  for (const [sequence, moment, actor, action, user] of users)
    await db
      .insertInto('signalbox_user_audit')
      .values({ sequence, at: moment, actor, action, user_id: user, detail: '{"n":1}' })
      .execute();
  const jobs = [
    ['00000000-0000-4000-8000-000000000001', at(3), 'console:ada', 'pause', 'events', null],
    ['00000000-0000-4000-8000-000000000002', at(5), 'ops@host', 'resubmit', 'events', 'j1'],
    ['00000000-0000-4000-8000-000000000003', at(5), 'ops@host', 'cancel', 'events', 'j2'],
  ] as const;
  for (const [id, moment, actor, action, queue, job] of jobs)
    await db.insertInto('signalbox_job_audit').values({ id, at: moment, actor, action, queue, job }).execute();
  const request = { actor: 'ops@host', action: 'restart', queue: 'processes', job: null, request: 1042 };
  const id = '00000000-0000-4000-8000-000000000004';
  await db
    .insertInto('signalbox_job_audit')
    .values({ ...request, id, at: at(6) })
    .execute();
}

describeEngines('the trails together', ({ place }) => {
  it('are read page by page, the newest first, each line once, also of one moment', async () => {
    const store = await (await place()).migrated();
    await filled(store);
    const trails = readTrails(() => store.tables());
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await trails.search({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.entries.length).toBeLessThanOrEqual(2);
      all.push(...page.entries.map(({ action }) => action));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(all).toEqual(['restart', 'enable', 'disable', 'cancel', 'resubmit', 'pause', 'sign-in', 'add']);
  });

  it('are searched by who, what, whom and when', async () => {
    const store = await (await place()).migrated();
    await filled(store);
    const trails = readTrails(() => store.tables());
    const found = async (which: Omit<TrailSearch, 'limit'>): Promise<string[]> =>
      (await trails.search({ ...which, limit: 50 })).entries.map(({ action }) => action);
    expect(await found({ actor: 'ada' })).toEqual(['enable', 'disable', 'pause', 'sign-in']);
    expect(await found({ actor: 'console:ada' })).toEqual(['enable', 'disable', 'pause']);
    expect(await found({ action: 'resubmit' })).toEqual(['resubmit']);
    expect(await found({ subject: 'bob' })).toEqual(['enable', 'disable']);
    expect(await found({ subject: 'events', actor: 'ops@host' })).toEqual(['cancel', 'resubmit']);
    expect(await found({ subject: 'j1' })).toEqual(['resubmit']);
    expect(await found({ subject: '1042' })).toEqual(['restart']);
    expect(await found({ subject: '9999999999' })).toEqual([]);
    expect(await found({ since: new Date(at(2)), until: new Date(at(5)) })).toEqual(['pause', 'sign-in']);
    expect(await found({ actor: 'nobody' })).toEqual([]);
    await expect(trails.search({ cursor: 'x', limit: 1 })).rejects.toMatchObject({ code: 'BAD_PARAMETER' });
  });

  it('have users who are searched by text, role and state, with a cursor', async () => {
    const store = await (await place()).migrated();
    const users = openUsers({ store, actor: 'ops' });
    await users.add({ id: 'ada', description: '100 % of the Night', roles: ['READER'] });
    await users.add({ id: 'bob_1', roles: ['READER2'] });
    await users.add({ id: 'bobx1', roles: ['READER', 'CLERK'] });
    await users.setDisabled('bobx1', true);
    const found = async (which: Partial<UserSearch>): Promise<string[]> =>
      (await users.search({ limit: 10, ...which })).map(({ id }) => id);
    expect(await found({ text: 'NIGHT' })).toEqual(['ada']);
    expect(await found({ text: '% of' })).toEqual(['ada']);
    expect(await found({ text: 'b_1' })).toEqual(['bob_1']);
    expect(await found({ role: 'READER' })).toEqual(['ada', 'bobx1']);
    expect(await found({ disabled: true })).toEqual(['bobx1']);
    expect(await found({ after: 'ada', limit: 1 })).toEqual(['bob_1']);
  });
});
