import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FormData as UndiciFormData, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlCommand } from '../../src/describe/example/curl.ts';
import { exampleRequest } from '../../src/describe/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import { projectOf } from '../load/project-text.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const DEFINITIONS = `document: PLACE
fields: { city: { type: string(20), required: true }, zip: integer }
---
document: SCAN
fields:
  TITLE: { type: string(30), required: true }
  PAGES: { type: integer, minimum: 1 }
  DAY: date
  OPEN: { type: boolean, default: true }
  TAGS: { type: list of string, json: tags }
  PLACE: PLACE
  STOPS: list of PLACE
  EXTRA: json
  SCAN: { type: binary, required: true }
  MORE: list of binary
---
document: SEEN
fields:
  GIVEN: json
  FILES: list of string
  NAME: string
---
document: PACKET
fields: { TITLE: { type: string, required: true }, COUNT: integer, PLACES: list of PLACE, FILE: binary }
---
service: Scans.v1
permission: EVERYTHING
operations:
  SCAN_POST: { post: "scans{?NAME}", form: multipart, request: SCAN, variables: { fields: { NAME: string } }, response: SEEN }
  STREAM_POST: { post: streams, form: multipart, once: 1 h, request: { fields: { NAME: { type: string, required: true }, FILE: { type: binary, required: true } } }, response: SEEN }
  OPEN_POST: { post: open, form: multipart, request: { open: true, fields: { A: string, N: { type: integer, json: num } } }, response: SEEN, handler: open }
  PACKET_GET: { get: "packets/{SIZE}", request: { fields: { SIZE: integer } }, response: { multipart/form-data: PACKET, multipart/mixed: PACKET } }
  SCAN_ON: { post: on, form: multipart, request: SCAN, response: SEEN, call: FAR_POST }
  PACKET_ON: { get: "on/{SIZE}", request: { fields: { SIZE: integer } }, response: { multipart/form-data: PACKET }, call: FAR_GET }
  PACKET_FILE: { get: "file/{SIZE}", request: { fields: { SIZE: integer } }, response: { fields: { TITLE: string, DIGEST: string, LENGTH: integer } } }
---
service: Far.v1
permission: EVERYTHING
target: FAR
operations:
  FAR_POST: { post: scans, form: multipart, request: SCAN, response: SEEN }
  FAR_GET: { get: "packets/{SIZE}", request: { fields: { SIZE: integer } }, response: { multipart/form-data: PACKET } }
---
node: FAR
base: "\${env:FAR_URL}/gateway/RESTListeningConnector/Scans.v1"
credential: { basic: { user: demo, password: "\${secret:FAR_PASSWORD}" } }
`;

const SHOW = `import { createHash } from 'node:crypto';
export const shown = async (request) => {
  const files = [];
  const describe = async (file) => {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of file.stream()) { hash.update(chunk); length += chunk.length; }
    return [file.name, file.contentType, length, hash.digest('hex').slice(0, 8)].join(' ');
  };
  const given = {};
  for (const [name, value] of Object.entries(request)) {
    if (value?.stream) files.push(name + ' ' + await describe(value));
    else if (Array.isArray(value) && value[0]?.stream) for (const each of value) files.push(name + ' ' + await describe(each));
    else given[name] = value;
  }
  return { GIVEN: given, FILES: files, NAME: request.NAME };
};
`;

