import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../message/project.ts';
import { eventually } from '../support/project.ts';
import { CALLS, JOBS, type Role, type Roles, reply, startRoles } from './roles.ts';

// Retry-After in seconds and as a date is respected in every role, up to a minute or the longest pause of `retry`. What is no such
// value is not there.

const FAULT =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Client</faultcode><faultstring>too many</faultstring></e:Fault></e:Body></e:Envelope>';

const later = (milliseconds: number) => new Date(Date.now() + milliseconds).toUTCString();

/** A date in the oldest form, which names no time zone. */
const asctime = (milliseconds: number) => {
  const [day = '', date, month, year, time] = later(milliseconds).split(/,? /);
  return `${day} ${month} ${String(Number(date)).padStart(2, ' ')} ${time} ${year}`;
};

describe.each(ENGINES)('Retry-After on %s', (kind) => {
  let roles: Roles;
  beforeAll(async () => {
    roles = await startRoles(kind);
  });
  afterAll(() => roles?.stop());

  /** The first request with a name is refused with these headers, others are taken. */
  const refuse = (refused: ReadonlyMap<string, () => string>): void => {
    roles.answer = ({ text }) => {
      const [name, answer] = [...refused].find(([each]) => text.includes(each)) ?? [];
      return name !== undefined && answer !== undefined && roles.got(name).length === 1
        ? answer()
        : reply('204 No Content');
    };
  };

  const twice = (name: string) =>
    eventually(`a second request of ${name}`, () => {
      const [first, second] = roles.got(name);
      return second === undefined ? undefined : second.at - (first?.at ?? 0);
    });

  describe.each([...CALLS, ...JOBS])('in the role %s', (role) => {
    const isCall = (CALLS as readonly Role[]).includes(role);
    const begin = async (name: string, status = 299): Promise<void> => {
      const answered = await roles.begin(role, name);
      expect(answered.status, `${name} ${answered.text}`).toBeLessThanOrEqual(status);
    };

    it('is waited for, in seconds and as a date', async () => {
      const cases = [
        ['429 Too Many Requests', () => '1', 990],
        ['503 Service Unavailable', () => later(2000), 900],
        ['503 Service Unavailable', () => asctime(2000), 900],
      ] as const;
      const named = cases.map((each, index) => [`wait-${role}-${index}`, ...each] as const);
      refuse(new Map(named.map(([name, status, value]) => [name, () => reply(status, { 'Retry-After': value() })])));
      await Promise.all(
        named.map(async ([name, , , least]) => {
          await begin(name);
          expect(await twice(name), name).toBeGreaterThanOrEqual(least);
        }),
      );
    });

    it.each([
      ['seconds', '99999999999999999999999'],
      ['a date', 'Sun, 06 Nov 9994 08:49:37 GMT'],
    ])('has a bound: %s', async (what, value) => {
      const name = `bound-${role}-${what.replaceAll(' ', '-')}`;
      refuse(new Map([[name, () => reply('429 Too Many Requests', { 'Retry-After': value })]]));
      const before = await roles.delayed();
      if (isCall) expect((await roles.begin(role, name)).status).toBe(502);
      else {
        await begin(name);
        await eventually('the request', () => roles.got(name)[0]);
        await eventually('a job that waits', async () => ((await roles.delayed()) === before + 1 ? true : undefined));
      }
      expect(roles.got(name)).toHaveLength(1);
    });

    it('is none when it is malformed', async () => {
      const named = ['-5', 'soon', '5 s', '0x3c', '', 'Sun, 06 Nov 2994'].map(
        (value, index) => [`none-${role}-${index}`, value] as const,
      );
      refuse(
        new Map(named.map(([name, value]) => [name, () => reply('503 Service Unavailable', { 'Retry-After': value })])),
      );
      await Promise.all(
        named.map(async ([name]) => {
          // A call by POST is not repeated without it.
          if (isCall) expect((await roles.begin(role, name)).status, name).toBe(502);
          else {
            await begin(name);
            await twice(name);
          }
          expect(roles.got(name)).toHaveLength(isCall ? 1 : 2);
        }),
      );
    });
  });

  it.each([
    'relay-soap',
    'soap-delivery',
  ] as const)('makes a fault temporary over SOAP, whose status is always 500: %s', async (role) => {
    const name = `fault-${role}`;
    refuse(
      new Map([
        [name, () => reply('500 Internal Server Error', { 'Retry-After': '1', 'Content-Type': 'text/xml' }, FAULT)],
      ]),
    );
    const answered = await roles.begin(role, name);
    expect(answered.status, answered.text).toBeLessThan(300);
    expect(await twice(name)).toBeGreaterThanOrEqual(990);
  });

  it('is respected for the token endpoint, by all calls to the node', async () => {
    const began = roles.tokens().length;
    const refusedAt: number[] = [];
    roles.answer = ({ path }) => {
      if (path !== '/token') return reply('204 No Content');
      if (roles.tokens().length === began + 1) {
        refusedAt.push(Date.now());
        return reply(
          '429 Too Many Requests',
          { 'Retry-After': '1', 'Content-Type': 'application/json' },
          '{"error":"slow_down"}',
        );
      }
      return reply('200 OK', { 'Content-Type': 'application/json' }, '{"access_token":"t","token_type":"Bearer"}');
    };
    const answers = await Promise.all(['a', 'b', 'c'].map((each) => roles.begin('guarded', `token-${each}`)));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']));
    const [, second, third] = roles.tokens().slice(began);
    expect((second?.at ?? 0) - (refusedAt[0] ?? 0)).toBeGreaterThanOrEqual(960);
    expect(third).toBeUndefined();
  });
});
