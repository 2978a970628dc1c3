import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const PATH = '/gateway/RESTListeningConnector/Hooks.v1';
const GITHUB = "It's a Secret to Everybody";
const SLACK = '8f742231b10e8888abcd99yyyzzz85a5';
const [NEW, OLD] = ['whsec_new', 'whsec_old'];
const STANDARD = `whsec_${Buffer.alloc(32, 'std').toString('base64')}`;

const files = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 1000 B }\nrequest-encodings: [gzip]'),
  'definitions/users.yaml': `${USERS}---
user: partner
roles: [ALL]
`,
  'definitions/hooks.yaml': `scheme: GITHUB
hmac: { user: partner, secrets: "\${secret:GITHUB}", header: X-Hub-Signature-256, form: "sha256={hex}" }
---
scheme: SHOPIFY
hmac: { user: partner, secrets: "\${secret:GITHUB}", header: X-Shopify-Hmac-Sha256, form: "{base64}" }
---
scheme: STRIPE
hmac:
  user: partner
  secrets: ["\${secret:NEW}", "\${secret:OLD}"]
  header: Stripe-Signature
  form: "t={timestamp},v1={hex}"
  signed: "{timestamp}.{body}"
  tolerance: 10 s
---
scheme: SLACK
hmac:
  user: partner
  secrets: "\${secret:SLACK}"
  header: X-Slack-Signature
  form: "v0={hex}"
  timestamp: X-Slack-Request-Timestamp
  signed: "v0:{timestamp}:{body}"
---
scheme: TWITCH
hmac:
  user: partner
  secrets: "\${secret:SLACK}"
  header: Twitch-Eventsub-Message-Signature
  form: "sha256={hex}"
  timestamp: Twitch-Eventsub-Message-Timestamp
  id: Twitch-Eventsub-Message-Id
  signed: "{id}{timestamp}{body}"
---
scheme: SEPARATED
hmac: { user: partner, secrets: "\${secret:SLACK}", header: X-Sig, form: "sha256={hex}", timestamp: X-Time, id: X-Id, signed: "{id}.{timestamp}.{body}" }
---
scheme: TEAMS
hmac: { user: partner, secrets: "\${secret:TEAMS}", secret-encoding: base64, header: Authorization, form: "HMAC {base64}" }
---
scheme: STANDARD
webhook: { user: partner, secrets: "\${secret:STANDARD}" }
---
service: Hooks.v1
permission: EVERYTHING
operations:
  GITHUB_HOOK: { post: github, handler: who, requires: GITHUB, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  GITHUB_RAW: { post: raw, handler: who, requires: GITHUB, request: binary, response: { fields: { ID: string, SEEN: string } } }
  GITHUB_TEXT: { post: text, handler: who, requires: GITHUB, request: text, response: { fields: { ID: string, SEEN: string } } }
  SHOPIFY_HOOK: { post: shopify, handler: who, requires: SHOPIFY, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  STRIPE_HOOK: { post: stripe, handler: who, requires: STRIPE, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  SLACK_COMMAND: { post: slack, handler: who, requires: SLACK, request: binary, response: { fields: { ID: string, SEEN: string } } }
  SLACK_FORM: { post: slack-form, handler: who, requires: SLACK, form: multipart, request: { fields: { command: string, file: binary } }, response: { fields: { ID: string, SEEN: string } } }
  SLACK_EVENT: { post: slack-event, handler: who, requires: SLACK, request: { fields: { command: string } }, response: { fields: { ID: string, SEEN: string } } }
  TWITCH_HOOK: { post: twitch, handler: who, requires: TWITCH, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  SEPARATED_HOOK: { post: separated, handler: who, requires: SEPARATED, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  STANDARD_HOOK: { post: standard, handler: who, requires: STANDARD, request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
  TEAMS_HOOK: { post: teams, handler: who, requires: [TEAMS, basic], request: { fields: { zen: string } }, response: { fields: { ID: string, SEEN: string } } }
`,
  'src/handlers/who.ts': `export default {
  async onRequest(input, context) {
    const { content, zen, command } = input;
    let SEEN = typeof content === 'string' ? content : (zen ?? command ?? '');
    if (content?.stream !== undefined) for await (const chunk of content.stream()) SEEN += Buffer.from(chunk).toString();
    return { ID: context.user?.id ?? '', SEEN };
  },
};`,
};

