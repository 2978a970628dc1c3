import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openClient as openUntyped } from '../../src/client/client.ts';
import { InvokeError, SoapFault } from '../../src/invoke/index.ts';
import { DefinitionsError, loadProject } from '../../src/load/index.ts';
import { openClient } from '../generate/fixtures/generated/client.ts';
import { type Answer, envelope, reply, type Seen, target } from '../invoke/support.ts';
import { writeProject } from '../support/project.ts';

// Operations of the fixtures, whose generated client is the one that is opened here.
const PARTNER = `node: PARTNER
base: \${env:PARTNER_URL}
credential: { basic: { user: me, password: "\${secret:PARTNER_PASSWORD}" } }
---
document: FILE
fields:
  name: { type: string(255), required: true }
  contentType: string
  content: { type: binary, required: true }
---
document: LOC_FAULT
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
service: Partner.v1
target: PARTNER
permission: EVERYTHING
operations:
  FILE_FETCH: { soap: true, request: xml, response: FILE, fault: LOC_FAULT }
  PARTNER_PING: { soap: true }
`;
const NAMESPACE = 'urn:test:Partner.v1';

const FILE = reply(
  `<p:FILE_FETCHResponse xmlns:p="${NAMESPACE}"><p:name>a</p:name><p:content>YWJj</p:content></p:FILE_FETCHResponse>`,
);

const FAULT = {
  status: 500,
  headers: { 'Content-Type': 'text/xml' },
  body: envelope(`<e:Fault xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><faultcode>e:Server</faultcode><faultstring>No</faultstring>
<detail><p:LOC_FAULT xmlns:p="${NAMESPACE}"><p:MESSAGE>There is no such file.</p:MESSAGE></p:LOC_FAULT></detail></e:Fault>`),
};

/** The folder of a project, removed when the test ends. */
function folderOf(definitions: string, more: Readonly<Record<string, string>> = {}): string {
  const project = writeProject({ 'definitions/partner.yaml': definitions, ...more });
  onTestFinished(project.remove);
  return project.root;
}

