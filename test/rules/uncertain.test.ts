import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../message/project.ts';
import { eventually } from '../support/project.ts';
import { CALLS, type Role, type Roles, reply, startRoles } from './roles.ts';

// A request that was sent to its end and got no reply may have been taken. In every role it is sent again only where that does no
// harm: its method is idempotent, or the same id is sent. The attempt is called uncertain.

/** What was added to a list, in any order. */
function without(all: readonly string[], known: readonly string[]): string[] {
  const left = [...known];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const BY_CODE = ['code-delivery', 'process', 'class'] as const;
const BY_CALL = ['delivery', 'soap-delivery', 'flow-delivery', 'posted-reply'] as const;

describe.each(ENGINES)('a call whose result is uncertain, on %s', (kind) => {
  let roles: Roles;
  beforeAll(async () => {
    roles = await startRoles(kind);
  });
  afterAll(() => roles?.stop());

  /** The connection of the first request with a name is closed once it was read. */
  const begin = async (role: Role, name: string) => {
    roles.answer = ({ text }) =>
      text.includes(name) && roles.got(name).length === 1 ? undefined : reply('204 No Content');
    const before = await roles.reasons();
    const tried = await roles.deliveryReasons();
    const answered = await roles.begin(role, name);
    if (!(CALLS as readonly Role[]).includes(role)) expect(answered.status, answered.text).toBeLessThan(300);
    return {
      answered,
      reasons: async () => without(await roles.reasons(), before),
      deliveryReasons: async () => without(await roles.deliveryReasons(), tried),
    };
  };
  const twice = (name: string) =>
    eventually(`a second request of ${name}`, () => (roles.got(name).length > 1 ? roles.got(name) : undefined));

  it.each(CALLS)('is not made again in the role %s', async (role) => {
    const name = `once-${role}`;
    const { answered } = await begin(role, name);
    expect([answered.status, roles.got(name).length]).toEqual([502, 1]);
  });

  it.each(BY_CODE)('ends the work in the role %s', async (role) => {
    const name = `once-${role}`;
    const { reasons } = await begin(role, name);
    await eventually('the end', async () => ((await reasons()).length > 0 ? true : undefined));
    await roles.settled();
    expect((await reasons()).filter((each) => !each.startsWith('uncertain: NOTE_ONCE: '))).toEqual([]);
    expect(roles.got(name)).toHaveLength(1);
  });

  it.each(BY_CODE)('is made again in the role %s where its method is idempotent', async (role) => {
    const name = `keep-${role}`;
    const { deliveryReasons } = await begin(role, name);
    expect(await twice(name)).toHaveLength(2);
    await roles.settled();
    if (role === 'process') expect((await messages(name)).join('\n')).toContain('Attempt 1 failed: uncertain: ');
    else if (role === 'code-delivery')
      expect(await deliveryReasons()).toEqual([expect.stringMatching(/^uncertain: KEEP_ONCE: /)]);
  });

  it.each(BY_CODE)('is made again in the role %s with the same id', async (role) => {
    const name = `named-${role}`;
    await begin(role, name);
    const ids = (await twice(name)).map(({ header }) => header('Idempotency-Key'));
    expect(ids).toEqual([`"${name}"`, `"${name}"`]);
  });

  it.each(BY_CALL)('is made again with the same id in the role %s', async (role) => {
    const name = `again-${role}`;
    const { deliveryReasons } = await begin(role, name);
    const ids = (await twice(name)).map(({ header }) => header('Idempotency-Key'));
    expect(ids[0]).toMatch(role === 'flow-delivery' ? /^"[\da-f-]{36}_1"$/ : /^"[\da-f-]{36}"$/);
    expect(ids[1]).toBe(ids[0]);
    await roles.settled();
    expect(await deliveryReasons()).toEqual([expect.stringMatching(/^uncertain: /)]);
  });

  /** What the log of a process says. */
  async function messages(name: string): Promise<string[]> {
    const rows = await roles.rows(
      `select text from signalbox_process_message where instance in (select instance from signalbox_process_request where parameters like '%${name}%')`,
    );
    return rows.map(({ text }) => String(text));
  }
});
