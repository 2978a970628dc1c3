import { describe, expect, it } from 'vitest';
import { FlowError } from '../../src/invoke/index.ts';
import type { StepName } from '../peers/document-library.ts';
import type { Failure } from '../peers/failure.ts';
import { DESTINATION, type Doclib, type DoclibOptions, doclib, failure, file } from './doclib-support.ts';

/** For a machine that is busy with other things as well. */
const LONG = { timeout: 15_000 };

const GIB = 2 ** 30;
const UPLOAD = { ...DESTINATION, File: file('PDF! '.repeat(1000)) } as const;
const OPERATIONS: Readonly<Record<StepName, readonly [index: number, operation: string]>> = {
  token: [1, 'N_DOCLIB_ACCESSTOKEN_POST'],
  digest: [2, 'N_DOCLIB_FORMDIGEST_POST'],
  upload: [3, 'N_DOCLIB_UPLOADFILES_POST'],
};

function answer(status: number, body: string, contentType = 'application/json', more = {}): Failure {
  return { kind: 'answer', answer: { status, headers: { 'Content-Type': contentType, ...more }, body } };
}

const HTML = '<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>';

async function failing(step: StepName, failures: readonly Failure[], options?: DoclibOptions): Promise<Doclib> {
  const started = await doclib(options);
  started.library.fail(step, ...failures);
  return started;
}

async function failed(started: Doclib, step: StepName): Promise<FlowError> {
  const error = await failure(started.client.flow('N_DOCLIB.upload', UPLOAD));
  expect(error).toBeInstanceOf(FlowError);
  const [index, operation] = OPERATIONS[step];
  expect((error as FlowError).step).toEqual({ index, of: 3, operation });
  expect(error.message).toContain(`step ${index} of 3, ${operation}`);
  expect(error.sent).toMatchObject({ operation, method: 'POST' });
  return error as FlowError;
}

describe.each(['token', 'digest', 'upload'] as const)('a failure of the step %s', (step) => {
  it.each<[string, Failure, object]>([
    [
      'an error in HTML',
      answer(500, HTML, 'text/html'),
      { code: 'HTTP_STATUS', httpResponseCode: 500, responseStatus: 20 },
    ],
    ['a page in place of JSON', answer(200, HTML, 'text/html'), { code: 'BAD_REPLY', httpResponseCode: 200 }],
    ['what is no JSON', answer(200, '{"access_token": "x"'), { code: 'BAD_REPLY', httpResponseCode: 200 }],
    ['JSON of another kind', answer(200, '[1]'), { code: 'BAD_REPLY', httpResponseCode: 200 }],
    [
      'a redirect',
      answer(302, '', 'text/plain', { Location: 'https://login.example/signin' }),
      { httpResponseCode: 302 },
    ],
    [
      'a connection that ends before the reply',
      { kind: 'cut', when: 'before the reply' },
      { code: 'CUT', responseStatus: 10 },
    ],
    ['a connection that ends in the reply', { kind: 'half', after: 'cut' }, { code: 'CUT', responseStatus: 10 }],
    ['a reply of ten gigabytes', { kind: 'endless', bytes: 10 * GIB }, { code: 'REPLY_TOO_LARGE', responseStatus: 20 }],
  ])('%s', async (_, given, expected) => {
    const started = await failing(step, [given]);
    expect(await failed(started, step)).toMatchObject(expected);
    expect(started.library.written()).toBeLessThan(GIB);
  });

  it('a reply byte by byte is none', async () => {
    const { library, client } = await failing(step, [{ kind: 'dribble' }]);
    await client.flow('N_DOCLIB.upload', UPLOAD);
    expect(library.files).toHaveLength(1);
  });

  it('one that the target asks to come again for is none', async () => {
    const { library, client, steps } = await failing(step, [answer(429, '', 'text/plain', { 'Retry-After': '0' })]);
    await client.flow('N_DOCLIB.upload', UPLOAD);
    expect(library.files).toHaveLength(1);
    expect(steps()).toContain(`${step} 429`);
  });
});