/** The generated client on a project whose partner answers so. */
async function opened(answer: Answer | ((seen: Seen) => Answer)) {
  const { url, seen } = await target(answer);
  const env = { PARTNER_URL: url, PARTNER_PASSWORD: 's3cret' };
  const client = await openClient({ folder: folderOf(PARTNER), env });
  onTestFinished(() => client.close());
  return { client, seen };
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a client that is opened on a project', () => {
  it('calls what the definitions declare, by the configuration that it is given', async () => {
    const { client, seen } = await opened(FILE);
    const { value, httpResponseCode } = await client.call('FILE_FETCH', { content: '<name>a</name>' });
    expect({ name: value.name, content: await textOf(value.content.stream()) }).toEqual({ name: 'a', content: 'abc' });
    expect(httpResponseCode).toBe(200);
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
    expect(seen[0]?.body.toString()).toContain('<name>a</name>');
  });

  it('takes the environment of the process, and the folder that it works in, where nothing else is said', async () => {
    const { url, seen } = await target({ status: 202 });
    vi.stubEnv('PARTNER_URL', url);
    vi.stubEnv('PARTNER_PASSWORD', 'mine');
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folderOf(PARTNER));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      cwd.mockRestore();
    });
    const client = await openClient();
    onTestFinished(() => client.close());
    expect((await client.call('PARTNER_PING', {})).value).toEqual({});
    expect(seen).toHaveLength(1);
  });

  it('takes a project that is loaded already', async () => {
    const { url, seen } = await target({ status: 202 });
    const project = loadProject({ root: folderOf(PARTNER) });
    const client = await openClient({
      folder: folderOf('document: OTHER\nfields: { A: text }'),
      project,
      env: { PARTNER_URL: url, PARTNER_PASSWORD: 'x' },
    });
    onTestFinished(() => client.close());
    await client.call('PARTNER_PING', {});
    expect(seen).toHaveLength(1);
  });

  it('shows the request of a call, and sends nothing', async () => {
    const { client, seen } = await opened(FILE);
    const request = client.preview('FILE_FETCH', { content: '<name>a</name>' });
    expect(request).toMatchObject({ operation: 'FILE_FETCH', method: 'POST' });
    expect(request.body).toContain('<name>a</name>');
    expect(JSON.stringify(request)).not.toMatch(/s3cret|bWU6czNjcmV0/);
    expect(seen).toEqual([]);
  });

  it('gives the fault document of the operation that was called, and of no other', async () => {
    const { client } = await opened(FAULT);
    const error: unknown = await client.call('FILE_FETCH', { content: '' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SoapFault);
    expect(client.faultOf('FILE_FETCH', error)).toEqual({ MESSAGE: 'There is no such file.' });
    expect(client.faultOf('FILE_UPLOAD', error)).toBeUndefined();
  });

  it('does not open on definitions that do not load, and shows where they are wrong', async () => {
    const folder = folderOf(PARTNER.replace('target: PARTNER', 'target: PARTNRE'));
    const error: unknown = await openClient({ folder, env: {} }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DefinitionsError);
    expect((error as DefinitionsError).message).toBe(`the definitions have 1 error

definitions/partner.yaml:15:9: error unknown-reference: Unknown node "PARTNRE".
  15 | target: PARTNRE
     |         ^^^^^^^
  hint: Did you mean PARTNER?`);
    // What a test runner prints of it: not the whole project.
    expect(inspect(error, { depth: 1 })).not.toContain('diagnostics');
  });

  it('names what configuration lacks at the first call rather than when it opens', async () => {
    const client = await openClient({ folder: folderOf(PARTNER), env: {} });
    onTestFinished(() => client.close());
    const error: unknown = await client.call('PARTNER_PING', {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvokeError);
    expect((error as InvokeError).missing).toEqual(['PARTNER_URL', 'PARTNER_PASSWORD']);
  });

  it('looks for the files that nodes name in the folder of the project', async () => {
    const definitions = PARTNER.replace('base:', 'ca-file: authorities.pem\nbase:');
    const client = await openClient({
      folder: folderOf(definitions, { 'authorities.pem': 'nobody' }),
      env: { PARTNER_URL: 'https://partner.invalid', PARTNER_PASSWORD: 'x' },
    });
    onTestFinished(() => client.close());
    await expect(client.call('PARTNER_PING', {})).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('authorities.pem does not contain a certificate'),
    });
  });

  it('knows no more than the definitions, whatever its types say', async () => {
    const { client } = await opened(FILE);
    await expect(client.call('TOKEN_FETCH', {})).rejects.toMatchObject({ code: 'UNKNOWN_OPERATION' });
  });

  it('names the step for which a flow is off', async () => {
    const off = PARTNER.replace('PARTNER_PING: { soap: true }', 'PARTNER_PING: { soap: true, active: false }');
    const flows = 'flows: { both: [{ call: PARTNER_PING }, { call: FILE_FETCH }] }\n';
    const env = { PARTNER_URL: 'http://127.0.0.1:9', PARTNER_PASSWORD: 'x' };
    const client = await openUntyped({ folder: folderOf(off + flows), env });
    onTestFinished(() => client.close());
    await expect(client.flow('Partner.v1.both', {})).rejects.toMatchObject({
      code: 'UNKNOWN_OPERATION',
      message: expect.stringContaining('its step PARTNER_PING is not active'),
    });
  });

  it('works with no types but those of any document', async () => {
    const { url } = await target(FILE);
    const env = { PARTNER_URL: url, PARTNER_PASSWORD: 'x' };
    const client = await openUntyped({ folder: folderOf(PARTNER), env });
    onTestFinished(() => client.close());
    const { value } = await client.call('FILE_FETCH', { content: '<name>a</name>' });
    expect(value.name).toBe('a');
  });
});