let gateway: TestGateway;
beforeAll(async () => {
  const TEAMS = Buffer.from('teams').toString('base64');
  gateway = await startTestGateway({ files, env: { GITHUB, SLACK, NEW, OLD, TEAMS, STANDARD } });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (path: string, body: string | Buffer, headers: Headers): Promise<Reply> =>
  gateway.call(`${PATH}/${path}`, { method: 'POST', anonymous: true, headers: { ...JSON_TYPE, ...headers }, body });
const hmac = (key: string, ...parts: readonly (string | Buffer)[]) => {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const github = (body: string | Buffer): Headers => ({
  'X-Hub-Signature-256': `sha256=${hmac(GITHUB, body).toString('hex')}`,
});
const now = (at = 0): string => String(Math.floor(Date.now() / 1000) + at);
const v1 = (secret: string, time: string, body: string): string =>
  `v1=${hmac(secret, `${time}.${body}`).toString('hex')}`;
const stripe = (
  body: string,
  { at = 0, secrets = [NEW] }: { at?: number; secrets?: readonly string[] } = {},
): Headers => {
  const time = now(at);
  const signatures = secrets.map((secret) => v1(secret as string, time, body));
  return { 'Stripe-Signature': [`t=${time}`, ...signatures, 'v0=6ffbb59b2300'].join(',') };
};
const slack = (body: string, at = 0): Headers => {
  const time = now(at);
  const signature = `v0=${hmac(SLACK, `v0:${time}:${body}`).toString('hex')}`;
  return { 'X-Slack-Request-Timestamp': time, 'X-Slack-Signature': signature };
};
const reason = async (): Promise<unknown> =>
  (await eventually('the line of the call', () => gateway.log().findLast((line) => line.status !== undefined))).reason;

const BODY = '{"zen":"Keep it logically awesome."}';

describe('a webhook of GitHub', () => {
  it('is accepted as its documentation signs it, whatever the media type is', async () => {
    const headers = {
      'content-type': 'text/plain',
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const reply = await post('text', 'Hello, World!', headers);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { ID: 'partner', SEEN: 'Hello, World!' }]);
  });

  it('is the bytes of its body: another spelling of the same JSON is refused', async () => {
    const spaced = ` ${BODY.replace(':', ' : ')}\n`;
    expect((await post('github', spaced, github(spaced))).status).toBe(200);
    expect((await post('github', BODY, github(spaced))).status).toBe(401);
    const latin = Buffer.from('caf\xe9', 'latin1');
    const binary = { 'content-type': 'application/octet-stream' };
    expect((await post('raw', latin, { ...github(latin), ...binary })).status).toBe(200);
    expect((await post('raw', latin, { ...github('café'), ...binary })).status).toBe(401);
  });

  it('is accepted from behind a signature of another form, and in any of several headers', async () => {
    const { 'X-Hub-Signature-256': own = '' } = github(BODY);
    const wrong = `sha256=${'0'.repeat(64)}`;
    for (const header of [`sha1=12ab, ${own}`, `${wrong},${own}`, `${own} ${wrong}`])
      expect((await post('github', BODY, { 'X-Hub-Signature-256': header })).status).toBe(200);
    const lines = [wrong, own].map((each) => `X-Hub-Signature-256: ${each}\r\n`).join('');
    const head = `POST ${PATH}/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines}`;
    const replied = await gateway.raw(`${head}Connection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
    expect(replied).toContain('HTTP/1.1 200');
  });

  it('is refused with the same 401 for every cause, which only the log names', async () => {
    const { 'X-Hub-Signature-256': own = '' } = github(BODY);
    const causes: readonly (readonly [string, string | undefined, string])[] = [
      [BODY, undefined, 'no credentials'],
      [BODY, own.slice('sha256='.length), 'has no signature of the form sha256={hex}'],
      [BODY, own.slice(0, -2), 'no signature is of a secret of the scheme GITHUB'],
      [BODY, `${own}00`, 'no signature is of a secret of the scheme GITHUB'],
      [BODY, 'sha256=', 'has no signature of the form'],
      [`${BODY} `, own, 'no signature is of a secret of the scheme GITHUB'],
      ['not even JSON', own, 'no signature is of a secret of the scheme GITHUB'],
      [BODY, `sha256=${'a'.repeat(4100)}`, 'X-Hub-Signature-256 is too long'],
    ];
    const replies = new Set<string>();
    for (const [body, header, expected] of causes) {
      const { status, text, headers } = await post(
        'github',
        body,
        header === undefined ? {} : { 'X-Hub-Signature-256': header },
      );
      const { requestId: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
      replies.add(JSON.stringify([status, headers['www-authenticate'], rest]));
      expect(await reason()).toContain(expected);
    }
    expect([...replies]).toHaveLength(1);
    expect([...replies][0]).toContain('401,"Webhook realm=\\"signalbox\\""');
  });

  it('has at most the bytes of a body, of a length that is known or not', async () => {
    const of = (bytes: number): string => 'x'.repeat(bytes);
    const binary = { 'content-type': 'application/octet-stream' };
    expect((await post('raw', of(1000), { ...github(of(1000)), ...binary })).status).toBe(200);
    expect((await post('raw', of(1001), { ...github(of(1001)), ...binary })).status).toBe(413);
    const chunked = (body: string): Promise<string> => {
      const lines = Object.entries({ ...github(body), ...binary }).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${PATH}/raw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}`;
      const chunks = [body.slice(0, 400), body.slice(400)].map((each) => `${each.length.toString(16)}\r\n${each}\r\n`);
      return gateway.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`);
    };
    expect(await chunked(of(1000))).toContain('HTTP/1.1 200');
    expect(await chunked(of(1001))).toContain('HTTP/1.1 413');
  });

  it('is the bytes that are sent, where these are compressed', async () => {
    const sent = gzipSync(BODY);
    expect((await post('github', sent, { ...github(sent), 'content-encoding': 'gzip' })).status).toBe(200);
    expect((await post('github', sent, { ...github(BODY), 'content-encoding': 'gzip' })).status).toBe(401);
  });

  it('can be empty', async () => {
    const binary = { 'content-type': 'application/octet-stream' };
    expect((await post('raw', '', { ...github(''), ...binary })).status).not.toBe(401);
    expect((await post('raw', '', { ...github(' '), ...binary })).status).toBe(401);
  });

  it('without a signed time is accepted again', async () => {
    expect((await post('github', BODY, github(BODY))).status).toBe(200);
    expect((await post('github', BODY, github(BODY))).status).toBe(200);
  });
});

it('a webhook of Shopify is signed in base64', async () => {
  const header = 'X-Shopify-Hmac-Sha256';
  expect((await post('shopify', BODY, { [header]: hmac(GITHUB, BODY).toString('base64') })).status).toBe(200);
  expect((await post('shopify', BODY, { [header]: hmac(GITHUB, BODY).toString('hex') })).status).toBe(401);
});

describe('a webhook of Stripe', () => {
  it('has its time in the header with the signature', async () => {
    const reply = await post('stripe', BODY, stripe(BODY));
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([200, { ID: 'partner' }]);
  });

  it('is signed by any of the secrets while one replaces the other', async () => {
    expect((await post('stripe', BODY, stripe(BODY, { secrets: [OLD], at: -1 }))).status).toBe(200);
    expect((await post('stripe', BODY, stripe(BODY, { secrets: ['unknown', OLD], at: -2 }))).status).toBe(200);
    expect((await post('stripe', BODY, stripe(BODY, { secrets: ['unknown'], at: -3 }))).status).toBe(401);
  });

  it('is accepted once, also where a copy shows the signature of the other secret alone', async () => {
    const time = now(2);
    const [byNew, byOld] = [v1(NEW as string, time, BODY), v1(OLD as string, time, BODY)];
    const sent = (...signatures: readonly string[]): Promise<Reply> =>
      post('stripe', BODY, { 'Stripe-Signature': [`t=${time}`, ...signatures].join(',') });
    expect((await sent(byNew, byOld)).status).toBe(200);
    expect((await sent(byNew, byOld)).status).toBe(401);
    expect(await reason()).toContain('a replay');
    expect((await sent(byOld)).status).toBe(401);
    expect(await reason()).toContain('a replay');
  });

  it('is accepted once of many copies at the same time', async () => {
    const headers = stripe(BODY, { at: 3 });
    const replies = await Promise.all(Array.from({ length: 8 }, () => post('stripe', BODY, headers)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each([
    ['old', () => stripe(BODY, { at: -12 }), 'Stripe-Signature differs from the time here by more than 10 s'],
    ['of tomorrow', () => stripe(BODY, { at: 86_400 }), 'differs from the time here'],
    [
      'without its time',
      () => ({ 'Stripe-Signature': v1(NEW as string, now(), BODY) }),
      'has no time that can be read',
    ],
    ['with no time', () => ({ 'Stripe-Signature': `t=now,${v1(NEW as string, 'now', BODY)}` }), 'has no time'],
  ])('is refused where it is %s', async (_, headers, expected) => {
    expect((await post('stripe', BODY, headers())).status).toBe(401);
    expect(await reason()).toContain(expected);
  });

  it('that was refused leaves no mark: the true one is still accepted', async () => {
    const headers = stripe(BODY, { at: 4 });
    expect((await post('stripe', `${BODY} `, headers)).status).toBe(401);
    expect((await post('stripe', BODY, headers)).status).toBe(200);
  });
});

describe('a request of Slack', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const COMMAND = 'command=%2Fweather&text=94070';

  it('is a form or JSON, whose bytes and time are signed', async () => {
    const reply = await post('slack', COMMAND, { ...slack(COMMAND), ...FORM });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { ID: 'partner', SEEN: COMMAND }]);
    expect((await post('slack-event', '{"command":"/w"}', slack('{"command":"/w"}'))).status).toBe(200);
    const reordered = 'text=94070&command=%2Fweather';
    expect((await post('slack', reordered, { ...slack(COMMAND, 1), ...FORM })).status).toBe(401);
  });

  it('is a form of several parts, which are not read before the whole was verified', async () => {
    const part = (name: string, text: string): string =>
      `--X\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? '; filename="a"' : ''}\r\n\r\n${text}\r\n`;
    const body = `${part('command', '/w')}${part('file', 'abc')}--X--\r\n`;
    const type = { 'content-type': 'multipart/form-data; boundary=X' };
    const reply = await post('slack-form', body, { ...slack(body), ...type });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { ID: 'partner', SEEN: '/w' }]);
    expect((await post('slack-form', body.replace('abc', 'abd'), { ...slack(body, 1), ...type })).status).toBe(401);
  });

  it('is refused with another time, without one, and when it is old', async () => {
    const { 'X-Slack-Request-Timestamp': _, ...timeless } = slack(COMMAND);
    expect((await post('slack', COMMAND, { ...timeless, ...FORM })).status).toBe(401);
    expect(await reason()).toContain('X-Slack-Request-Timestamp is missing');
    const other = { ...slack(COMMAND), 'X-Slack-Request-Timestamp': now(-1) };
    expect((await post('slack', COMMAND, { ...other, ...FORM })).status).toBe(401);
    expect((await post('slack', COMMAND, { ...slack(COMMAND, -302), ...FORM })).status).toBe(401);
    expect(await reason()).toContain('differs from the time here by more than 5 m');
    // The example of its documentation is of 2018.
    const documented = {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    expect((await post('slack', COMMAND, { ...documented, ...FORM })).status).toBe(401);
  });
});

it('a webhook with an id is signed with it', async () => {
  const time = new Date().toISOString();
  const headers = (id: string): Headers => ({
    'Twitch-Eventsub-Message-Id': id,
    'Twitch-Eventsub-Message-Timestamp': time,
    'Twitch-Eventsub-Message-Signature': `sha256=${hmac(SLACK, `e76c6bd4${time}${BODY}`).toString('hex')}`,
  });
  expect((await post('twitch', BODY, headers('e76c6bd5'))).status).toBe(401);
  expect((await post('twitch', BODY, headers('e76c6bd4'))).status).toBe(200);
  expect((await post('twitch', BODY, headers('e76c6bd4'))).status).toBe(401);
});

it('a webhook with an id that reaches into what follows it is refused', async () => {
  const time = now();
  const signature = `sha256=${hmac(SLACK, `m1.${time}.${BODY}`).toString('hex')}`;
  const sent = (id: string, at: string, body: string): Promise<Reply> =>
    post('separated', body, { 'X-Id': id, 'X-Time': at, 'X-Sig': signature });
  expect((await sent(`m1.${time}`, BODY.slice(0, 4), BODY)).status).toBe(401);
  expect((await sent('m1', time, BODY)).status).toBe(200);
  expect((await sent('m.1', time, BODY)).status).toBe(401);
  expect(await reason()).toContain('X-Id contains "."');
});

it('a long credential of another scheme in Authorization is left to that', async () => {
  const basic = { authorization: `Basic ${Buffer.from(`demo:${'x'.repeat(5000)}`).toString('base64')}` };
  expect((await post('teams', BODY, basic)).status).toBe(401);
  expect(await reason()).not.toContain('Authorization is too long');
});

it('a signature in Authorization is one of several ways in', async () => {
  const signature = { authorization: `HMAC ${hmac('teams', BODY).toString('base64')}` };
  const basic = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` };
  expect((await post('teams', BODY, signature)).text).toContain('"partner"');
  expect((await post('teams', BODY, basic)).text).toContain('"demo"');
  expect((await post('teams', `${BODY} `, signature)).status).toBe(401);
});

it('the description names the header, the form and what is signed', async () => {
  const { text } = await gateway.call('/gateway/RESTListeningConnector/Hooks.v1.openapi.json', { anonymous: true });
  const { components } = JSON.parse(text) as { components: { securitySchemes: Record<string, object> } };
  expect(components.securitySchemes.SLACK).toEqual({
    type: 'apiKey',
    in: 'header',
    name: 'X-Slack-Signature',
    description:
      'The signature of a webhook: `v0={hex}`, HMAC with sha256 (RFC 2104) over `v0:{timestamp}:{body}`. {timestamp} is the header X-Slack-Request-Timestamp.',
  });
  const wadl = await gateway.call('/gateway/RESTListeningConnector/Hooks.v1.wadl', { anonymous: true });
  expect(wadl.text).toContain('a signature in the header X-Slack-Signature (HMAC with sha256)');
});

describe('the command on the page of services', () => {
  const run = promisify(execFile);
  const command = async (path: string): Promise<string> => {
    const { text } = await gateway.call('/', { anonymous: true });
    const lines = [...text.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, line = '']) =>
      line
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'")
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
    );
    const found = lines.find((line) => line.endsWith(`/Hooks.v1/${path}`));
    return (
      found?.replace(/\bhttp:\/\/[^/]+/, `http://127.0.0.1:${gateway.port}`) ?? `no command for ${path} in ${text}`
    );
  };

  it.each([
    ['github', GITHUB],
    ['shopify', GITHUB],
    ['stripe', OLD],
    ['slack-event', SLACK],
    ['twitch', SLACK],
    ['standard', STANDARD],
  ])('signs with the secret in SECRET: %s', async (path, SECRET) => {
    const env = { ...process.env, SECRET };
    const line = `${await command(path)} -sS -o /dev/null -w '%{http_code}'`;
    expect((await run('sh', ['-c', line], { env })).stdout, line).toBe('200');
    expect((await run('sh', ['-c', line], { env: { ...env, SECRET: 'whsec_b3RoZXI=' } })).stdout).toBe('401');
  });

  it('has a place for the signature of parts, whose bytes curl decides', async () => {
    expect(await command('slack-form')).toContain('"X-Slack-Signature: v0=SIGNATURE"');
  });
});

it('the log has no signature', () => {
  expect(JSON.stringify(gateway.log())).not.toContain(hmac(GITHUB, BODY).toString('hex'));
});

describe('a start', () => {
  const settings = { GITHUB, SLACK, NEW, OLD, STANDARD, TEAMS: Buffer.from('teams').toString('base64') };
  const failed = async (more: Readonly<Record<string, string>>): Promise<string> => {
    const node = `node: PARTNER
base: https://partner.example.org
credential: { hmac: { secrets: "\${secret:PARTNER}", secret-encoding: hex, header: X-Signature } }
`;
    const env = { ...settings, ...more };
    return startTestGateway({ files: { ...files, 'definitions/partner.yaml': node }, env }).then(
      (started) => started.stop().then(() => 'started'),
      (error: unknown) => String(error),
    );
  };

  it('names a secret of the wrong form of a scheme and of a node, without showing it', async () => {
    const ofScheme = await failed({ TEAMS: 'a key!' });
    expect(ofScheme).toContain("webhook secret 1 of the scheme TEAMS can't be used: it is not base64");
    const ofNode = await failed({ PARTNER: 'a key!' });
    expect(ofNode).toContain("webhook secret 1 of node PARTNER (${secret:PARTNER}) can't be used: it does not consist");
    expect(ofScheme + ofNode).not.toContain('a key!');
    expect(await failed({ PARTNER: '00ff' })).toBe('started');
    // Calls miss it.
    expect(await failed({})).toBe('started');
  });
});
