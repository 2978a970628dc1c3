import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startDocumentLibrary } from '../peers/document-library.ts';
import { uploadPath } from '../peers/library-facts.ts';
import { file, libraryEnv, sampleClient } from './doclib-support.ts';

const sound = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Dots alone, where whoever receives the path might take a backslash for a slash, or what follows a semicolon for nothing. */
const DOTS = /(?:^|[\\])\.{1,2}(?:$|[\\;])/;

/** Text that can stand in a path: something, and no dots alone. */
const segment = fc
  .oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[-%'"#?&+=:;,@!$*()\\ .A-Z]+$/))
  .filter((text) => sound(text) && text !== '' && !DOTS.test(text) && !text.includes('/'));

it('whatever site, folder and file are called, the path is as the peer makes it from the specification', async () => {
  const client = sampleClient({ env: libraryEnv({ login: '127.0.0.1:1', documents: '127.0.0.1:1' }) });
  const folder = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  fc.assert(
    fc.property(segment, folder, segment, (SiteName, DocFolder, FileName) => {
      const input = { SiteName, DocFolder, FileName, ACCESS_TOKEN: 'x', FORM_DIGEST: 'x', File: file('') };
      const { url } = client.preview('N_DOCLIB_UPLOADFILES_POST', input);
      expect(url).toBe(`https://contoso.library.example${uploadPath(SiteName, DocFolder, FileName)}`);
    }),
  );
});

it('whatever the secret is, the identity provider reads it off the form', async () => {
  const secrets = fc.string({ unit: 'binary', minLength: 1 }).filter(sound);
  await fc.assert(
    fc.asyncProperty(secrets, async (clientSecret) => {
      const library = await startDocumentLibrary({ facts: { clientSecret } });
      const addresses = { login: library.login.address, documents: library.documents.address };
      const client = sampleClient({ env: libraryEnv(addresses, library.facts) });
      try {
        const { value } = await client.call('N_DOCLIB_ACCESSTOKEN_POST', {});
        expect(value).toMatchObject({ access_token: library.given[0], expires_in: 3600 });
      } finally {
        await client.close();
        await library.close();
      }
    }),
    { numRuns: 30 },
  );
});
