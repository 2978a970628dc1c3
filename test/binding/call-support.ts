import { type CallRequest, compileRestCall } from '../../src/binding/call/call.ts';
import { CodecError } from '../../src/codec/index.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { type RestOptions, restConsumer } from '../support/consumer.ts';
import { field } from '../support/registry.ts';

const ENV: Readonly<Record<string, string>> = {
  TENANT: 't-1',
  NAME: 'contoso',
  HOST: 'library.example:8443',
  APP: 'app/1',
  CLIENT: 'client',
  SECRET: 's&cr=t',
};

export function write(options: RestOptions, input: DocumentValue, uriIndex = 1): CallRequest {
  const resolve = ({ name }: { readonly name: string }): string => ENV[name] ?? '';
  return compileRestCall(restConsumer(options), 'urn:test').write(input, { uriIndex, resolve });
}

export function complaint(options: RestOptions, input: DocumentValue, uriIndex = 1): string {
  try {
    write(options, input, uriIndex);
  } catch (error) {
    if (error instanceof CodecError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

export async function bytesOf({ content }: CallRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content?.bytes() ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Content in pieces of a few bytes, which can be read once. */
export function stream(content: string, more: Partial<Attachment> = {}): Attachment {
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

export const text = (name: string, more = {}) => field(name, 'text', more);

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

export const TOKEN: RestOptions = {
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

export const UPLOAD: RestOptions = {
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

export const UPLOAD_INPUT = {
  SiteName: 'HR',
  DocFolder: 'Shared Documents/2026',
  ACCESS_TOKEN: 'tok',
  FORM_DIGEST: '0x1,2',
  File: stream('%PDF-1', { name: "O'Neil 100%.pdf" }),
};
