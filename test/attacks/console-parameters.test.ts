import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AREAS } from '../../src/console/index.ts';
import { type ConsoleGateway, type ConsoleReply, startConsole, type Visitor } from '../console/support.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';

// Whatever is written into the address of a page, or into the fields of an action: no page fails, shows it as markup, or leaves a
// header that was chosen by someone else.

const MARKUP = '"><script>alert(1)</script>';
/** Of a list, with what PostgreSQL takes in no text. */
const CURSOR = Buffer.from('["\\u0000","",""]').toString('base64url');
const HOSTILE: readonly string[] = [
  '',
  '0',
  '-1',
  '1e400',
  'NaN',
  '99999999999999999999999',
  '../../../../etc/passwd',
  '..\\..\\',
  '%2e%2e%2f',
  'a/b/c',
  'a\0b',
  '\r\nX-Injected: yes',
  `'; drop table signalbox_user --`,
  '%',
  '[',
  '{"a":',
  '__proto__',
  'constructor',
  '\ud800',
  '\u202e\u2028',
  `${MARKUP}`,
  'x'.repeat(4000),
  '2026-99-99T99:99',
  Buffer.from('{"at":"\'","id":{}}').toString('base64url'),
  CURSOR,
];

/** Parameters that pages read. */
const NAMES =
  'after q to kind hours from thing show left way view user type status state scheme period order open name line before as role text queue subscription operation node since until request trace field.LOCATION'.split(
    ' ',
  );

/** What a page gets for one parameter alone as well: of several it refuses the first that it can't use. */
const ALONE = new Set(['a\0b', '99999999999999999999999', CURSOR]);

describe('a page and an action take', () => {
  let database: TestDatabase | undefined;
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    // The stricter one of the two.
    database = hasPostgres ? await createDatabase({ migrated: true }) : undefined;
    gateway = await startConsole(database && { env: { DATABASE_URL: database.url } });
    visitor = await gateway.signIn();
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.drop();
  });

  const routes = AREAS.filter(({ id }) => id !== 'diagnostics').flatMap((area) => area.routes);

  it.each(HOSTILE.map((text) => [text.slice(0, 40), text]))(
    '%j',
    async (_, text) => {
      const id = encodeURIComponent(text.toWellFormed()) || 'x';
      const all = NAMES.map((name): [string, string] => [name, text]);
      const wrong: string[] = [];
      const check = (what: string, { status, text: page, headers }: ConsoleReply): void => {
        if (status >= 500 || page.includes('<script>alert') || 'x-injected' in headers)
          wrong.push(`${what}: ${status}`);
      };
      for (const { kind, path } of routes) {
        const to = path.replaceAll(/:[a-z]+/g, id);
        if (kind === 'action') {
          check(`action ${path}`, await visitor.post(to, Object.fromEntries(all)));
          continue;
        }
        check(path, await visitor.get(to));
        if (text.length < 100) check(`${path} all`, await visitor.get(`${to}?${new URLSearchParams(all)}`));
        if (path === to && ALONE.has(text))
          for (const each of all)
            check(`${path} ${each[0]}`, await visitor.get(`${to}?${new URLSearchParams([each])}`));
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  it('thousands of parameters, and no address that is too long', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `field.F${index}=x`).join('&');
    expect((await visitor.get(`/messages?${many}`)).status).toBeLessThan(500);
    expect((await visitor.get(`/messages?text=${'x'.repeat(100_000)}`)).status).toBe(414);
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 'x']));
    expect((await visitor.post('/queues/processes/resume', fields)).status).toBe(303);
    expect((await visitor.get('/queues')).status).toBe(200);
  });
});
