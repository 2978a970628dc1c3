import { describe, expect, it } from 'vitest';
import type { DocumentValue } from '../../src/model/value.ts';
import { DESTINATION, type Doclib, doclib, failure, file, sampleClient } from './doclib-support.ts';

const GRANTED = { ACCESS_TOKEN: 'token', FORM_DIGEST: 'digest' } as const;
const UPLOAD = { ...GRANTED, ...DESTINATION, File: file('PDF!') } as const;

/** Nobody was even connected to. */
const untouched = ({ library }: Doclib): boolean => library.login.connections() + library.documents.connections() === 0;

describe('configuration that is missing', () => {
  const NAMES = [
    'DOCLIB_APPLICATION_ID',
    'DOCLIB_AUTH_URL',
    'DOCLIB_CLIENT_ID',
    'DOCLIB_CLIENT_SECRET',
    'DOCLIB_HOST',
    'DOCLIB_TENANT_ID',
    'DOCLIB_TENANT_NAME',
  ];

  it('is named all at once by a flow, before its first step', async () => {
    const error = await failure(sampleClient().flow('N_DOCLIB.upload', { ...DESTINATION, File: file('PDF!') }));
    expect(error).toMatchObject({ code: 'CONFIGURATION', responseStatus: 20 });
    expect([...error.missing].sort()).toEqual(NAMES);
    for (const name of NAMES) expect(error.message).toContain(`${name} is not set`);
  });

  it('is what this operation uses, and the caller did not give', async () => {
    const call = sampleClient().call('N_DOCLIB_FORMDIGEST_POST', {
      SiteName: 'HR',
      TenantName: 'contoso',
      ACCESS_TOKEN: 'token',
    });
    expect((await failure(call)).missing).toEqual(['DOCLIB_HOST']);
  });

  it('is no matter where the caller gives all of it', async () => {
    const { library, client } = await doclib({ env: { DOCLIB_TENANT_NAME: '', DOCLIB_HOST: '' } });
    const given = { TenantName: 'contoso', document_host: 'library.example', SiteName: 'HR', ACCESS_TOKEN: 'token' };
    expect((await failure(client.call('N_DOCLIB_FORMDIGEST_POST', given))).httpResponseCode).toBe(401);
    expect(library.seen).toMatchObject([{ words: 'the token is not good' }]);
  });
});

describe('a wrong value is named before anything is sent', () => {
  it.each<[string, DocumentValue, string]>([
    ['a folder that leads elsewhere', { DocFolder: 'Shared Documents/../../Finance' }, 'DocFolder'],
    ['a host that is several', { TenantName: 'contoso.evil.example/x' }, 'TenantName'],
    ['a host with a user', { TenantName: 'me@contoso' }, 'TenantName'],
    ['a header in a header', { ACCESS_TOKEN: 'token\r\nX-Evil: 1' }, 'ACCESS_TOKEN'],
    ['a line end in a header', { FORM_DIGEST: 'digest\n' }, 'FORM_DIGEST'],
    ['what a header does not carry', { FORM_DIGEST: 'digest 😀' }, 'FORM_DIGEST'],
    ['a media type with a line end', { File: file('PDF!', { contentType: 'text/plain\r\nX-Evil: 1' }) }, 'File'],
    ['half a surrogate pair', { FileName: 'a\ud800.pdf' }, 'FileName'],
    ['a text where content belongs', { File: 'This is no Base64!' }, 'File'],
    ['a number where a text belongs', { SiteName: 7 }, 'SiteName'],
    ['nothing where something is needed', { SiteName: undefined }, 'SiteName'],
    ['a name that nobody knows', { Sitename: 'HR' }, 'Sitename'],
  ])('%s', async (_, wrong, name) => {
    const started = await doclib();
    const error = await failure(started.client.call('N_DOCLIB_UPLOADFILES_POST', { ...UPLOAD, ...wrong }));
    expect(error).toMatchObject({ code: 'BAD_INPUT', responseStatus: 20, message: expect.stringContaining(name) });
    expect(untouched(started)).toBe(true);
  });

  it.each<[string, DocumentValue, string]>([
    ['a value of its last step', { DocFolder: '..' }, 'DocFolder'],
    ['a name that none of its steps knows', { Folder: 'x' }, 'Folder'],
    ['nothing where its last step needs something', { File: undefined }, 'File'],
  ])('of a flow: %s', async (_, wrong, name) => {
    const started = await doclib();
    const input = { ...DESTINATION, File: file('PDF!'), ...wrong };
    const error = await failure(started.client.flow('N_DOCLIB.upload', input));
    expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining(name) });
    expect(untouched(started)).toBe(true);
  });
});

it.each([
  ['more', 3],
  ['less', 5],
])('a file that has %s than it said is told of, and not kept', async (_, length) => {
  const { library, client } = await doclib();
  const call = client.flow('N_DOCLIB.upload', { ...DESTINATION, File: file('PDF!', { length }) });
  expect(await failure(call)).toMatchObject({
    code: 'BAD_INPUT',
    step: { index: 3 },
    message: expect.stringMatching(/File|chang/),
  });
  expect(library.files).toEqual([]);
});