const FILES = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 10 KiB, attachment: 40 MiB, attachments: 3 }'),
  'definitions/scans.yaml': DEFINITIONS,
  'src/show.ts': SHOW,
  'src/handlers/scan-post.ts':
    "import { shown } from '../show.ts';\nexport default { onRequest: (request) => shown(request) };\n",
  'src/handlers/stream-post.ts': `export default {
  async onRequest({ NAME, FILE }, context) {
    const chunks = FILE.stream()[Symbol.asyncIterator]();
    const { value } = await chunks.next();
    context.log('info', 'first', { NAME, bytes: value.length });
    let length = value.length;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) length += next.value.length;
    return { NAME, FILES: [String(length), String(FILE.length)] };
  },
};
`,
  'src/handlers/open.ts':
    "import { shown } from '../show.ts';\nexport default { onRequest: (request) => shown(request) };\n",
  'src/handlers/packet-get.ts': `export default {
  onRequest({ SIZE }) {
    async function* stream() { for (let n = 0; n < SIZE; n++) yield Buffer.alloc(65536, n % 251); }
    const FILE = SIZE === 0 ? undefined : { contentType: 'image/png', name: 'ä "b".png', length: SIZE * 65536, stream };
    return { TITLE: SIZE === 13 ? undefined : 'T', COUNT: SIZE, PLACES: [{ city: 'Ulm' }, { city: 'Bonn', zip: 1 }], FILE };
  },
};
`,
  'src/handlers/packet-file.ts': `import { createHash } from 'node:crypto';
export default {
  async onRequest({ SIZE }, context) {
    const { value } = await context.call('FAR_GET', { SIZE });
    const hash = createHash('sha256');
    let LENGTH = 0;
    for await (const chunk of value.FILE.stream()) { hash.update(chunk); LENGTH += chunk.length; }
    return { TITLE: value.TITLE, DIGEST: hash.digest('hex'), LENGTH };
  },
};
`,
};

const REST = '/gateway/RESTListeningConnector/Scans.v1';
const short = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 8);

interface Seen {
  readonly GIVEN: Record<string, unknown>;
  readonly FILES: readonly string[];
  readonly NAME?: string;
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly detail: string; readonly pointer: string }[];
}

