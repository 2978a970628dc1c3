import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { DocumentValue } from '../../src/model/value.ts';
import { DESTINATION, file, libraryEnv, sampleClient } from './doclib-support.ts';
import { goldenTarget } from './golden-target.ts';

/** Of HTTP's and the client's own, whatever they say. Accept is so where the operation declares none. */
const OWN = ['connection', 'user-agent', 'x-request-id', 'traceparent', 'accept-encoding', 'content-length'];

/** A request as bytes, with the headers of the client's own taken out of it. */
function declared(request: Buffer, own: readonly string[]): string {
  const end = request.indexOf('\r\n\r\n');
  const [line = '', ...headers] = request.subarray(0, end).toString('latin1').split('\r\n');
  const kept = headers.filter((header) => !own.includes(header.slice(0, header.indexOf(':')).toLowerCase()));
  // The one name that the client did not write itself: letters count in no name of a header (RFC 9110 section 5.1).
  const spelled = kept.map((header) => header.replace(/^host:/i, 'Host:'));
  return [line, ...spelled, '', request.subarray(end + 4).toString('latin1')].join('\n');
}

const golden = (name: string): string => readFileSync(new URL(`golden/${name}.txt`, import.meta.url), 'latin1');

const GRANTED = { ACCESS_TOKEN: 'eyJ0+eXAi/OiJKV1Q==', FORM_DIGEST: '0x1A2B,21 Nov 2026 10:00:00 -0000' } as const;

const upload = (input: DocumentValue): DocumentValue => ({ ...GRANTED, ...input });

// The requests are written by hand from sections 4.3 of the specification and 4 of the field notes.
it.each<[string, string, DocumentValue, readonly string[]]>([
  ['token', 'N_DOCLIB_ACCESSTOKEN_POST', {}, [...OWN, 'accept']],
  ['digest', 'N_DOCLIB_FORMDIGEST_POST', { SiteName: 'HR', ACCESS_TOKEN: GRANTED.ACCESS_TOKEN }, OWN],
  ['upload', 'N_DOCLIB_UPLOADFILES_POST', upload({ ...DESTINATION, File: file('%PDF-1.7 ü=&+') }), OWN],
  [
    'upload-reserved',
    'N_DOCLIB_UPLOADFILES_POST',
    upload({
      SiteName: 'R&D',
      DocFolder: "Bücher & Co. 100%/Ann's",
      FileName: 'Übersicht (neu)+ä=?.txt',
      File: file('Grüße', { contentType: 'text/plain; charset=utf-8' }),
    }),
    OWN,
  ],
])('the request %s is that of the specification, byte for byte', async (name, operation, input, own) => {
  const target = await goldenTarget({ access_token: 'x', FormDigestValue: 'x', Name: 'x' });
  const client = sampleClient({ env: libraryEnv({ login: target.address, documents: target.address }) });
  const reply = await client.call(operation, input);
  expect(reply.httpResponseCode).toBe(200);
  expect(declared(target.request(), own)).toBe(golden(name));
});

it('content that is given as Base64 text arrives as the bytes that it stands for', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet));
  const target = await goldenTarget({ Name: 'x' });
  const client = sampleClient({ env: libraryEnv({ login: target.address, documents: target.address }) });
  const input = upload({ ...DESTINATION, FileName: 'all.bin', File: bytes.toString('base64') });
  await client.call('N_DOCLIB_UPLOADFILES_POST', input);
  const request = target.request();
  expect(request.subarray(request.indexOf('\r\n\r\n') + 4)).toEqual(bytes);
});