describe('a step that waits for what does not come', () => {
  it.each<[string, Failure]>([
    ['no reply', { kind: 'silent' }],
    ['half a reply', { kind: 'half', after: 'silent' }],
  ])('%s, and then nothing more: its time is up', async (_, given) => {
    const steps = ['token', 'digest', 'upload'] as const;
    const runs = steps.map(async (step) => {
      const started = await failing(step, [given], { timeouts: { head: 1000, idle: 1000 } });
      expect(await failed(started, step)).toMatchObject({ code: 'TIMEOUT', responseStatus: 10 });
    });
    await Promise.all(runs);
  });
});

describe('a failure in words of its own', () => {
  it('is that of the identity provider (RFC 6749 section 5.2)', async () => {
    const started = await doclib({ env: { DOCLIB_CLIENT_SECRET: 'a wrong one' } });
    const error = await failed(started, 'token');
    expect(error).toMatchObject({ httpResponseCode: 401, responseStatus: 20 });
    expect(`${error.message} ${error.body}`).toContain('client_secret is not what was issued');
  });

  it('is that of the library where there is no such place', async () => {
    const { client } = await doclib();
    const error = await failure(client.flow('N_DOCLIB.upload', { ...UPLOAD, DocFolder: 'Nowhere' }));
    expect(error).toMatchObject({ httpResponseCode: 404, step: { index: 3 } });
    expect(`${error.message} ${error.body}`).toContain('there is no folder Nowhere');
  });
});

it('a reply of step 1 without a token is told of', async () => {
  const started = await failing('token', [answer(200, '{"token_type":"Bearer","expires_in":60}')]);
  const error = await failed(started, 'token');
  expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining('access_token') });
});

it('a token without a time is used for its run alone', async () => {
  const { client, library, steps } = await failing('token', [answer(200, '{"access_token":"not-the-right-one"}')]);
  await client.flow('N_DOCLIB.upload', UPLOAD);
  expect(steps()).toEqual(['token 200', 'digest 401', 'token 200', 'digest 200', 'upload 200']);
  expect(library.files).toHaveLength(1);
});

describe('an upload that ends early', () => {
  const large = (): Parameters<Doclib['client']['flow']>[1] => ({
    ...DESTINATION,
    File: file('', {
      length: GIB,
      async *stream() {
        for (let sent = 0; sent < GIB; sent += 65_536) yield Buffer.alloc(65_536);
      },
    }),
  });

  it('by an answer before its end is what the answer says', async () => {
    const given = { kind: 'answer', answer: { status: 413, headers: {}, body: 'too much' }, atOnce: true } as const;
    const { client } = await failing('upload', [given]);
    expect(await failure(client.flow('N_DOCLIB.upload', large()))).toMatchObject({
      httpResponseCode: 413,
      step: { index: 3 },
    });
  });

  it('by the connection is told of', async () => {
    const { client, library } = await failing('upload', [{ kind: 'cut', when: 'in the request' }]);
    expect(await failure(client.flow('N_DOCLIB.upload', large()))).toMatchObject({ code: 'CUT', step: { index: 3 } });
    expect(library.files).toEqual([]);
  });

  it('by the caller ends its connections, and what is read for it', async () => {
    const { client, library } = await doclib();
    const controller = new AbortController();
    let ended = false;
    const endless = file('', {
      length: GIB,
      async *stream() {
        try {
          for (;;) yield Buffer.alloc(65_536);
        } finally {
          ended = true;
        }
      },
    });
    const onSent = (sent: number): void => {
      if (sent > 2 ** 20) controller.abort(new Error('enough'));
    };
    const { signal } = controller;
    const run = client.flow('N_DOCLIB.upload', { ...DESTINATION, File: endless }, { signal, onSent });
    expect(await failure(run)).toMatchObject({ code: 'ABORTED', step: { index: 3 } });
    await expect
      .poll(() => library.seen.at(-1), LONG)
      .toMatchObject({ step: 'upload', status: undefined, abandoned: true });
    await expect.poll(() => ended, LONG).toBe(true);
    await client.close();
    await expect.poll(() => library.documents.open(), LONG).toBe(0);
    expect(library.files).toEqual([]);
  });
});

it('a library that no known authority vouches for is sent nothing', async () => {
  const { client, library } = await doclib({ env: { DOCLIB_CA_FILE: '' } });
  const error = await failure(client.flow('N_DOCLIB.upload', UPLOAD));
  expect(error).toMatchObject({ code: 'TLS', responseStatus: 20, step: { index: 1 } });
  expect(library.seen).toEqual([]);
});
