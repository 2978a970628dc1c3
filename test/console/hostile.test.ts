import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

// Texts of definitions, callers and other systems that would be markup, control a terminal or turn the direction of a page. None of
// them may reach any page as it is.

const ESCAPE = '\u001b[31m';
const OVERRIDE = '\u202e';
const MARKUP = `<script>alert(1)</script><img src=x onerror="alert(2)">`;
const CANARY = `canary ${MARKUP} ' " & ${OVERRIDE}gnp.exe`;

const quoted = JSON.stringify(CANARY);
const DEFINITIONS = `queue: EVENTS
search: [PLACE]
description: ${quoted}
---
service: Hostile.v1
description: ${quoted}
permission: EVERYTHING
operations:
  PUBLISH:
    description: ${quoted}
    post: publish
    request: { fields: { PLACE: { type: string, required: true, example: ${quoted}, description: ${quoted} } } }
    queue: EVENTS
  SHOW:
    description: ${quoted}
    get: "show{?NAME}"
    handler: show
    request: { fields: { NAME: { type: string, default: ${quoted} } } }
    response: { fields: { TEXT: string } }
---
service: Elsewhere.v1
target: ELSEWHERE
permission: EVERYTHING
operations:
  TAKE: { post: take, request: { fields: { PLACE: string } } }
---
node: ELSEWHERE
description: ${quoted}
base: http://127.0.0.1:9
---
subscription: TO_ELSEWHERE
description: ${quoted}
operation: PUBLISH
call: TAKE
retry: { attempts: 1 }
---
query: ROWS
description: ${quoted}
permission: EVERYTHING
columns: { N: string }
sql: select '<b>${OVERRIDE}' as n
---
process: RUN
description: ${quoted}
type: Batch
permission: EVERYTHING
handler: run
`;

/** A page without the values of form fields, which are sent back as they are and control nothing around them. */
const withoutFields = (page: string): string =>
  page.replace(/ value="[^"]*"/g, '').replace(/<textarea[^>]*>[^<]*<\/textarea>/g, '');

/** What of a page a browser or a terminal could take for more than text. */
function rawIn(page: string): string[] {
  const rest = withoutFields(page);
  return [
    ...['<script>alert', '<img src=x'].filter((each) => page.includes(each)),
    ...['\u001b', OVERRIDE].filter((each) => rest.includes(each)).map((each) => JSON.stringify(each)),
  ];
}

describe('hostile texts', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    const users = USERS.replace(
      'permission-list: EVERYTHING',
      'permission-list: EVERYTHING\nconsole: [payload, act, users]',
    );
    gateway = await startConsole({
      files: {
        'definitions/gateway.yaml': gatewayText(),
        'definitions/users.yaml': users.replace('user: guest', `user: guest\ndescription: ${quoted}`),
        'definitions/hostile.yaml': DEFINITIONS,
        'src/handlers/show.ts': `export default { onRequest: ({ NAME }) => { throw new Error('failed for ' + NAME); } };`,
        'src/handlers/run.ts': 'export default { run: async () => {} };',
      },
    });
    visitor = await gateway.signIn();
    const base = '/gateway/RESTListeningConnector/Hostile.v1';
    const headers = { 'Content-Type': 'application/json', 'User-Agent': CANARY.replace(OVERRIDE, '') };
    const body = JSON.stringify({ PLACE: `${CANARY}${ESCAPE}` });
    expect((await gateway.call(`${base}/publish`, { method: 'POST', headers, body })).status).toBe(202);
    await gateway.call(`${base}/show?NAME=${encodeURIComponent(CANARY)}`);
  });
  afterAll(() => gateway.stop());

  it('are text on every page that links lead to', async () => {
    const seen = new Set(['/overview']);
    const wrong: string[] = [];
    let canaries = 0;
    for (const path of seen) {
      if (seen.size > 400) break;
      const { status, text, headers } = await visitor.get(path);
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      expect(status, path).toBeLessThan(400);
      if (text.includes('canary ')) canaries += 1;
      wrong.push(...rawIn(text).map((raw) => `${path}: ${raw}`));
      for (const [, to = ''] of text.matchAll(/href="\/console(\/(?!assets)[^"#]*)/g))
        seen.add(to.replaceAll('&amp;', '&'));
    }
    expect(wrong).toEqual([]);
    expect(canaries).toBeGreaterThan(8);
  }, 60_000);

  it('are text where the address has them', async () => {
    const odd = encodeURIComponent(CANARY);
    const areas = [
      '/registry?q=',
      '/find?q=',
      '/map?q=',
      '/messages?text=',
      '/users?q=',
      '/queries?q=',
      '/try?q=',
      '/processes?name=',
    ];
    for (const path of [
      ...areas.map((each) => `${each}${odd}`),
      `/registry/operations/${odd}`,
      `/messages/${odd}`,
      `/${odd}`,
    ]) {
      const { text } = await visitor.get(path);
      expect(rawIn(text), path).toEqual([]);
    }
  });
});
