import { describe, expect, it, onTestFinished } from 'vitest';
import type { Head, Heads } from '../../src/invoke/index.ts';
import type { StepName } from '../peers/document-library.ts';
import type { Failure } from '../peers/failure.ts';
import { FACTS } from '../peers/library-facts.ts';
import { startThirdParty } from '../peers/third-party.ts';
import { everythingOf, leaked } from '../support/secrets.ts';
import { DESTINATION, type Doclib, type DoclibOptions, doclib, file, sampleClient } from './doclib-support.ts';
import { thrown } from './support.ts';

const INPUT = { ...DESTINATION, File: file('PDF!') } as const;

/** A client whose trace is kept. */
interface Watched extends Doclib {
  readonly heads: Head[];
  upload(input?: object): Promise<unknown>;
}

/** Everything that a trace is told. */
function trace(): { readonly heads: Head[]; readonly watching: Heads } {
  const heads: Head[] = [];
  const watching = {
    onRequest: (head: Head) => void heads.push(head),
    onReply: (head: Head) => void heads.push(head),
  };
  return { heads, watching };
}

async function watched(options?: DoclibOptions): Promise<Watched> {
  const started = await doclib(options);
  const { heads, watching } = trace();
  const upload = (input: object = {}): Promise<unknown> =>
    started.client.flow('N_DOCLIB.upload', { ...INPUT, ...input }, { heads: watching });
  return { ...started, heads, upload };
}

/** The secrets of a run: what was configured, and what the library gave. */
const secretsOf = ({ library }: Doclib): string[] => [FACTS.clientSecret, ...library.given];

const page = (body: string, headers: Readonly<Record<string, string>> = {}): Failure => ({
  kind: 'answer',
  answer: { status: 500, headers: { 'Content-Type': 'text/html', ...headers }, body },
});

interface Scenario {
  readonly name: string;
  /** What the error has to be, so that it is the one that is meant. */
  readonly told: object;
  readonly options?: DoclibOptions;
  readonly fails?: readonly [step: StepName, ...failures: Failure[]];
  readonly input?: object;
}

const echo = (status: number): Failure => ({ kind: 'echo', status });

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a target that repeats step 1',
    told: { httpResponseCode: 500, step: { index: 1 } },
    fails: ['token', echo(500)],
  },
  {
    name: 'one that does so with 400',
    told: { httpResponseCode: 400, step: { index: 1 } },
    fails: ['token', echo(400)],
  },
  { name: 'one that does so with 200', told: { code: 'BAD_REPLY', step: { index: 1 } }, fails: ['token', echo(200)] },
  {
    name: 'one that repeats step 2',
    told: { httpResponseCode: 500, step: { index: 2 } },
    fails: ['digest', echo(500)],
  },
  {
    name: 'one that repeats step 3',
    told: { httpResponseCode: 500, step: { index: 3 } },
    fails: ['upload', echo(500)],
  },
  {
    name: 'a connection that is cut',
    told: { code: 'CUT', step: { index: 1 } },
    fails: ['token', { kind: 'cut', when: 'before the reply' }],
  },
  {
    name: 'a connection that is cut in the reply',
    told: { code: 'CUT', step: { index: 3 } },
    fails: ['upload', { kind: 'half', after: 'cut' }],
  },
  {
    name: 'a reply of which a half comes',
    told: { code: 'TIMEOUT', step: { index: 1 } },
    options: { timeouts: { idle: 1000 } },
    fails: ['token', { kind: 'half', after: 'silent' }],
  },
  {
    name: 'a target that says nothing',
    told: { code: 'TIMEOUT', step: { index: 2 } },
    options: { timeouts: { head: 1000 } },
    fails: ['digest', { kind: 'silent' }],
  },
  {
    name: 'a page of an error',
    told: { httpResponseCode: 500, step: { index: 3 } },
    fails: ['upload', page('<h1>Sorry</h1>')],
  },
  {
    name: 'a reply without an end',
    told: { code: 'REPLY_TOO_LARGE', step: { index: 3 } },
    fails: ['upload', { kind: 'endless', bytes: 2 ** 30 }],
  },
  {
    name: 'a token that is good no more',
    told: { httpResponseCode: 401, step: { index: 3 } },
    fails: ['upload', echo(401), echo(401)],
  },
  {
    name: 'a digest that is good no more',
    told: { httpResponseCode: 403, step: { index: 3 } },
    fails: ['upload', echo(403), echo(403)],
  },
  {
    name: 'a file that is shorter than it says',
    told: { code: 'BAD_INPUT', step: { index: 3 } },
    input: { File: file('PDF!', { length: 9 }) },
  },
  { name: 'a folder that leads elsewhere', told: { code: 'BAD_INPUT' }, input: { DocFolder: '..' } },
  {
    name: 'configuration that is missing',
    told: { code: 'CONFIGURATION' },
    options: { env: { DOCLIB_TENANT_ID: '' } },
  },
  {
    name: 'a library that is not to be trusted',
    told: { code: 'TLS', step: { index: 1 } },
    options: { env: { DOCLIB_CA_FILE: '' } },
  },
];

