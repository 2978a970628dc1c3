import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AREAS } from '../../src/console/index.ts';
import type { ConsoleGrant } from '../../src/model/security.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

// What a user has no grant for is refused, whatever the page: by the table of all routes.

/** Users with one grant each; every grant includes `read`. The hash is that of `demo` and of its name as password. */
const [, HASH = ''] = /password: (\S+)/.exec(USERS) ?? [];
const ONE_EACH: readonly ConsoleGrant[] = ['read', 'payload', 'act', 'users'];

const users = ONE_EACH.map(
  (grant) => `permission-list: ONLY_${grant.toUpperCase()}
console: [${grant}]
---
role: R_${grant.toUpperCase()}
permission-lists: [ONLY_${grant.toUpperCase()}]
---
user: u-${grant}
password: ${HASH}
roles: [R_${grant.toUpperCase()}]
sample: true
`,
).join('---\n');

describe('the grants of the console', () => {
  let gateway: ConsoleGateway;
  const visitors = new Map<ConsoleGrant, Visitor>();
  beforeAll(async () => {
    gateway = await startConsole({
      files: { 'definitions/gateway.yaml': gatewayText(), 'definitions/users.yaml': `${USERS}---\n${users}` },
    });
    for (const grant of ONE_EACH) visitors.set(grant, await gateway.signIn(`u-${grant}`, 'demo'));
  });
  afterAll(() => gateway.stop());

  /** The path of a route with some value in place of each variable. */
  const filled = (path: string): string => path.replaceAll(/:[a-z]+/g, 'x');
  const routes = AREAS.filter(({ id }) => id !== 'diagnostics').flatMap((area) => area.routes);

  it.each(ONE_EACH)('of %s alone open what needs it, and nothing that needs another', async (grant) => {
    const visitor = visitors.get(grant) as Visitor;
    const wrong: string[] = [];
    for (const { kind, path, grant: needed } of routes) {
      const { status } = kind === 'page' ? await visitor.get(filled(path)) : await visitor.post(filled(path));
      const isPermitted = needed === 'read' || needed === grant;
      // Beyond the grant of the route, a page may need another one for what it shows.
      if (!isPermitted && status !== 403) wrong.push(`${kind} ${path} needs ${needed}, and answers ${status}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('that are missing are the reason of a refusal in the audit log', async () => {
    expect((await (visitors.get('read') as Visitor).post('/queues/processes/pause')).status).toBe(403);
    const path = '/console/queues/processes/pause';
    const line = { path, user: 'u-read', scheme: 'session', decision: 'refused', reason: 'no grant', status: 403 };
    expect(gateway.log()).toContainEqual(expect.objectContaining(line));
  });

  it('lead from no page to one that is refused', async () => {
    for (const [grant, visitor] of visitors) {
      const { text } = await visitor.get('/overview');
      // Who has no grant of users is led to the page of his own.
      for (const [, to = ''] of text.matchAll(/<li><a href="\/console([^"]*)"/g))
        expect([200, 303], `${to} for ${grant}`).toContain((await visitor.get(to)).status);
    }
  });

  it('are needed to sign in at all', async () => {
    const reply = await gateway.ask('/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
      body: 'id=guest&password=guest',
    });
    expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined]);
  });
});
