import { describe, expect, it } from 'vitest';
import { compileRestCall } from '../../src/binding/call/call.ts';
import { Pending } from '../../src/binding/call/values.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { type RestOptions, restConsumer } from '../support/consumer.ts';
import { document, field } from '../support/registry.ts';
import { bytesOf, complaint, stream, TOKEN, text, UPLOAD, UPLOAD_INPUT, write } from './call-support.ts';

describe('the requests of the document library', () => {
  it('encode each value of the form once, by itself', () => {
    const { method, uri, headers, content, shown } = write(TOKEN, {});
    expect({ method, uri, headers }).toEqual({
      method: 'POST',
      uri: 't-1/tokens/OAuth/2',
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    const begin = 'grant_type=client_credentials&client_id=client%40t-1&client_secret=';
    const end = '&resource=app%2F1%2Fcontoso.library.example%3A8443%40t-1';
    expect(content?.text).toBe(`${begin}s%26cr%3Dt${end}`);
    expect(content?.shown()).toBe(`${begin}***${end}`);
    expect(shown.uri).toBe(uri);
  });

  it('put the host into the URI, fold names into their quotes, and send the content as it is', async () => {
    const request = write(UPLOAD, UPLOAD_INPUT);
    expect(request.uri).toBe(
      "contoso.library.example:8443/sites/HR/_api/web/GetFolderByServerRelativeURL('/sites/HR/Shared%20Documents/2026/')/Files/add(url='O''Neil%20100%25.pdf',overwrite=true)",
    );
    expect(request.headers).toEqual({
      'X-Request-Digest': '0x1,2',
      Authorization: 'Bearer tok',
      Accept: 'application/json;odata=nometadata',
      'Content-Type': 'application/pdf',
    });
    expect(String(await bytesOf(request))).toBe('%PDF-1');
    expect(request.content).toMatchObject({ length: 6, again: false, text: undefined });
    expect(request.content?.shown()).toBe('(6 bytes)');
  });

  it('show what is pending by its name, and what is secret not at all', () => {
    const pending = { ACCESS_TOKEN: new Pending('ACCESS_TOKEN'), DocFolder: new Pending('DocFolder') };
    const { shown } = write(UPLOAD, { ...UPLOAD_INPUT, ...pending });
    expect(shown.uri).toContain("URL('/sites/HR/<DocFolder>/')");
    expect(shown.headers).toMatchObject({ Authorization: 'Bearer <ACCESS_TOKEN>', 'X-Request-Digest': '***' });
  });

  it('need only the configuration of what the caller leaves out', () => {
    const { references } = compileRestCall(restConsumer(TOKEN), 'urn:test');
    const names = (input: DocumentValue): string[] =>
      references(input, 1).flatMap(({ parts }) => parts.map((part) => ('name' in part ? part.name : '')));
    expect(names({}).toSorted()).toEqual(['APP', 'CLIENT', 'HOST', 'NAME', 'SECRET', 'TENANT']);
    expect(names({ ClientSecret: 's', TenantID: 't', ApplicationID: 'a', ClientID: 'c' }).toSorted()).toEqual([
      'HOST',
      'NAME',
    ]);
  });

  it('know what nobody may be told', () => {
    expect([...write(TOKEN, {}).secrets()]).toContain('s&cr=t');
    expect([...write(UPLOAD, UPLOAD_INPUT).secrets()]).toEqual(expect.arrayContaining(['tok', '0x1,2']));
  });
});

describe('a value that does not fit', () => {
  const options: RestOptions = {
    method: 'GET',
    templates: ['items/{NAME}{?COUNT,KIND}', 'items/{NAME}/parts?of={PART}'],
    fields: [
      field('NAME', 'string(5)', { required: true, url: 'path' }),
      field('COUNT', 'integer', { maximum: 9 }),
      field('KIND', 'string', { enum: ['red', 'blue'] }),
      field('PART', 'string', { patterns: ['[a-z]+'] }),
      field('TRACE', 'text'),
    ],
    headers: { 'X-Trace': 'id {TRACE}' },
  };

  it.each<[DocumentValue, number, string]>([
    [{}, 1, 'NAME is missing'],
    [{ NAME: null }, 1, 'NAME is missing'],
    [{ NAME: '' }, 1, 'NAME is empty, but is part of the path'],
    [{ NAME: 'abcdef' }, 1, 'NAME is longer than 5 characters'],
    [{ NAME: 'a/..' }, 1, 'NAME would put a segment .. into the path, which changes where it leads'],
    [{ NAME: '\ud800' }, 1, 'NAME holds half of a surrogate pair, which UTF-8 does not carry'],
    [{ NAME: 7 }, 1, 'NAME is a number, not a string'],
    [{ NAME: 'a', COUNT: '7' }, 1, 'COUNT is a string, not an integer'],
    [{ NAME: 'a', COUNT: 10 }, 1, 'COUNT is greater than 9'],
    [{ NAME: 'a', KIND: 'blu' }, 1, 'KIND is "blu", not one of red, blue (did you mean blue?)'],
    [{ NAME: 'a', COUNTS: 1 }, 1, 'COUNTS is not a field of SOME_CALL (did you mean COUNT?)'],
    [{ NAME: 'a', PART: 'b' }, 1, 'PART has no place in the request of URI index 1'],
    [{ NAME: 'a' }, 2, 'PART is missing'],
    [{ NAME: 'a', PART: '1' }, 2, 'PART does not match the pattern [a-z]+'],
    [{ NAME: 'a', PART: 'b' }, 3, 'URI index 3 does not exist in SOME_CALL: they are 1 to 2'],
    [{ NAME: 'a', TRACE: 'b\r\nX-Evil: 1' }, 1, 'TRACE holds a line end, and is used in header X-Trace'],
    [{ NAME: 'a', TRACE: 'b\0' }, 1, 'TRACE holds a control character, and is used in header X-Trace'],
    [{ NAME: 'a', TRACE: '€' }, 1, 'TRACE holds a character beyond Latin-1, and is used in header X-Trace'],
    [{ NAME: 'a', TRACE: 'b ' }, 1, 'TRACE ends with a blank, and is used in header X-Trace'],
  ])('is named: %j by URI %i', (input, uriIndex, message) => {
    expect(complaint(options, input, uriIndex)).toBe(message);
  });

  it('is not repeated where it is a secret', () => {
    const secret: RestOptions = {
      templates: ['x'],
      headers: { 'X-Word': '{WORD}' },
      fields: [text('WORD', { sensitive: true })],
    };
    expect(complaint(secret, { WORD: 'hush\n' })).toBe('WORD holds a line end, and is used in header X-Word');
  });

  it('is a host that is none', () => {
    for (const document_host of ['a/b', 'a@b', 'a:b', '.a', 'a..b', '-a', 'a.-b', 'h:123456', 'ü']) {
      expect(complaint(UPLOAD, { ...UPLOAD_INPUT, document_host })).toMatch(/^document_host stands in a host name/);
    }
    expect(complaint(UPLOAD, { ...UPLOAD_INPUT, TenantName: 'a:80' })).toMatch(/^TenantName stands in a host name/);
  });

  it('is half a surrogate in a form', () => {
    const form: RestOptions = { templates: ['x'], fields: [text('A')], form: { a: 'x{A}' } };
    expect(complaint(form, { A: '\udc00' })).toBe(
      'A holds half of a surrogate pair, which UTF-8 does not carry, and is used in form field a',
    );
  });

  it('is a name that the content does not have', () => {
    expect(complaint(UPLOAD, { ...UPLOAD_INPUT, File: stream('x') })).toBe(
      'FileName is missing, and {File.name} has nothing to fill it',
    );
  });
});

describe('a secret in a URI', () => {
  it('is masked where it stands, however it is written', () => {
    const { uri, shown } = write(
      {
        method: 'GET',
        templates: ['a/{KEY}/{KEY:2}{?KEY,ID}'],
        fields: [text('KEY', { sensitive: true }), text('ID')],
      },
      { KEY: 'k/y', ID: 'x y' },
    );
    expect(uri).toBe('a/k%2Fy/k%2F?KEY=k%2Fy&ID=x%20y');
    expect(shown.uri).toBe('a/***/***?KEY=***&ID=x%20y');
  });
});

describe('Accept', () => {
  const OUT = document('OUT', [text('A')]);

  it.each<[string, RestOptions['response'], string | undefined]>([
    ['the forms of the reply, in their order', OUT, 'application/json, application/xml;q=0.9'],
    [
      'the media types that are declared',
      { 'text/csv; header=present': 'text', 'application/pdf': 'binary' },
      'text/csv; header=present, application/pdf;q=0.9',
    ],
    ['nothing where nothing comes back', undefined, undefined],
  ])('asks for %s', (_, response, expected) => {
    expect(
      write({ method: 'GET', templates: ['x'], ...(response === undefined ? {} : { response }) }, {}).headers.Accept,
    ).toBe(expected);
  });
});