describe('multipart/form-data', () => {
  let far: TestGateway;
  let box: TestGateway;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    far = await startTestGateway({ files: FILES, env: { FAR_URL: 'http://127.0.0.1:1', FAR_PASSWORD: 'demo' } });
    box = await startTestGateway({ files: FILES, env: { FAR_URL: far.gateway.address, FAR_PASSWORD: 'demo' } });
    folder = mkdtempSync(join(tmpdir(), 'signalbox-forms-'));
    writeFileSync(join(folder, 'scan.pdf'), 'the scan');
    url = `http://127.0.0.1:${box.port}${REST}`;
  }, 60_000);
  afterAll(async () => {
    await box.stop();
    await far.stop();
    rmSync(folder, { recursive: true });
  });

  const curl = async (...given: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('curl', ['-sS', '-u', 'demo:demo', ...given], { cwd: folder });
    return stdout;
  };
  const send = async (form: FormData, path = '/scans', headers = {}): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', body: form, headers: { authorization: DEMO, ...headers } });
  const formOf = (values: Readonly<Record<string, string | Blob>>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(values)) form.append(name, value);
    return form;
  };
  const problem = async (reply: Response): Promise<Problem> => (await reply.json()) as Problem;

  it('is taken from curl -F, with files, repeated parts and JSON', async () => {
    const text = await curl(
      ...['-F', 'TITLE=a=b & c', '-F', 'PAGES=3', '-F', 'DAY=2026-01-31', '-F', 'tags=x', '-F', 'tags=y,z'],
      ...['-F', 'PLACE={"city":"Ulm","zip":89073};type=application/json', '-F', 'STOPS={"city":"A"}'],
      ...['-F', 'STOPS={"city":"B"};type=application/json', '-F', 'EXTRA=[1,{"a":null}]'],
      ...['-F', 'SCAN=@scan.pdf;type=application/pdf', '-F', 'MORE=@scan.pdf;filename=b.txt', '-F', 'MORE=@scan.pdf'],
      `${url}/scans?NAME=n`,
    );
    const seen = JSON.parse(text) as Seen;
    expect(seen.GIVEN).toEqual({
      ...{ TITLE: 'a=b & c', PAGES: 3, DAY: '2026-01-31', OPEN: true, TAGS: ['x', 'y,z'], NAME: 'n' },
      ...{ PLACE: { city: 'Ulm', zip: 89073 }, STOPS: [{ city: 'A' }, { city: 'B' }], EXTRA: [1, { a: null }] },
    });
    const digest = short('the scan');
    expect(seen.FILES).toEqual([
      `SCAN scan.pdf application/pdf 8 ${digest}`,
      `MORE b.txt text/plain 8 ${digest}`,
      `MORE scan.pdf application/pdf 8 ${digest}`,
    ]);
  });

  it('is taken from FormData of fetch and of undici, in any order', async () => {
    const form = formOf({
      SCAN: new File(['abc'], 'ü "1".txt', { type: 'text/plain' }),
      TITLE: 'ä\n"€"',
      OPEN: 'false',
    });
    const seen = (await (await send(form)).json()) as Seen;
    expect(seen.GIVEN).toEqual({ TITLE: 'ä\r\n"€"', OPEN: false });
    expect(seen.FILES).toEqual([`SCAN ü "1".txt text/plain 3 ${short('abc')}`]);
    const body = new UndiciFormData();
    body.append('SCAN', new Blob(['abcd'], { type: 'image/png' }), 'x.png');
    body.append('TITLE', 'T');
    body.append('PAGES', '');
    body.append('MORE', new Blob([]), '');
    const reply = await undiciFetch(`${url}/scans`, { method: 'POST', body, headers: { authorization: DEMO } });
    const other = (await reply.json()) as Seen;
    expect(other.GIVEN).toEqual({ TITLE: 'T', OPEN: true });
    expect(other.FILES).toEqual([`SCAN x.png image/png 4 ${short('abcd')}`]);
  });

  it('names what is wrong in its parts, all of it', async () => {
    const form = formOf({
      TITLE: 'T'.repeat(31),
      PAGES: '0',
      DAY: 'x',
      PLACE: '{"zip":"a"}',
      STOPS: '{"city":1}',
      NOTE: 'n',
    });
    form.append('TITLE', 'again');
    const { errors } = await problem(await send(form));
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      ...[
        '#/DAY',
        '#/NOTE',
        '#/PAGES',
        '#/PLACE/city',
        '#/PLACE/zip',
        '#/SCAN',
        '#/STOPS/0/city',
        '#/TITLE',
        '#/TITLE',
      ],
    ]);
    const text = await send(formOf({ TITLE: 'T', SCAN: new Blob(['x']), PLACE: 'no JSON' }));
    expect((await problem(text)).errors).toMatchObject([{ pointer: '#/PLACE' }]);
  });

  it('refuses other bodies, and forms that are broken', async () => {
    const json = await fetch(`${url}/scans`, {
      method: 'POST',
      headers: { authorization: DEMO, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([json.status, json.headers.get('accept')]).toEqual([415, 'multipart/form-data']);
    const raw = async (body: string, type = 'multipart/form-data; boundary=b'): Promise<string> => {
      const reply = await fetch(`${url}/scans`, {
        method: 'POST',
        headers: { authorization: DEMO, 'content-type': type },
        body,
      });
      return `${reply.status} ${(await problem(reply)).detail}`;
    };
    expect(await raw('x', 'multipart/form-data')).toMatch(
      /^400 .*its Content-Type multipart\/form-data has no boundary/,
    );
    expect(await raw('--b\r\n\r\nx\r\n--b--')).toMatch(/^400 .*one of its parts has no name in Content-Disposition/);
    expect(await raw('--b\r\nContent-Disposition: form-data; name="TITLE"\r\n\r\nx')).toMatch(
      /^400 .*its parts are wrong/,
    );
    const latin =
      '--b\r\nContent-Disposition: form-data; name="TITLE"\r\nContent-Type: text/plain; charset=latin1\r\n\r\nx\r\n--b--';
    expect(await raw(latin)).toMatch(/^400 .*not in UTF-8/);
    expect((await fetch(`${url}/scans`, { method: 'POST', headers: { authorization: DEMO } })).status).toBe(400);
  });

  it('keeps its limits while it is read, and names them', async () => {
    const refusal = async (reply: Response): Promise<unknown[]> => {
      const { code, detail } = await problem(reply);
      return [reply.status, code, detail];
    };
    const long = await send(formOf({ TITLE: 'T', EXTRA: `"${'x'.repeat(11_000)}"`, SCAN: new Blob(['x']) }));
    expect(await refusal(long)).toEqual([413, 'BODY_TOO_LARGE', expect.stringContaining('bytes (`limits.body`).')]);
    const large = await send(formOf({ TITLE: 'T', SCAN: new Blob([Buffer.alloc(41 * 1024 * 1024)]) }));
    expect(await refusal(large)).toEqual([
      413,
      'ATTACHMENT_TOO_LARGE',
      expect.stringContaining('bytes (`limits.attachment`).'),
    ]);
    const many = formOf({ TITLE: 'T', SCAN: new Blob(['x']) });
    for (let n = 0; n < 3; n++) many.append('MORE', new Blob(['y']), 'y');
    const more = await send(many);
    expect(await refusal(more)).toEqual([
      413,
      'TOO_MANY_ATTACHMENTS',
      expect.stringContaining('(`limits.attachments`).'),
    ]);
  });

  it('gives a file to the handler while it arrives, if nothing else can follow', async () => {
    const boundary = 'b';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="NAME"\r\n\r\nn\r\n--${boundary}\r\nContent-Disposition: form-data; name="FILE"; filename="f"\r\nContent-Type: image/png\r\n\r\n`;
    const reply = new Promise<string>((resolve, reject) => {
      const outgoing = httpRequest(
        {
          host: '127.0.0.1',
          port: box.port,
          path: `${REST}/streams`,
          method: 'POST',
          headers: { authorization: DEMO, 'content-type': `multipart/form-data; boundary=${boundary}` },
        },
        (incoming) => {
          let text = '';
          incoming
            .setEncoding('utf8')
            .on('data', (chunk: string) => (text += chunk))
            .on('end', () => resolve(text));
        },
      );
      outgoing.on('error', reject);
      outgoing.write(head);
      outgoing.write(Buffer.alloc(70_000));
      const first = (): true | undefined => (box.log().some(({ msg }) => msg === 'first') ? true : undefined);
      eventually('the first bytes at the handler', first).then(() => outgoing.end(`\r\n--${boundary}--\r\n`), reject);
    });
    const { NAME, FILES: files } = JSON.parse(await reply) as Seen;
    expect([NAME, files]).toEqual(['n', ['70000', 'undefined']]);
  });

  it('is one call with its key, whatever its boundary is', async () => {
    const once = (name: string): Promise<Response> =>
      send(formOf({ NAME: name, FILE: new File(['abc'], 'f') }), '/streams', { 'idempotency-key': 'k' });
    const [first, second, other] = [await once('a'), await once('a'), await once('b')];
    expect([first.status, second.headers.get('idempotency-replayed'), other.status]).toEqual([200, 'true', 422]);
  });

  it('keeps undeclared texts of an open document', async () => {
    const seen = (await (await send(formOf({ A: 'a', B: 'b' }), '/open')).json()) as Seen;
    expect(seen.GIVEN).toEqual({ A: 'a', B: 'b' });
    expect((await problem(await send(formOf({ F: new Blob(['x']) }), '/open'))).errors).toMatchObject([
      { pointer: '#/F' },
    ]);
    const twice = formOf({ B: '1' });
    twice.append('B', '2');
    const wrong = [formOf({ N: 'abc' }), formOf({ ['__proto__']: 'x' }), twice];
    for (const [index, pointer] of ['#/N', '#/__proto__', '#/B'].entries())
      expect((await problem(await send(wrong[index] as FormData, '/open'))).errors).toMatchObject([{ pointer }]);
  });

  it('is a reply, which fetch reads', async () => {
    const reply = await fetch(`${url}/packets/2`, { headers: { authorization: DEMO } });
    expect(reply.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(131_072);
    const form = await reply.formData();
    expect([form.get('TITLE'), form.get('COUNT')]).toEqual(['T', '2']);
    expect(
      await Promise.all(form.getAll('PLACES').map((each) => (typeof each === 'string' ? each : each.text()))),
    ).toEqual(['{"city":"Ulm"}', '{"city":"Bonn","zip":1}']);
    const file = form.get('FILE') as File;
    expect([file.name, file.type, file.size]).toEqual(['ä "b".png', 'image/png', 131_072]);
    const mixed = await fetch(`${url}/packets/0`, { headers: { authorization: DEMO, accept: 'multipart/mixed' } });
    expect(mixed.headers.get('content-type')).toMatch(/^multipart\/mixed; boundary=/);
    const wrong = await fetch(`${url}/packets/13`, { headers: { authorization: DEMO } });
    expect(wrong.status).toBe(500);
  });

  it('keeps nothing once a call is over', async () => {
    const metrics = await eventually('an empty spool', async () => {
      const { text } = await box.call('/metrics');
      const kept = [...text.matchAll(/^signalbox_spool_bytes\{place="\w+"\} (\d+)$/gm)].map(([, bytes]) => bytes);
      return kept.length > 0 && kept.every((bytes) => bytes === '0') ? kept : undefined;
    });
    expect(metrics.length).toBeGreaterThan(0);
  });

  it('has contracts that tell its parts, and an example that works', async () => {
    const openApi = JSON.parse((await box.call(`${REST}.openapi.json`)).text) as {
      paths: Record<
        string,
        { post: { requestBody: { content: Record<string, { schema: { properties: object }; encoding: object }> } } }
      >;
    };
    const { content } = openApi.paths['/Scans.v1/scans']!.post.requestBody;
    expect(Object.keys(content)).toEqual(['multipart/form-data']);
    expect(content['multipart/form-data']).toMatchObject({
      schema: { properties: { SCAN: { type: 'string', format: 'binary' }, tags: { type: 'array' } } },
      encoding: { PLACE: { contentType: 'application/json' }, STOPS: { contentType: 'application/json' } },
    });
    const wadl = (await box.call(`${REST}.wadl`)).text;
    expect(wadl).toContain('<param name="MORE" style="query" type="xs:base64Binary" repeating="true">');
    const { registry } = loadFiles(projectOf(`{ permission-list: EVERYTHING }\n---\n${DEFINITIONS}`), 'ignore-missing');
    const operation = registry!.operations.get('SCAN_POST')!;
    const command = curlCommand(exampleRequest(operation, operation.uris[0]!, 'http://x/gateway', 'urn:x'), []);
    expect(command).toMatch(/^curl -X POST --form-string TITLE=text -F SCAN=@FILE /);
    const words = command
      .split(' ')
      .slice(1, -1)
      .map((word) => word.replace('@FILE', '@scan.pdf'));
    expect(JSON.parse(await curl(...words, `${url}/scans`))).toMatchObject({ GIVEN: { TITLE: 'text' } });
  });

  it('is sent to another system, and read from one', async () => {
    const form = formOf({
      TITLE: 'T',
      OPEN: 'false',
      PLACE: '{"city":"Ulm"}',
      SCAN: new File(['abc'], 'a.txt', { type: 'text/plain' }),
    });
    form.append('tags', 'x');
    form.append('STOPS', '{"city":"A"}');
    form.append('STOPS', '{"city":"B"}');
    const seen = (await (await send(form, '/on')).json()) as Seen;
    expect(seen.GIVEN).toEqual({
      ...{ TITLE: 'T', OPEN: false, TAGS: ['x'], PLACE: { city: 'Ulm' }, STOPS: [{ city: 'A' }, { city: 'B' }] },
    });
    expect(seen.FILES).toEqual([`SCAN a.txt text/plain 3 ${short('abc')}`]);
    const passed = await (await fetch(`${url}/on/300`, { headers: { authorization: DEMO } })).formData();
    expect((passed.get('FILE') as File).size).toBe(300 * 65_536);
    const read = (await (await fetch(`${url}/file/3`, { headers: { authorization: DEMO } })).json()) as object;
    expect(read).toMatchObject({ TITLE: 'T', LENGTH: 3 * 65_536 });
    const [large] = [await fetch(`${url}/file/700`, { headers: { authorization: DEMO } })];
    expect(large.status).toBe(502);
  });
});