describe('no secret stands in what is told of', () => {
  it.each(SCENARIOS)('$name', async ({ told, options, fails, input }) => {
    const run = await watched(options);
    if (fails !== undefined) run.library.fail(...fails);
    const error = await thrown(run.upload(input));
    expect(error).toMatchObject(told);
    expect(leaked(everythingOf([error, run.heads]), secretsOf(run))).toEqual([]);
  });

  it('an address where nobody is', async () => {
    const run = await watched();
    await run.library.close();
    const error = await thrown(run.upload());
    expect(error).toMatchObject({ code: 'CONNECTION' });
    expect(leaked(everythingOf([error, run.heads]), secretsOf(run))).toEqual([]);
  });

  it('an upload that succeeds, its trace and its dry run', async () => {
    const run = await watched();
    await run.upload();
    const requests = run.client.previewFlow('N_DOCLIB.upload', INPUT);
    expect(run.heads.length).toBe(6);
    expect(run.library.given).toHaveLength(2);
    expect(leaked(everythingOf([requests, run.heads]), secretsOf(run))).toEqual([]);
  });

  it.each([
    ['a token with a line end', { ACCESS_TOKEN: 'tok+en/of=mine\n', FORM_DIGEST: 'x' }],
    ['a digest with a line end', { ACCESS_TOKEN: 'x', FORM_DIGEST: 'tok+en/of=mine\n' }],
    ['a token that is no text', { ACCESS_TOKEN: ['tok+en/of=mine'], FORM_DIGEST: 'x' }],
  ])('a wrong value that is one: %s', async (_, given) => {
    const { client } = await doclib();
    const error = await thrown(client.call('N_DOCLIB_UPLOADFILES_POST', { ...INPUT, ...given }));
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    expect(leaked(everythingOf(error), ['tok+en/of=mine'])).toEqual([]);
  });

  it('a client secret that the caller gives', async () => {
    const { client, library } = await doclib();
    library.fail('token', { kind: 'echo', status: 500 });
    const error = await thrown(client.call('N_DOCLIB_ACCESSTOKEN_POST', { ClientSecret: 'my own/secret+' }));
    expect(error).toMatchObject({ httpResponseCode: 500 });
    expect(leaked(everythingOf(error), ['my own/secret+', FACTS.clientSecret])).toEqual([]);
  });
});

describe('no password of a node stands in what is told of', () => {
  const password = 'p4ss+w/o=rd é';
  const proof = Buffer.from(`signalbox:${password}`).toString('base64');

  it.each([
    ['that is refused', 'another', undefined],
    ['that the target repeats in a page', password, page(`<p>Basic ${proof}, ${password}</p>`)],
    ['that it repeats in a header', password, page('<p>Sorry</p>', { 'X-Echo': `Basic ${proof}` })],
  ])('%s', async (_, known, answer) => {
    const peer = await startThirdParty({ password: known });
    onTestFinished(() => peer.close());
    if (answer?.kind === 'answer') peer.answer(answer.answer);
    const client = sampleClient({ env: { THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: password } });
    const { heads, watching } = trace();
    const error = await thrown(client.call('THIRD_PARTY_IMPORT_POST', { content: '[]' }, { heads: watching }));
    const preview = client.preview('THIRD_PARTY_IMPORT_POST', { content: '[]' });
    expect(error).toMatchObject({ httpResponseCode: known === password ? 500 : 401 });
    expect(heads).toHaveLength(2);
    expect(leaked(everythingOf([error, heads, preview]), [password, `signalbox:${password}`])).toEqual([]);
  });
});

it('the search for secrets finds them in each of their forms', () => {
  const secret = FACTS.clientSecret;
  const cause = new Error('c', { cause: { deep: [{ hidden: encodeURIComponent(secret) }] } });
  expect(leaked(everythingOf(new Error('a', { cause })), [secret])).not.toEqual([]);
  expect(leaked(`a: ${Buffer.from(secret).toString('base64')}`, [secret])).not.toEqual([]);
  expect(leaked(`grant=${secret}`, [secret])).toContain(secret);
  expect(leaked('nothing', [secret])).toEqual([]);
});
