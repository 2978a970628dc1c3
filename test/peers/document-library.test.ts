import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Asked, ask } from './ask.ts';
import { type DocumentLibrary, type LibraryOptions, startDocumentLibrary } from './document-library.ts';
import { FACTS } from './library-facts.ts';

/** For a machine that is busy with other things as well. */
const LONG = { timeout: 15_000 };

async function library(options?: LibraryOptions): Promise<DocumentLibrary> {
  const started = await startDocumentLibrary(options);
  onTestFinished(() => started.close());
  return started;
}

const FORM = [
  'grant_type=client_credentials',
  'client_id=0b9c4f7e-5d6a-4a63-8f5e-1c2d3e4f5a6b%407d1f3a52-63c1-4f0e-9c55-2b8f0c1f9a10',
  'client_secret=k%2B9%2Fv%3D%26%2541%20%C3%9C~',
  'resource=00000003-0000-0ff1-ce00-000000000000%2Fcontoso.library.example%407d1f3a52-63c1-4f0e-9c55-2b8f0c1f9a10',
];

/** The three requests as curl would be told to make them. */
const TOKEN: Asked = {
  path: '/7d1f3a52-63c1-4f0e-9c55-2b8f0c1f9a10/tokens/OAuth/2',
  serverName: 'login.example',
  headers: {
    Host: 'login.example',
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': String(Buffer.byteLength(FORM.join('&'))),
  },
  body: FORM.join('&'),
};

const digestRequest = (token: string): Asked => ({
  path: '/sites/HR/_api/ContextInfo',
  serverName: 'contoso.library.example',
  headers: {
    Host: 'contoso.library.example',
    Authorization: `Bearer ${token}`,
    Accept: 'application/json;odata=nometadata',
    'Content-Length': '0',
  },
});

const uploadRequest = (token: string, digest: string, body = 'PDF!'): Asked => ({
  path: "/sites/HR/_api/web/GetFolderByServerRelativeURL('/sites/HR/Shared%20Documents/2026/')/Files/add(url='O''Brien%20100%25%20%231.pdf',overwrite=true)",
  serverName: 'contoso.library.example',
  headers: {
    Host: 'contoso.library.example',
    'X-Request-Digest': digest,
    Authorization: `Bearer ${token}`,
    Accept: 'application/json;odata=nometadata',
    'Content-Type': 'application/pdf',
    'Content-Length': String(body.length),
  },
  body,
});

/** The headers with others in the place of some; undefined takes one away. */
function changed(asked: Asked, { headers = {}, ...more }: Partial<Omit<Asked, 'headers'>> & ChangedHeaders): Asked {
  const merged = Object.entries({ ...asked.headers, ...headers }).filter(([, value]) => value !== undefined);
  return { ...asked, ...more, headers: Object.fromEntries(merged) as Asked['headers'] };
}

interface ChangedHeaders {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const tokenOf = async (peer: DocumentLibrary): Promise<string> =>
  (JSON.parse((await ask(peer.login.port, TOKEN)).text) as { access_token: string }).access_token;

async function digestOf(peer: DocumentLibrary, token: string): Promise<string> {
  const { text } = await ask(peer.documents.port, digestRequest(token));
  return (JSON.parse(text) as { FormDigestValue: string }).FormDigestValue;
}

async function granted(peer: DocumentLibrary): Promise<readonly [token: string, digest: string]> {
  const token = await tokenOf(peer);
  return [token, await digestOf(peer, token)];
}

describe('the three requests of section 4.3', () => {
  it('are taken in their order', async () => {
    const peer = await library();
    const first = await ask(peer.login.port, TOKEN);
    expect(JSON.parse(first.text)).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const token = await tokenOf(peer);
    const second = await ask(peer.documents.port, digestRequest(token));
    expect(JSON.parse(second.text)).toMatchObject({ FormDigestTimeoutSeconds: 1800 });
    const { status, text } = await ask(peer.documents.port, uploadRequest(token, await digestOf(peer, token)));
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        Name: "O'Brien 100% #1.pdf",
        Length: '4',
        ServerRelativeUrl: "/sites/HR/Shared Documents/2026/O'Brien 100% #1.pdf",
      },
    ]);
    expect(peer.files).toEqual([
      {
        site: 'HR',
        folder: 'Shared Documents/2026',
        name: "O'Brien 100% #1.pdf",
        contentType: 'application/pdf',
        length: 4,
        sha256: createHash('sha256').update('PDF!').digest('hex'),
      },
    ]);
  });

  it('give seconds as digits where that is asked of the peer', async () => {
    const { text } = await ask((await library({ secondsAsText: true, tokenSeconds: 60 })).login.port, TOKEN);
    expect(JSON.parse(text)).toMatchObject({ expires_in: '60' });
  });
});

