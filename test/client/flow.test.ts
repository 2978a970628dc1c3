import { describe, expect, it, onTestFinished } from 'vitest';
import { FlowError } from '../../src/invoke/index.ts';
import { openClient } from '../generate/fixtures/generated/client.ts';
import { type Answer, type Seen, target } from '../invoke/support.ts';
import { writeProject } from '../support/project.ts';

// The flow of the fixtures, whose generated client is the one that is opened here.
const LIBRARY = `node: LIBRARY
base: \${env:LIBRARY_URL}
---
document: LIBRARY_TOKEN
fields:
  access_token: { type: text, sensitive: true, required: true }
  expires_in: integer
---
document: LIBRARY_FAULT
fields:
  status: { type: string, fixed: failure }
  error: { fields: { message: { type: text, default: "{fault.message}" } } }
---
service: Library.v1
target: LIBRARY
permission: EVERYTHING
values: { CLIENT_SECRET: "\${secret:LIBRARY_SECRET}", SITE: "\${env:LIBRARY_SITE:-main}" }
operations:
  TOKEN_FETCH:
    post: token
    form: { grant_type: client_credentials, client_secret: "{CLIENT_SECRET}" }
    response: LIBRARY_TOKEN
  FILE_UPLOAD:
    post: "{SITE}/folder('{FOLDER}')/add('{NAME}')"
    request:
      fields:
        ACCESS_TOKEN: { type: text, sensitive: true, required: true }
        FOLDER: { type: string(80), required: true, url: odata-path }
        FILE: { type: binary, required: true }
        NAME: { type: text, url: odata, default: "{FILE.name}" }
    headers: { Authorization: "Bearer {ACCESS_TOKEN}" }
    body: FILE
    response: { fields: { Name: { type: text, required: true }, Length: integer } }
    fault: LIBRARY_FAULT
    properties: { Base64toBinary: Y }
flows:
  upload:
    - call: TOKEN_FETCH
      keep: { ACCESS_TOKEN: access_token }
      for: expires_in
    - call: FILE_UPLOAD
`;

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

/** The generated client on a library that gives tokens, and answers uploads so. */
async function opened(uploaded: Answer) {
  const isToken = ({ url }: Seen): boolean => url.endsWith('/token');
  const { url, seen } = await target((request) =>
    isToken(request) ? json({ access_token: 't0ken', expires_in: '3600', scope: 'files' }) : uploaded,
  );
  const project = writeProject({ 'definitions/library.yaml': LIBRARY });
  onTestFinished(project.remove);
  const client = await openClient({ folder: project.root, env: { LIBRARY_URL: url, LIBRARY_SECRET: 's3cret' } });
  onTestFinished(() => client.close());
  return { client, seen, uploads: () => seen.filter((request) => !isToken(request)) };
}

describe('a flow of a client that knows its types', () => {
  it('fills in what is left out, and keeps its token for the next run', async () => {
    const { client, seen, uploads } = await opened(json({ Name: 'a.txt', Length: '3', Author: 'x' }));
    const first = await client.flow('Library.upload', { FOLDER: 'a/b c', FILE: 'YWJj', NAME: 'a.txt' });
    expect(first.value).toEqual({ Name: 'a.txt', Length: 3 });
    expect(first.steps.map(({ operation, kept }) => [operation, kept])).toEqual([
      ['TOKEN_FETCH', false],
      ['FILE_UPLOAD', false],
    ]);
    const second = await client.flow('Library.v1.upload', { FOLDER: 'a', FILE: 'YWJj', NAME: 'b.txt', SITE: 'other' });
    expect(second.steps[0]).toMatchObject({ operation: 'TOKEN_FETCH', kept: true });
    expect(seen).toHaveLength(3);
    expect(uploads().map(({ url }) => url)).toEqual([
      "/partner/main/folder('a/b%20c')/add('a.txt')",
      "/partner/other/folder('a')/add('b.txt')",
    ]);
    expect(uploads()[0]).toMatchObject({ body: Buffer.from('abc'), headers: { authorization: 'Bearer t0ken' } });
  });

  it('gives the fault document of the step that failed', async () => {
    const { client } = await opened(json({ status: 'failure', error: { message: 'It is there already.' } }, 409));
    const error: unknown = await client
      .flow('Library.upload', { FOLDER: 'a', FILE: 'YWJj', NAME: 'a.txt' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FlowError);
    expect(client.faultOf('FILE_UPLOAD', error)?.error?.message).toBe('It is there already.');
    expect(client.faultOf('TOKEN_FETCH', error)).toBeUndefined();
  });

  it('is shown without sending anything, and without its secrets', async () => {
    const { client, seen } = await opened(json({ Name: 'a.txt' }));
    const requests = client.previewFlow('Library.upload', { FOLDER: 'a', FILE: 'YWJj', NAME: 'a.txt' });
    expect(requests.map(({ operation }) => operation)).toEqual(['TOKEN_FETCH', 'FILE_UPLOAD']);
    expect(requests[1]?.headers.Authorization).toBe('Bearer <ACCESS_TOKEN>');
    expect(JSON.stringify(requests)).not.toContain('s3cret');
    expect(seen).toEqual([]);
  });
});
