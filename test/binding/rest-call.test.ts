import { describe, expect, it } from 'vitest';
import { type CallRequest, compileRestCall, Pending } from '../../src/binding/rest-call.ts';
import { MemoryAttachment } from '../../src/codec/binary.ts';
import { CodecError } from '../../src/codec/index.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { type RestOptions, restConsumer } from '../support/consumer.ts';
import { compound, document, field, listOf } from '../support/registry.ts';

const ENV: Readonly<Record<string, string>> = {
  TENANT: 't-1',
  NAME: 'contoso',
  HOST: 'library.example:8443',
  APP: 'app/1',
  CLIENT: 'client',
  SECRET: 's&cr=t',
};

function write(options: RestOptions, input: DocumentValue, uriIndex = 1): CallRequest {
  const resolve = ({ name }: { readonly name: string }): string => ENV[name] ?? '';
  return compileRestCall(restConsumer(options), 'urn:test').write(input, { uriIndex, resolve });
}

function complaint(options: RestOptions, input: DocumentValue, uriIndex = 1): string {
  try {
    write(options, input, uriIndex);
  } catch (error) {
    if (error instanceof CodecError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

async function bytesOf({ content }: CallRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content?.bytes() ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Content in pieces of a few bytes, which can be read once. */
function stream(content: string, more: Partial<Attachment> = {}): Attachment {
  const bytes = Buffer.from(content);
  return {
    contentType: 'application/pdf',
    length: bytes.length,
    async *stream() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    },
    ...more,
  };
}

const text = (name: string, more = {}) => field(name, 'text', more);

// The three requests of specification 4.3, as field notes 4 settle them.
const LIBRARY = {
  fields: [
    text('TenantID'),
    text('TenantName'),
    text('SiteName'),
    text('DocFolder', { url: 'odata-path' }),
    text('FileName', { url: 'odata', default: '{File.name}' }),
    text('ACCESS_TOKEN', { sensitive: true }),
    text('FORM_DIGEST', { sensitive: true }),
    field('File', 'binary'),
    text('ClientID'),
    text('ClientSecret', { sensitive: true }),
    text('ApplicationID'),
    text('document_host'),
  ],
  filled: {
    TenantID: '${env:TENANT}',
    TenantName: '${env:NAME}',
    document_host: '${env:HOST}',
    ApplicationID: '${env:APP}',
    ClientID: '${env:CLIENT}',
    ClientSecret: '${secret:SECRET}',
    FileName: '{File.name}',
  },
} as const;

const only = (...names: string[]): Pick<RestOptions, 'fields' | 'filled'> => ({
  fields: LIBRARY.fields.filter(({ name }) => names.includes(name)),
  filled: Object.fromEntries(Object.entries(LIBRARY.filled).filter(([name]) => names.includes(name))),
});

const TOKEN: RestOptions = {
  templates: ['/{TenantID}/tokens/OAuth/2'],
  ...only('TenantID', 'TenantName', 'ClientID', 'ClientSecret', 'ApplicationID', 'document_host'),
  form: {
    grant_type: 'client_credentials',
    client_id: '{ClientID}@{TenantID}',
    client_secret: '{ClientSecret}',
    resource: '{ApplicationID}/{TenantName}.{document_host}@{TenantID}',
  },
  response: 'json',
};

const UPLOAD: RestOptions = {
  templates: [
    "{TenantName}.{document_host}/sites/{SiteName}/_api/web/GetFolderByServerRelativeURL('/sites/{SiteName}/{DocFolder}/')/Files/add(url='{FileName}',overwrite=true)",
  ],
  host: true,
  ...only('TenantName', 'document_host', 'SiteName', 'DocFolder', 'FileName', 'ACCESS_TOKEN', 'FORM_DIGEST', 'File'),
  headers: {
    'X-Request-Digest': '{FORM_DIGEST}',
    Authorization: 'Bearer {ACCESS_TOKEN}',
    Accept: 'application/json;odata=nometadata',
    'Content-Type': '{File.contentType}',
  },
  body: { field: 'File' },
  properties: { base64ToBinary: true },
};

const UPLOAD_INPUT = {
  SiteName: 'HR',
  DocFolder: 'Shared Documents/2026',
  ACCESS_TOKEN: 'tok',
  FORM_DIGEST: '0x1,2',
  File: stream('%PDF-1', { name: "O'Neil 100%.pdf" }),
};

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

describe('content in base64', () => {
  const File = Buffer.from('%PDF-1.7 and more').toString('base64');
  const input = { ...UPLOAD_INPUT, FileName: 'a.pdf' };

  it('is sent as the bytes that it stands for, with their number', async () => {
    const request = write(UPLOAD, { ...input, File: `${File.slice(0, 5)}\r\n ${File.slice(5)}` });
    expect(request.content).toMatchObject({ length: 17, again: true });
    expect(String(await bytesOf(request))).toBe('%PDF-1.7 and more');
    expect(request.headers['Content-Type']).toBe('application/octet-stream');
  });

  it('is decoded in slices, whose ends fall anywhere', async () => {
    const bytes = Buffer.alloc(1_000_001, 'abcdefg');
    const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    expect((await bytesOf(write(UPLOAD, { ...input, File: lines }))).equals(bytes)).toBe(true);
  });

  it.each([
    ['a character of none', `${File}!`],
    ['one beyond Latin-1 that ends in a good byte', `Ł${File.slice(1)}`],
    ['the alphabet of URLs', 'a-_b'],
    ['no padding', File.replaceAll('=', '')],
    ['padding inside', `${File}${File}`],
  ])('with %s is refused before anything is sent', (_, wrong) => {
    expect(complaint(UPLOAD, { ...input, File: wrong })).toMatch(/^File can't be decoded: its base64 /);
  });

  it('is refused where the operation does not say that it may be', () => {
    expect(complaint({ ...UPLOAD, properties: {} }, { ...input, File })).toBe(
      'File is no content with a stream; Base64toBinary: Y takes one in base64',
    );
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
      field('PART', 'string', { pattern: '[a-z]+' }),
      field('TRACE', 'text'),
    ],
    headers: { 'X-Trace': 'id {TRACE}' },
  };

  it.each<[DocumentValue, number, string]>([
    [{}, 1, 'NAME is missing'],
    [{ NAME: null }, 1, 'NAME is missing'],
    [{ NAME: '' }, 1, 'NAME is empty, and stands in the path'],
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
    [{ NAME: 'a', PART: 'b' }, 3, 'URI index 3 is none of SOME_CALL: they are 1 to 2'],
    [{ NAME: 'a', TRACE: 'b\r\nX-Evil: 1' }, 1, 'TRACE holds a line end, and stands in header X-Trace'],
    [{ NAME: 'a', TRACE: 'b\0' }, 1, 'TRACE holds a control character, and stands in header X-Trace'],
    [{ NAME: 'a', TRACE: '€' }, 1, 'TRACE holds a character beyond Latin-1, and stands in header X-Trace'],
    [{ NAME: 'a', TRACE: 'b ' }, 1, 'TRACE ends with a blank, and stands in header X-Trace'],
  ])('is named: %j by URI %i', (input, uriIndex, message) => {
    expect(complaint(options, input, uriIndex)).toBe(message);
  });

  it('is not repeated where it is a secret', () => {
    const secret: RestOptions = {
      templates: ['x'],
      headers: { 'X-Word': '{WORD}' },
      fields: [text('WORD', { sensitive: true })],
    };
    expect(complaint(secret, { WORD: 'hush\n' })).toBe('WORD holds a line end, and stands in header X-Word');
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
      'A holds half of a surrogate pair, which UTF-8 does not carry, and stands in form field a',
    );
  });

  it('is a name that the content does not have', () => {
    expect(complaint(UPLOAD, { ...UPLOAD_INPUT, File: stream('x') })).toBe(
      'FileName is missing, and {File.name} has nothing to fill it',
    );
  });
});

describe('a body', () => {
  const inner = document('INNER', [field('PIN', 'integer', { sensitive: true }), field('NOTE', 'text')]);
  const fields = [
    text('ID'),
    field('AMOUNT', 'decimal'),
    field('KEY', 'integer', { sensitive: true }),
    field('INNER', compound(inner)),
    field('LIST', listOf(inner)),
    field('SCAN', 'binary'),
    text('REGION'),
  ];
  const options: RestOptions = {
    templates: ['a/{ID}'],
    fields,
    body: 'document',
    filled: { REGION: '${secret:SECRET}' },
  };
  const input = {
    ID: '1',
    AMOUNT: '1.50',
    KEY: 7,
    INNER: { PIN: 1234, NOTE: 'n' },
    LIST: [{ PIN: 5 }, { NOTE: 'm' }],
    SCAN: new MemoryAttachment(Buffer.from('scan')),
  };

  it('holds in JSON what the URI does not, and shows it masked at any depth', () => {
    const { headers, content } = write(options, input);
    expect(headers['Content-Type']).toBe('application/json');
    expect(content?.text).toBe(
      '{"AMOUNT":1.50,"KEY":7,"INNER":{"PIN":1234,"NOTE":"n"},"LIST":[{"PIN":5},{"NOTE":"m"}],"SCAN":"c2Nhbg==","REGION":"s&cr=t"}',
    );
    expect(content?.shown()).toBe(
      '{"AMOUNT":1.50,"KEY":"***","INNER":{"PIN":"***","NOTE":"n"},"LIST":[{"PIN":"***"},{"NOTE":"m"}],"SCAN":"(4 bytes)","REGION":"***"}',
    );
    expect([...(content?.secrets() ?? [])].toSorted()).toEqual(['1234', '5', '7', 's&cr=t']);
  });

  it('is XML where Content-Type says so', () => {
    const { content } = write(
      { ...options, headers: { 'Content-Type': 'text/xml' } },
      { ID: '1', KEY: 7, REGION: 'r' },
    );
    const xml = (key: string): string =>
      `<SOME_BODY xmlns="urn:test:Some.v1"><KEY>${key}</KEY><REGION>r</REGION></SOME_BODY>`;
    expect(content?.text).toBe(xml('7'));
    expect(content?.shown()).toBe(xml('***'));
  });

  it('encodes a stream in it as it is sent', async () => {
    const request = write(options, { ID: '1', REGION: 'r', SCAN: stream('some scanned content') });
    const expected = `{"SCAN":"${Buffer.from('some scanned content').toString('base64')}","REGION":"r"}`;
    expect(String(await bytesOf(request))).toBe(expected);
    expect(request.content).toMatchObject({ length: expected.length, text: undefined, again: false });
  });

  it('shows what is pending of it', () => {
    const { content } = write(options, { ID: '1', KEY: new Pending('KEY'), REGION: 'r' });
    expect(content?.shown()).toBe('{"KEY":"<KEY>","REGION":"r"}');
  });

  it.each<[string, NonNullable<RestOptions['body']>, string, unknown, string, string]>([
    ['JSON text', 'json', 'json', '[ {"a":1} ]', '[ {"a":1} ]', 'application/json'],
    ['a JSON value', 'json', 'json', [1, 2n ** 60n], '[1,1152921504606846976]', 'application/json'],
    ['a string as a field', { field: 'content' }, 'json', 'a', '"a"', 'application/json'],
    ['text', 'text', 'text', 'Grüße', 'Grüße', 'text/plain; charset=utf-8'],
    ['XML', 'xml', 'xml', '<a/>', '<a/>', 'application/xml'],
    ['a number as a field', { field: 'content' }, 'integer', 7, '7', 'text/plain; charset=utf-8'],
  ])('may be %s', (_, body, type, content, sent, contentType) => {
    const request = write({ templates: ['x'], fields: [field('content', type)], body }, { content } as DocumentValue);
    expect(request.content?.text).toBe(sent);
    expect(request.headers['Content-Type']).toBe(contentType);
  });

  it.each<[string, NonNullable<RestOptions['body']>, string, unknown, string]>([
    ['JSON', 'json', 'json', '[1,', 'content is not JSON: it ends too early'],
    ['XML', 'xml', 'xml', '<a>', 'content is not well-formed XML'],
    ['text', 'text', 'text', 'a\ud800', 'content holds half of a surrogate pair'],
    ['bytes', 'binary', 'binary', 'a', 'content is no content with a stream'],
    [
      'a media type',
      'binary',
      'binary',
      stream('a', { contentType: 'a\r\nb' }),
      'content has the content type "a\\r\\nb", which is none',
    ],
  ])('that is no %s is refused', (_, body, type, content, message) => {
    const options: RestOptions = { templates: ['x'], fields: [field('content', type)], body };
    expect(complaint(options, { content } as DocumentValue)).toContain(message);
  });

  it('that is a form is encoded where it is not said to be so', () => {
    const form: RestOptions = {
      templates: ['x'],
      fields: [text('content')],
      body: 'text',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      properties: { bodyAsBuilt: false },
    };
    expect(write(form, { content: 'a=b c&d=e=f/ü&g' }).content?.text).toBe('a=b%20c&d=e%3Df%2F%C3%BC&g');
    expect(write({ ...form, properties: {} }, { content: 'a=b c' }).content?.text).toBe('a=b c');
  });

  it.each([
    ['more', 3, 'File changed while it was read: it holds more than its 3 bytes'],
    ['less', 9, 'File changed while it was read: it holds 6 of its 9 bytes'],
  ])('that holds %s than it says fails', async (_, length, message) => {
    const request = write(UPLOAD, { ...UPLOAD_INPUT, File: stream('%PDF-1', { name: 'a', length }) });
    await expect(bytesOf(request)).rejects.toThrow(message);
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