describe('step 1 is refused', () => {
  const form = (lines: readonly string[]): Parameters<typeof changed>[1] => ({
    body: lines.join('&'),
    headers: { 'Content-Length': String(Buffer.byteLength(lines.join('&'))) },
  });
  const line = (index: number, text: string) => form(FORM.map((each, at) => (at === index ? text : each)));
  it.each<[string, Parameters<typeof changed>[1], string]>([
    ['with another method', { method: 'PUT' }, 'the method is PUT rather than POST'],
    ['with two slashes', { path: `/${TOKEN.path}` }, 'the path is not'],
    ['with a query', { path: `${TOKEN.path}?` }, 'the path is not'],
    ['for another host', { headers: { Host: 'login.example:443' } }, 'Host is login.example:443'],
    ['as JSON', { headers: { 'Content-Type': 'application/json' } }, 'Content-Type is not as specified'],
    [
      'with a charset',
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' } },
      'Content-Type',
    ],
    ['without a type', { headers: { 'Content-Type': undefined } }, 'Content-Type is missing'],
    ['with a header more', { headers: { 'X-Request-Digest': 'x' } }, 'X-Request-Digest has no place'],
    [
      'in chunks',
      { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } },
      'Transfer-Encoding has no',
    ],
    ['with a field less', form(FORM.slice(1)), "the form's fields are not"],
    ['with a field more', form([...FORM, 'scope=all']), "the form's fields are not"],
    ['in another order', form([...FORM].reverse()), "the form's fields are not"],
    ['not encoded', line(1, `client_id=${FACTS.clientId}@${FACTS.tenantId}`), 'client_id is not percent-encoded once'],
    ['with a plus for the space', line(2, FORM[2]!.replace('%20', '+')), 'client_secret is not percent-encoded once'],
    ['with small digits', line(3, FORM[3]!.replace('%2F', '%2f')), 'resource is not percent-encoded once'],
    ['with what is no octet', line(3, FORM[3]!.replace('%2F', '%ZZ')), 'resource is no percent-encoded UTF-8'],
    ['encoded twice', line(1, FORM[1]!.replace('%40', '%2540')), 'client_id is not what was issued'],
    ['with another secret', line(2, 'client_secret=guess'), 'client_secret is not what was issued'],
  ])('%s', async (_, change, words) => {
    const { status, text } = await ask((await library()).login.port, changed(TOKEN, change));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain(words);
    expect(text).not.toContain('access_token');
  });

  it('with another name in TLS', async () => {
    const { port } = (await library()).login;
    const { status, text } = await ask(port, { ...TOKEN, serverName: 'contoso.library.example' });
    expect([status, text]).toEqual([400, 'TLS was asked for contoso.library.example rather than login.example']);
  });
});

describe('step 2 is refused', () => {
  it.each<[string, Parameters<typeof changed>[1], number, string]>([
    ['at another path', { path: '/sites/HR/_api/contextinfo' }, 400, 'the path is not'],
    ['with a path that is encoded for nothing', { path: '/sites/%48R/_api/ContextInfo' }, 400, 'the path is not'],
    ['for another host', { headers: { Host: 'library.example' } }, 400, 'Host is library.example'],
    ['without Bearer', { headers: { Authorization: 'Basic eA==' } }, 400, 'Authorization is not as specified'],
    ['with a token of somebody else', { headers: { Authorization: 'Bearer eA==' } }, 401, 'the token is not good'],
    ['with another Accept', { headers: { Accept: 'application/json' } }, 400, 'Accept is not as specified'],
    ['with two of them', { headers: { Accept: ['application/json;odata=nometadata', 'text/html'] } }, 400, '2 times'],
    ['with a body', { headers: { 'Content-Length': '2' }, body: '{}' }, 400, 'there is a body, where none belongs'],
    ['with a type for no body', { headers: { 'Content-Type': 'text/plain' } }, 400, 'Content-Type has no place'],
    [
      'in chunks',
      { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } },
      400,
      'Transfer-Encoding',
    ],
    ['for another site', { path: '/sites/Sales/_api/ContextInfo' }, 404, 'there is no site Sales'],
  ])('%s', async (_, change, wanted, words) => {
    const peer = await library();
    const asked = changed(digestRequest(await tokenOf(peer)), change);
    const { status, text } = await ask(peer.documents.port, asked);
    expect([status, text]).toEqual([wanted, expect.stringContaining(words)]);
  });
});

