import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHORITY } from '../support/certificates.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';
import { FILES } from './users-project.ts';

const PASSWORD = 'correct horse';

describe('users in the console', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: FILES });
    demo = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  /** Adds a user of the database with a password. */
  async function add(id: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const reply = await demo.post('/users/new', { id, password: PASSWORD, ...fields });
    expect(reply.status, reply.text).toBe(303);
  }
  const reader = async (id: string): Promise<Visitor> => {
    await add(id, { role: 'READER', sure: 'read' });
    return gateway.signIn(id, PASSWORD);
  };

  it('are added, and are listed with those of the definitions', async () => {
    await add('ann', { description: 'Night shift', role: 'GREETER' });
    const { text } = await demo.get('/users?q=NIGHT');
    expect(text).toContain('>ann</a>');
    expect(text).not.toContain('>guest</a>');
    expect((await demo.get('/users?from=definitions')).text).toMatch(/guest<\/a>[\s\S]*definitions\/users\.yaml:\d+/);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ action: 'user.add', target: 'ann', user: 'demo' }));
    expect(JSON.stringify(gateway.log())).not.toContain(PASSWORD);
    expect((await demo.get('/users/id/ann')).text).toMatch(/console:demo[\s\S]*password: yes/);
  });

  it('are listed page by page, each once, those of the definitions first', async () => {
    await Promise.all(Array.from({ length: 105 }, (_, n) => demo.post('/users/new', { id: `page-${1000 + n}` })));
    const seen: string[] = [];
    let path: string | undefined = '/users?role=';
    while (path !== undefined) {
      const { text } = await demo.get(path);
      seen.push(
        ...[...text.matchAll(/<td class="text"[^>]*><a href="\/console\/users\/id\/([^"]+)"/g)].map(
          ([, id]) => id as string,
        ),
      );
      path = /<nav class="pager"[^>]*><a href="\/console([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.slice(0, 2)).toEqual(['demo', 'guest']);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => id.startsWith('page-')).length).toBe(105);
  });

  it('that can not be added are reported on the form, with what was typed except the password', async () => {
    for (const [fields, why] of [
      [{ id: 'a b' }, 'An id has up to 128 letters'],
      [{ id: 'guest' }, 'guest is a user of the definitions (definitions/users.yaml:'],
      [{ id: 'sam', password: 'short' }, 'The password has fewer than 8 characters.'],
      [{ id: 'sam', role: 'NONE' }, 'There is no role NONE in the definitions.'],
      [{ id: 'sam', description: 'a\u202eb' }, 'The description has a control character.'],
    ] as const) {
      const reply = await demo.post('/users/new', { password: PASSWORD, ...fields });
      expect(reply.status).toBe(422);
      expect(reply.text).toContain(why);
      expect(reply.text).not.toContain(PASSWORD);
      expect(reply.text).toContain(`value="${fields.id}"`);
    }
    await add('twice');
    expect((await demo.post('/users/new', { id: 'twice' })).text).toContain('exists in the database already');
  });

  it('get grants of the console only after a question', async () => {
    const asked = await demo.post('/users/new', { id: 'eve', password: PASSWORD, role: 'ALL' });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('read, payload, act, users');
    expect((await demo.get('/users/id/eve')).status).toBe(404);
    await add('eve');
    const roles = await demo.post('/users/id/eve/roles', { had: '', role: 'ALL' });
    expect(roles.status).toBe(200);
    expect(roles.text).toContain('eve gets grants of the console: read, payload, act, users.');
    expect((await demo.get('/users/id/eve')).text).toContain('No role');
    const sure = /name="sure" value="([^"]+)"/.exec(roles.text)?.[1] as string;
    expect((await demo.post('/users/id/eve/roles', { had: '', roles: 'ALL', sure })).status).toBe(303);
    expect((await demo.get('/users/id/eve')).text).toContain('console: read, payload, act, users');
  });

  it('lose their session at once when they are disabled', async () => {
    const visitor = await reader('dan');
    expect((await visitor.get('/users/me')).status).toBe(200);
    expect((await demo.post('/users/id/dan/disable')).status).toBe(303);
    const after = await visitor.get('/users/me');
    expect(after.status).toBe(303);
    expect(after.headers.location).toBe('/console/sign-in?to=%2Fusers%2Fme');
    expect((await demo.get('/users?state=disabled')).text).toContain('>dan</a>');
    await demo.post('/users/id/dan/enable');
    expect((await visitor.get('/users/me')).status).toBe(303);
    expect((await (await gateway.signIn('dan', PASSWORD)).get('/users/me')).status).toBe(200);
  });

  it('lose at once what a role gave', async () => {
    const visitor = await reader('rob');
    await demo.post('/users/id/rob/roles', { had: 'READER' });
    expect((await visitor.get('/queues')).status).toBe(303);
  });

  it('have keys, which are shown once and can be used until they are revoked', async () => {
    await add('bot', { role: 'GREETER' });
    const made = await demo.post('/users/id/bot/keys', { description: 'nightly', days: '90' });
    expect(made.status).toBe(200);
    expect(made.headers['cache-control']).toBe('no-store');
    const key = /sbk_([a-z0-9]{8})_[\w-]{43}/.exec(made.text);
    const [secret, id] = [key?.[0] as string, key?.[1] as string];
    const use = async (): Promise<number> => {
      const headers = { 'X-Api-Key': secret };
      return (await gateway.call('/gateway/RESTListeningConnector/Hello.v1/hello', { anonymous: true, headers }))
        .status;
    };
    expect(await use()).toBe(200);
    const { text } = await demo.get('/users/id/bot');
    expect(text).toContain(id);
    expect(text).not.toContain(secret);
    await demo.post('/users/id/bot/keys/revoke', { key: id });
    expect(await use()).toBe(401);
    expect(JSON.stringify(gateway.log())).not.toContain(secret);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ action: 'user.key-revoke', target: `bot ${id}` }));
  });

  it('have certificates, by a file or a fingerprint', async () => {
    await add('cert');
    const fingerprint = `sha256:${'ab'.repeat(32)}`;
    const typed = await demo.post('/users/id/cert/certificates', { fingerprint: `${'AB:'.repeat(31)}AB` });
    expect(typed.status, typed.text).toBe(303);
    expect((await demo.get('/users/id/cert')).text).toContain(fingerprint);
    const page = await demo.get('/users/id/cert');
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] as string;
    const form = new FormData();
    form.set('token', token);
    form.set('file', new File([AUTHORITY], 'cert.pem'));
    const encoded = new Response(form);
    const sent = await gateway.ask('/users/id/cert/certificates', {
      method: 'POST',
      headers: {
        'Content-Type': encoded.headers.get('content-type') as string,
        'Sec-Fetch-Site': 'same-origin',
        Cookie: demo.cookie,
      },
      body: await encoded.text(),
    });
    expect(sent.status, sent.text).toBe(303);
    const wrong = await demo.post('/users/id/cert/certificates', { fingerprint: 'sha256:12' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('A fingerprint is sha256: and 64 hex digits.');
    await demo.post('/users/id/cert/certificates/remove', { fingerprint });
    expect((await demo.get('/users/id/cert')).text).toMatch(/No longer|certificate-remove/);
  });

  it('of the definitions are shown with their line, and are not changed', async () => {
    const { text } = await demo.get('/users/id/guest');
    expect(text).toMatch(/can’t be changed here: edit <a [^>]*><code>definitions\/users\.yaml:\d+/);
    expect(text).not.toContain('$scrypt');
    for (const path of ['disable', 'enable', 'roles', 'password', 'keys', 'certificates']) {
      const reply = await demo.post(`/users/id/guest/${path}`, {
        had: '',
        role: 'ALL',
        fingerprint: 'x',
        password: PASSWORD,
      });
      expect(reply.status, path).toBe(422);
      expect(reply.text).toMatch(/guest is a user of the definitions \(definitions\/users\.yaml:\d+\)/);
    }
  });

  it('do not disable themselves or give up their grant without a question', async () => {
    await add('own', { role: 'ALL', sure: 'read, payload, act, users' });
    const own = await gateway.signIn('own', PASSWORD);
    const asked = await own.post('/users/id/own/disable');
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('You are own.');
    const roles = await own.post('/users/id/own/roles', { had: 'ALL', role: 'READER' });
    expect(roles.status).toBe(200);
    expect(roles.text).toContain('you lose the grant `users`');
    expect((await own.get('/users')).status).toBe(200);
    const actions = () => gateway.log().filter(({ action, target }) => action !== 'sign-in' && target === 'own');
    expect(actions().map(({ action }) => action)).toEqual(['user.add']);
    expect((await own.post('/users/id/own/disable', { sure: 'own' })).status).toBe(303);
    expect(actions().map(({ action }) => action)).toEqual(['user.add', 'user.disable']);
    expect((await own.get('/users')).headers.location).toContain('/console/sign-in');
  });

  it('get another password, or none, and their sessions end', async () => {
    const visitor = await reader('zoe');
    expect((await demo.post('/users/id/zoe/password', {})).text).toContain('The new password is missing.');
    expect((await visitor.get('/users/me')).status).toBe(200);
    expect((await demo.post('/users/id/zoe/password', { password: 'battery staple' })).status).toBe(303);
    expect((await visitor.get('/users/me')).status).toBe(303);
    const again = await gateway.signIn('zoe', 'battery staple');
    expect((await demo.post('/users/id/zoe/password/remove')).status).toBe(303);
    expect((await again.get('/users/me')).status).toBe(303);
    expect((await demo.get('/users/id/zoe')).text).toContain('<dt>Password</dt><dd>none</dd>');
  });

  it('see their sessions with the browser in a few words, and what it has sent on a hover', async () => {
    const visitor = await reader('uma');
    const agents = [
      [
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        'Chrome 140 on Linux',
      ],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
        'Edge 141 on Windows',
      ],
      [
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
        'Safari 18 on macOS',
      ],
      ['Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0', 'Firefox 143 on Android'],
    ] as const;
    for (const [agent] of agents) {
      const body = new URLSearchParams({ id: 'uma', password: PASSWORD }).toString();
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Sec-Fetch-Site': 'same-origin',
        'User-Agent': agent,
      };
      expect((await gateway.ask('/sign-in', { method: 'POST', headers, body })).status).toBe(303);
    }
    const { text } = await visitor.get('/users/me');
    for (const [agent, words] of agents) expect(text).toContain(`<span title="${agent}">${words}</span>`);
  });

  it('have a page that is below the list in the links of the area', async () => {
    const { text } = await demo.get('/users/id/demo');
    expect(text).toContain('<a href="/console/users" aria-current="true">Users</a>');
  });

  it('end one session or all', async () => {
    const [first, second] = [await reader('sue'), await gateway.signIn('sue', PASSWORD)];
    const id = /<code>([0-9a-f]{16})<\/code> <span class="badge good">/.exec(
      (await first.get('/users/me')).text,
    )?.[1] as string;
    expect((await second.post('/users/me/sessions/end', { session: id })).status).toBe(303);
    expect((await first.get('/users/me')).status).toBe(303);
    expect((await second.get('/users/me')).status).toBe(200);
    expect((await second.post('/users/me/sessions/end', { session: 'ffffffffffffffff' })).status).toBe(422);
    await demo.post('/users/id/sue/sessions/end-all');
    expect((await second.get('/users/me')).status).toBe(303);
  });

  it('do not end the sessions of others', async () => {
    const [mine, other] = [await reader('tom'), await reader('tim')];
    const id = /<code>([0-9a-f]{16})<\/code>/.exec((await other.get('/users/me')).text)?.[1] as string;
    const reply = await mine.post('/users/me/sessions/end', { session: id });
    expect(reply.status).toBe(422);
    expect((await other.get('/users/me')).status).toBe(200);
  });

  it('change their own password with the current one, and sign in again', async () => {
    const visitor = await reader('pat');
    const wrong = await visitor.post('/users/me/password', { current: 'wrong horse', password: 'battery staple' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('The current password is wrong.');
    const right = await visitor.post('/users/me/password', { current: PASSWORD, password: 'battery staple' });
    expect(right.status).toBe(303);
    expect((await visitor.get('/users/me')).status).toBe(303);
    expect((await (await gateway.signIn('pat', 'battery staple')).get('/users/me')).status).toBe(200);
    expect((await demo.post('/users/me/password', { current: 'demo', password: 'battery staple' })).text).toContain(
      'Your password is not in the database',
    );
  });

  it('without the grant see their own page, and who can by roles alone', async () => {
    const visitor = await reader('ray');
    expect((await visitor.get('/users')).headers.location).toBe('/console/users/me');
    for (const path of ['/users/id/ann', '/users/id/ray', '/users/new', '/users/log', '/users/can?user=demo'])
      expect((await visitor.get(path)).status, path).toBe(403);
    for (const path of ['/users/new', '/users/id/ray/roles', '/users/id/ray/keys', '/users/id/demo/sessions/end-all'])
      expect((await visitor.post(path, { had: '', role: 'ALL' })).status, path).toBe(403);
    const { text } = await visitor.get('/users/who-can?thing=HELLO');
    expect(text).toContain('role GREETER');
    expect(text).not.toMatch(/\bann\b|\bbot\b/);
    expect((await visitor.get('/users/can')).text).toContain('What');
    expect((await visitor.get('/users/can?user=role:ALL')).text).toContain('console');
  });

  it('are hostile text that stays text', async () => {
    await add('mal', { description: '<script>alert(1)</script>' });
    for (const path of ['/users?q=mal', '/users/id/mal', '/users/new?id=%3Cb%3E', '/users/can?user=%3Cscript%3E'])
      expect((await demo.get(path)).text, path).not.toMatch(/<script>|<b>/);
    expect((await demo.get('/users/id/%3Cscript%3E')).status).toBe(404);
    expect((await demo.get('/users/id/a%00b')).status).toBe(404);
    expect((await demo.get('/users?q=%00')).status).toBe(400);
  });
});

