import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FlowError } from '../../src/invoke/index.ts';
import type { Failure } from '../peers/failure.ts';
import { DESTINATION, doclib, failure, file } from './doclib-support.ts';

const CONTENT = 'PDF! '.repeat(1000);
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const answer = (status: number): Failure => ({
  kind: 'answer',
  answer: { status, headers: { 'Content-Type': 'text/plain' }, body: 'no' },
});

describe('an upload', () => {
  it('takes a token and a digest, and sends the file as it is', async () => {
    const { library, client, steps } = await doclib();
    const reply = await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    expect(steps()).toEqual(['token 200', 'digest 200', 'upload 200']);
    expect(library.files).toEqual([
      {
        site: 'HR',
        folder: 'Shared Documents/2026',
        name: "O'Brien 100% #1.pdf",
        contentType: 'application/pdf',
        length: CONTENT.length,
        sha256: sha256(CONTENT),
      },
    ]);
    expect(reply.value).toMatchObject({
      Name: "O'Brien 100% #1.pdf",
      ServerRelativeUrl: "/sites/HR/Shared Documents/2026/O'Brien 100% #1.pdf",
      Length: CONTENT.length,
    });
    expect(reply).toMatchObject({ httpResponseCode: 200, responseStatus: 0 });
    expect(reply.steps.map(({ kept, httpResponseCode }) => [kept, httpResponseCode])).toEqual([
      [false, 200],
      [false, 200],
      [false, 200],
    ]);
  });

  it('tells of its progress to the last byte', async () => {
    const { client } = await doclib();
    const told: (readonly [number, number | undefined])[] = [];
    const onSent = (sent: number, total: number | undefined): void => void told.push([sent, total]);
    await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) }, { onSent });
    expect(told.at(-1)).toEqual([CONTENT.length, CONTENT.length]);
  });

  it('takes another name than that of the file, and content as Base64 text', async () => {
    const { library, client } = await doclib();
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
    const input = { ...DESTINATION, FileName: 'all.bin', File: bytes.toString('base64') };
    await client.flow('N_DOCLIB.v1.upload', input);
    expect(library.files).toMatchObject([{ name: 'all.bin', length: 1000, sha256: sha256(bytes) }]);
  });

  it.each([
    ['Base64 text has the type of the name that the call gives', 'x.xml', 'PGE+', 'application/xml'],
    ['so has content of unknown type', 'x.xml', { contentType: 'application/octet-stream' }, 'application/xml'],
    [
      'which has precedence over its own name',
      'x.csv',
      { contentType: 'application/octet-stream', name: 'x.xml' },
      'text/csv',
    ],
    ['its own type has precedence over all names', 'x.xml', { contentType: 'application/pdf' }, 'application/pdf'],
    ['a name that suggests nothing leaves it unknown', 'x.signal', 'PGE+', 'application/octet-stream'],
  ])('the media type of the file: %s', async (_, FileName, given, contentType) => {
    const { library, client } = await doclib();
    const File = typeof given === 'string' ? given : { ...file(CONTENT), name: undefined, ...given };
    await client.flow('N_DOCLIB.upload', { ...DESTINATION, FileName, File });
    expect(library.files).toMatchObject([{ name: FileName, contentType }]);
  });

  it('takes content of which nobody knows the length, where the library does', async () => {
    const { library, client } = await doclib({ library: { chunked: true } });
    const { contentType, name, stream } = file(CONTENT);
    await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: { contentType, name: `${name}`, stream } });
    expect(library.files).toMatchObject([{ length: CONTENT.length, sha256: sha256(CONTENT) }]);
  });

  it('of nothing is a file without content', async () => {
    const { library, client } = await doclib();
    await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file('') });
    expect(library.files).toMatchObject([{ length: 0, sha256: sha256('') }]);
  });
});

