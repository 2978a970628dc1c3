import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DocumentLibrary, startDocumentLibrary } from '../peers/document-library.ts';
import { FACTS } from '../peers/library-facts.ts';
import { failureAnswer, startThirdParty } from '../peers/third-party.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { leaked } from '../support/secrets.ts';
import { libraryEnv, sampleFolder } from './doclib-support.ts';

async function gateway(env: Readonly<Record<string, string>>): Promise<TestGateway> {
  const started = await startTestGateway({ root: sampleFolder(), env: { ...env } });
  onTestFinished(() => started.stop());
  return started;
}

interface Served {
  readonly library: DocumentLibrary;
  readonly served: TestGateway;
  /** Everything that the gateway logged, as text. */
  logged(): string;
}

async function withLibrary(): Promise<Served> {
  const library = await startDocumentLibrary();
  onTestFinished(() => library.close());
  const addresses = { login: library.login.address, documents: library.documents.address };
  const served = await gateway(libraryEnv(addresses, library.facts));
  return { library, served, logged: () => JSON.stringify(served.log()) };
}

const PATH = '/gateway/RESTListeningConnector/Documents.v1/HR/report%202026.pdf?DocFolder=Shared%20Documents/2026';
const PUT = { method: 'PUT', headers: { 'content-type': 'application/pdf' }, body: 'PDF! '.repeat(50_000) } as const;

describe('a file that a caller puts', () => {
  it('streams through to the library', async () => {
    const { library, served } = await withLibrary();
    const { status, text } = await served.call(PATH, PUT);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { Name: 'report 2026.pdf', ServerRelativeUrl: '/sites/HR/Shared Documents/2026/report 2026.pdf' },
    ]);
    expect(library.files).toMatchObject([
      { contentType: 'application/pdf', sha256: createHash('sha256').update(PUT.body).digest('hex') },
    ]);
  });

  it.each([
    'token',
    'digest',
    'upload',
  ] as const)('has no secret in the answer or the log where the step %s fails', async (step) => {
    const { library, served, logged } = await withLibrary();
    library.fail(step, { kind: 'echo', status: 500 });
    const { status, text } = await served.call(PATH, PUT);
    expect(status).toBe(502);
    expect(text).not.toContain('library.example');
    expect(leaked(text + logged(), [FACTS.clientSecret, ...library.given])).toEqual([]);
    expect(logged()).toContain('DOCUMENT_PUT');
  });
});

it('what the other system says of a failure is what the caller is told', async () => {
  const peer = await startThirdParty({ password: 'p4ss+w/o=rd' });
  onTestFinished(() => peer.close());
  const served = await gateway({ THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: 'p4ss+w/o=rd' });
  peer.answer(failureAnswer(422, 'No such table', 'Ask the administrator.'));
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[{"name":"a"}]' };
  const { status, text } = await served.call('/gateway/RESTListeningConnector/Imports.v1/imports', post);
  expect(status).toBe(502);
  expect(text).toContain('No such table');
  expect(leaked(text + JSON.stringify(served.log()), ['p4ss+w/o=rd', 'signalbox:p4ss+w/o=rd'])).toEqual([]);
  expect(await served.call('/gateway/RESTListeningConnector/Imports.v1/imports', post)).toMatchObject({
    status: 200,
    text: expect.stringContaining('"import_set":"ISET0010001"'),
  });
});