describe('grants in the console', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: FILES });
    demo = await gateway.signIn();
    await demo.post('/users/new', { id: 'ann', password: PASSWORD, role: 'GREETER' });
  });
  afterAll(() => gateway.stop());

  it('name who may use a thing, and the line', async () => {
    const { text } = await demo.get('/users/who-can?thing=operation:HELLO');
    expect(text).toContain('>ann</a>');
    expect(text).toContain('ann has the role GREETER');
    expect(text).toContain('GREETINGS grants operation HELLO');
    expect(text).toMatch(/definitions\/hello\.yaml:4/);
    expect((await demo.get('/users/who-can?thing=console:users')).text).toContain('>demo</a>');
  });

  it('propose things for a name that does not exist', async () => {
    const { status, text } = await demo.get('/users/who-can?thing=hell');
    expect(status).toBe(404);
    expect(text).toContain('thing=operation%3AHELLO');
  });

  it('say what a user can use, and what is missing', async () => {
    expect((await demo.get('/users/can?user=ann')).text).toContain('may use 1 thing');
    expect((await demo.get('/users/can?user=ann&thing=HELLO')).text).toContain('may use it');
    const no = await demo.get('/users/can?user=guest&thing=HELLO');
    expect(no.text).toContain('may not use it');
    expect(no.text).toContain('GREETER has the list GREETINGS');
    expect((await demo.get('/users/can?user=nobody')).status).toBe(404);
  });
});

describe('the audit log in the console', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: FILES });
    demo = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  it('has both trails, with search', async () => {
    await demo.post('/users/new', { id: 'ann' });
    await demo.post('/queues/events/pause');
    const { text } = await demo.get('/users/log');
    expect(text).toMatch(/pause[\s\S]*add[\s\S]*sign-in/);
    const rows = async (query: string): Promise<number> =>
      (await demo.get(`/users/log?${query}`)).text.split('<td class="wide" ').length - 1;
    expect(await rows('actor=demo')).toBe(3);
    expect(await rows('action=pause')).toBe(1);
    expect(await rows('subject=ann')).toBe(1);
    expect(await rows('subject=events&actor=console%3Ademo')).toBe(1);
    expect(await rows('until=2020-01-01T00:00')).toBe(0);
    expect((await demo.get('/users/log?since=x')).status).toBe(400);
    expect((await demo.get('/users/log?after=x')).status).toBe(400);
  });
});