describe('step 3 is refused', () => {
  const path = (folder: string, file: string): Partial<Asked> => ({
    path: `/sites/HR/_api/web/GetFolderByServerRelativeURL('/sites/HR/${folder}/')/Files/add(url='${file}',overwrite=true)`,
  });
  it.each<[string, Parameters<typeof changed>[1], number, string]>([
    ['with a space in the path that is a plus', path('Shared+Documents', 'a'), 400, 'the path is not as specified'],
    ['with a folder encoded twice', path('Shared%2520Documents', 'a'), 404, 'there is no folder Shared%20Documents'],
    ['with its slash encoded', path('Shared%20Documents%2F2026', 'a'), 400, 'the path is not as specified'],
    ['with a quote encoded', path('Shared%20Documents', 'O%27%27Brien'), 400, 'the path is not as specified'],
    ['with a quote that is not doubled', path('Shared%20Documents', "O'Brien"), 400, 'the path is not as specified'],
    ['with octets that stand for nothing', path('Shared%20Documents', '%FF'), 400, 'the path is not as specified'],
    ['with a folder that leads elsewhere', path('Shared%20Documents/..', 'a'), 400, 'the folder leads elsewhere'],
    ['without a digest', { headers: { 'X-Request-Digest': undefined } }, 400, 'X-Request-Digest is missing'],
    ['with a digest of somebody else', { headers: { 'X-Request-Digest': '0x00' } }, 403, 'security validation'],
    ['with a digest by another name', { headers: { 'X-RequestDigest': '0x00' } }, 400, 'X-RequestDigest has no place'],
    ['with a token of somebody else', { headers: { Authorization: 'Bearer eA==' } }, 401, 'the token is not good'],
    ['without a media type', { headers: { 'Content-Type': 'pdf' } }, 400, 'Content-Type is not as specified'],
    [
      'in chunks',
      { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } },
      400,
      'Transfer-Encoding',
    ],
  ])('%s', async (_, change, wanted, words) => {
    const peer = await library();
    const asked = changed(uploadRequest(...(await granted(peer))), change);
    const { status, text } = await ask(peer.documents.port, asked);
    expect([status, text]).toEqual([wanted, expect.stringContaining(words)]);
    expect(peer.files).toEqual([]);
    expect(peer.seen.at(-1)).toMatchObject({ step: 'upload', status: wanted });
  });

  it('in chunks no more where the peer is told to take them', async () => {
    const peer = await library({ chunked: true });
    const asked = changed(uploadRequest(...(await granted(peer))), { headers: { 'Content-Length': undefined } });
    expect(await ask(peer.documents.port, asked)).toMatchObject({ status: 200 });
  });
});

describe('tokens and digests', () => {
  it('are good for their time', async () => {
    let now = 1_000_000;
    const peer = await library({ tokenSeconds: 100, digestSeconds: 50, now: () => now });
    const [token, digest] = await granted(peer);
    now += 49_999;
    expect(await ask(peer.documents.port, uploadRequest(token, digest))).toMatchObject({ status: 200 });
    now += 1;
    expect(await ask(peer.documents.port, uploadRequest(token, digest))).toMatchObject({ status: 403 });
    now += 50_000;
    expect(await ask(peer.documents.port, uploadRequest(token, digest))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': `Bearer realm="${FACTS.tenantId}"` },
    });
  });

  it('are forgotten when the peer is told to', async () => {
    const peer = await library();
    const [token, digest] = await granted(peer);
    peer.forgetDigests();
    expect(await ask(peer.documents.port, uploadRequest(token, digest))).toMatchObject({ status: 403 });
    peer.forgetTokens();
    expect(await ask(peer.documents.port, uploadRequest(token, digest))).toMatchObject({ status: 401 });
    expect(peer.given).toEqual([token, digest]);
  });
});

describe('a failure that is asked for', () => {
  it('comes once, in place of the answer', async () => {
    const peer = await library();
    const answer = { status: 429, headers: { 'Retry-After': '1' }, body: 'later' };
    peer.fail('token', { kind: 'answer', answer }, { kind: 'answer', answer, atOnce: true });
    for (const status of [429, 429, 200]) expect(await ask(peer.login.port, TOKEN)).toMatchObject({ status });
  });

  it('repeats what was sent', async () => {
    const peer = await library();
    peer.fail('token', { kind: 'echo', status: 500 });
    const { status, text } = await ask(peer.login.port, TOKEN);
    expect(status).toBe(500);
    expect(text).toContain('client_secret=k%2B9');
  });

  it.each(['in the request', 'before the reply'] as const)('is a connection that ends %s', async (when) => {
    const peer = await library();
    peer.fail('token', { kind: 'cut', when });
    await expect(ask(peer.login.port, TOKEN)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(peer.seen).toMatchObject([{ step: 'token', status: undefined }]);
  });

  it('is half a reply', async () => {
    const peer = await library();
    peer.fail('token', { kind: 'half', after: 'cut' });
    await expect(ask(peer.login.port, TOKEN)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is a reply byte by byte, whole in the end', async () => {
    const peer = await library();
    peer.fail('token', { kind: 'dribble' });
    expect(JSON.parse((await ask(peer.login.port, TOKEN)).text)).toMatchObject({ token_type: 'Bearer' });
  });

  it('is a reply that has no end in sight', async () => {
    const peer = await library();
    const bytes = 4_000_000;
    peer.fail('token', { kind: 'endless', bytes });
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const reading = ask(peer.login.port, TOKEN);
    expect((await reading.catch(() => undefined))?.text.length ?? bytes).toBeGreaterThanOrEqual(bytes);
    expect(peer.written()).toBeGreaterThanOrEqual(bytes);
    expect(warnings).toEqual([]);
  });

  it('is silence, until the connection ends', async () => {
    const peer = await library();
    peer.fail('token', { kind: 'silent' });
    const waiting = ask(peer.login.port, TOKEN);
    await expect.poll(() => peer.seen.length, LONG).toBe(1);
    expect(peer.login.open()).toBe(1);
    await peer.close();
    await expect(waiting).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