describe('token and digest', () => {
  it.each([
    false,
    true,
  ])('are used again as long as they hold, their seconds a text or not: %s', async (secondsAsText) => {
    const { client, steps } = await doclib({ library: { secondsAsText } });
    for (let n = 0; n < 3; n++) await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    expect(steps()).toEqual(['token 200', 'digest 200', 'upload 200', 'upload 200', 'upload 200']);
  });

  it('are asked for once by uploads that begin together', async () => {
    const { library, client } = await doclib();
    const names = Array.from({ length: 8 }, (_, index) => `${index}.pdf`);
    const upload = (name: string) => client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT, { name }) });
    await Promise.all(names.map(upload));
    expect(library.files.map(({ name }) => name).sort()).toEqual(names);
    expect(library.given).toHaveLength(2);
  });

  it('are those of the client: another one asks for its own', async () => {
    const { library, client } = await doclib();
    await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    await client
      .flow('N_DOCLIB.upload', { ...DESTINATION, ClientID: 'other', File: file(CONTENT) })
      .catch(() => undefined);
    expect(library.seen.filter(({ step }) => step === 'token').map(({ status }) => status)).toEqual([200, 401]);
  });

  it('are renewed, each by itself, when the library takes them no more', async () => {
    const { library, client, steps } = await doclib();
    const upload = () => client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    await upload();
    library.forgetTokens();
    await upload();
    library.forgetDigests();
    await upload();
    expect(steps().slice(3)).toEqual([
      'upload 401',
      'token 200',
      'upload 200',
      'upload 403',
      'digest 200',
      'upload 200',
    ]);
    expect(library.files).toHaveLength(3);
  });

  it('are both renewed in one upload where both are lost', async () => {
    const { library, client, steps } = await doclib();
    const upload = () => client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    await upload();
    library.forgetTokens();
    library.forgetDigests();
    await upload();
    expect(steps().slice(3)).toEqual(['upload 401', 'token 200', 'upload 403', 'digest 200', 'upload 200']);
  });

  it.each([
    [401, ['token 200', 'digest 200', 'upload 401', 'token 200', 'upload 401']],
    [403, ['token 200', 'digest 200', 'upload 403', 'digest 200', 'upload 403']],
  ])('are renewed once and no more: %d', async (status, seen) => {
    const { library, client, steps } = await doclib();
    library.fail('upload', answer(status), answer(status), answer(status));
    const error = await failure(client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) }));
    expect(error).toBeInstanceOf(FlowError);
    expect(error).toMatchObject({ httpResponseCode: status, step: { index: 3, of: 3 } });
    expect(steps()).toEqual(seen);
  });

  it('are not renewed for content that can not be read again', async () => {
    const { library, client, steps } = await doclib();
    library.fail('upload', answer(401));
    const once = file(CONTENT, { again: false });
    const error = await failure(client.flow('N_DOCLIB.upload', { ...DESTINATION, File: once }));
    expect(error).toMatchObject({
      httpResponseCode: 401,
      step: { index: 3 },
      hint: expect.stringMatching(/again|once/),
    });
    expect(steps()).toEqual(['token 200', 'digest 200', 'upload 401']);
  });
});

describe('a dry run', () => {
  it('shows the three requests, and sends nothing', async () => {
    const { library, client } = await doclib();
    const requests = client.previewFlow('N_DOCLIB.upload', { ...DESTINATION, File: file(CONTENT) });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://login.example/7d1f3a52-63c1-4f0e-9c55-2b8f0c1f9a10/tokens/OAuth/2',
      'POST https://contoso.library.example/sites/HR/_api/ContextInfo',
      "POST https://contoso.library.example/sites/HR/_api/web/GetFolderByServerRelativeURL('/sites/HR/Shared%20Documents/2026/')/Files/add(url='O''Brien%20100%25%20%231.pdf',overwrite=true)",
    ]);
    expect(requests[0]?.body).toContain('client_secret=***&resource=');
    expect(requests[1]?.headers).toMatchObject({ Authorization: 'Bearer <ACCESS_TOKEN>' });
    expect(requests[2]?.headers).toMatchObject({
      Authorization: 'Bearer <ACCESS_TOKEN>',
      'X-Request-Digest': '<FORM_DIGEST>',
      'Content-Type': 'application/pdf',
    });
    expect(library.login.connections() + library.documents.connections()).toBe(0);
  });
});
