import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, envelope, listen, reply, target } from '../invoke/support.ts';
import { poll } from './poll.ts';
import { project, signalbox, signalboxProcess, start, temporaryFolder } from './support.ts';

const NAMESPACE = 'urn:signalbox:test:Partner.v1';
const files = {
  'definitions/gateway.yaml': `gateway: LOCAL
context: gateway
listen: 127.0.0.1:8080
database: sqlite:test.db
namespace: urn:signalbox:test
`,
  'definitions/nodes.yaml': `node: PARTNER
base: \${env:PARTNER_URL}
credential: { basic: { user: signalbox, password: "\${secret:PARTNER_PASSWORD}" } }
---
node: OTHER
base: \${env:OTHER_URL}
`,
  'definitions/partner.yaml': `service: Partner.v1
target: PARTNER
operations:
  FILE_SEND:
    soap: true
    public: true
    request:
      fields:
        name: { type: string(20), required: true }
        contentType: string
        content: binary
        count: integer
        tags: list of string
        place: { fields: { city: string } }
    response: { fields: { name: string, price: decimal(10.2), content: binary, places: list of PLACE } }
    fault: TROUBLE
    properties: { MTOM: Y }
  ENVELOPE_SEND:
    soap: true
    public: true
    request: xml
    response: xml
    properties: { MTOM: Y, SOAPUpContent: N }
  RAW_PUT: { put: raw, public: true, request: binary }
  ONE_WAY:
    soap: true
    public: true
    request: { fields: { name: string } }
    response: none
---
document: PLACE
fields: { city: string, zip: string }
---
document: TROUBLE
fields: { message: text, line: integer }
`,
} as const;

let cwd: string;
beforeAll(async () => {
  cwd = await project({
    ...files,
    'big.pdf': 'PDF'.repeat(100_000),
    'two.csv': 'a,b\n',
    'envelope.xml': envelope('<w><Include SegmentNumber="1"/></w>'),
  });
});

const answerOf = (fields: string): Answer =>
  reply(`<p:FILE_SENDResponse xmlns:p="${NAMESPACE}">${fields}</p:FILE_SENDResponse>`);
const PLACES = '<p:places><p:PLACE><p:city>Oslo</p:city></p:PLACE></p:places>';
const DONE = answerOf(`<p:name>a.pdf</p:name><p:price>10.50</p:price>${PLACES}`);

/** A reply with content, and a segment beside it. */
const WITH_CONTENT: Answer = {
  headers: { 'Content-Type': 'multipart/related; boundary=b' },
  body: [
    '--b',
    'Content-Type: text/xml',
    '',
    envelope(
      `<p:FILE_SENDResponse xmlns:p="${NAMESPACE}"><p:name>a</p:name><p:content><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:one"/></p:content></p:FILE_SENDResponse>`,
    ),
    '--b',
    'Content-Type: application/pdf',
    'Content-ID: <one>',
    '',
    'PDF!',
    '--b',
    'Content-Type: text/csv',
    '',
    'a,b',
    '--b--',
    '',
  ].join('\r\n'),
};

const partner = (url: string) => ({ PARTNER_URL: url, PARTNER_PASSWORD: 'hush' });

async function invoke(answer: Answer, ...args: readonly string[]) {
  return invokeBy(signalbox, answer, ...args);
}

async function invokeBy(run: typeof signalbox, answer: Answer, ...args: readonly string[]) {
  const { url, seen } = await target(answer);
  return { ...(await run(['invoke', ...args], { cwd, env: partner(url) })), seen };
}

describe('a consumer operation', () => {
  test('calls its target, and shows the reply', async () => {
    const { seen, ...ran } = await invokeBy(
      signalboxProcess,
      DONE,
      'FILE_SEND',
      'name=a.pdf',
      'count=7',
      'tags=x',
      'tags=y',
      'place={"city":"Bergen"}',
    );
    expect(ran).toEqual({
      code: 0,
      signal: null,
      stdout: 'name            a.pdf\nprice           10.50\nplaces[0].city  Oslo\n',
      stderr: '',
    });
    const [{ headers, body } = { headers: {}, body: '' }] = seen;
    expect(headers.authorization).toBe(`Basic ${Buffer.from('signalbox:hush').toString('base64')}`);
    for (const part of ['>a.pdf<', '>7<', '>x<', '>y<', '>Bergen<']) expect(body.toString()).toContain(part);
  });

  test('JSON', async () => {
    const { stdout } = await invoke(DONE, 'FILE_SEND', 'name=a', '--json');
    expect(stdout).toBe('{"name":"a.pdf","price":10.50,"places":[{"city":"Oslo"}]}\n');
  });

  test('files are sent as content, with their type', async () => {
    const { seen, code } = await invoke(
      DONE,
      'FILE_SEND',
      'name=a',
      'contentType=image/png',
      'content=@big.pdf',
      '--segment',
      'two.csv;type=text/csv',
    );
    expect(code).toBe(0);
    const { headers, body } = seen[0]!;
    expect(headers['content-length']).toBe(String(body.length));
    const text = body.toString('latin1');
    expect(text).toContain('PDF'.repeat(100_000));
    expect(text).toMatch(/Content-Type: image\/png\r\n[\s\S]*filename="big.pdf"/);
    expect(text).toMatch(/Content-Type: text\/csv\r\n[\s\S]*\r\n\r\na,b\n\r\n--/);
  });

  test('--input is JSON for all fields, and what is beside it stands above it', async () => {
    writeFileSync(join(cwd, 'values.json'), '{"count":1,"tags":["x"],"content":"UERG"}');
    const { seen, code } = await invoke(DONE, 'FILE_SEND', 'name=a', 'count=2', '--input', 'values.json');
    expect(code).toBe(0);
    const text = seen[0]!.body.toString('latin1');
    for (const part of ['>a<', '>2<', '>x<', '\r\n\r\nPDF\r\n']) expect(text).toContain(part);
  });

  test('an envelope of the caller, with segments in its markers', async () => {
    const { seen, stdout } = await invoke(
      reply('<done>1</done>'),
      'ENVELOPE_SEND',
      'content=@envelope.xml',
      '--segment',
      'big.pdf',
    );
    expect(seen[0]!.body.toString('latin1')).toMatch(/<w><xop:Include [^>]*href="cid:/);
    expect(stdout).toContain('<done>1</done>');
  });

  test('files with Base64 text, and Base64 in lines', async () => {
    const lines = Buffer.from('<report/>')
      .toString('base64')
      .replace(/(.{4})/g, '$1\n');
    writeFileSync(join(cwd, 'report.b64'), lines);
    for (const endings of [';type=application/xml;base64', ';base64;type=application/xml']) {
      const segment = ['--segment', `report.b64${endings}`];
      const ran = await invoke(reply('<done>1</done>'), 'ENVELOPE_SEND', 'content=@envelope.xml', ...segment);
      expect(ran.seen[0]!.body.toString('latin1')).toMatch(
        /Content-Type: application\/xml\r\n[\s\S]*\r\n\r\n<report\/>\r\n--/,
      );
    }
    const { seen } = await invoke(DONE, 'FILE_SEND', 'name=a', `content=${lines}`);
    expect(seen[0]!.body.toString('latin1')).toContain('\r\n\r\n<report/>\r\n');
    const file = await invoke(DONE, 'FILE_SEND', 'name=a', 'content=@report.b64;base64');
    expect(file.seen[0]!.body.toString('latin1')).toContain('\r\n\r\n<report/>\r\n');
  });

  test('content that is the whole request, as Base64 text', async () => {
    const { seen } = await invoke({ status: 204 }, 'RAW_PUT', 'content=PHJlcG9ydC8+\n');
    expect(seen[0]!.body.toString('latin1')).toBe('<report/>');
    const wrong = await invoke({ status: 204 }, 'RAW_PUT', 'content=report.pdf');
    expect([wrong.code, wrong.seen]).toEqual([2, []]);
    expect(wrong.stderr).toContain('content is not base64');
    expect(wrong.stderr).toContain('Pass content=@FILE, or the Base64 text of the content.');
  });

  test('a file that is not Base64 is named', async () => {
    const { code, stderr, seen } = await invoke(DONE, 'FILE_SEND', 'name=a', 'content=@two.csv;base64');
    expect([code, seen]).toEqual([1, []]);
    expect(stderr).toContain("two.csv can't be decoded");
  });

  test('one-way', async () => {
    expect(await invoke({ status: 202 }, 'ONE_WAY', 'name=a')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Accepted. The operation has no reply.\n',
    });
  });

  test('--node takes the place of the target, --user of the credential', async () => {
    const { url, seen } = await target(DONE);
    const args = ['invoke', 'FILE_SEND', 'name=a', '--node', 'OTHER', '--user', 'me:mine'];
    expect(await signalbox(args, { cwd, env: { OTHER_URL: url } })).toMatchObject({ code: 0, stderr: '' });
    expect(seen[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:mine').toString('base64')}`);
    await signalbox(args.slice(0, -2), {
      cwd,
      env: { OTHER_URL: url, SIGNALBOX_USER: 'me', SIGNALBOX_PASSWORD: 'mine' },
    });
    expect(seen[1]!.headers.authorization).toBeUndefined();
  });

  test('--verbose shows the heads, without secrets', async () => {
    const { stderr } = await invoke(DONE, 'FILE_SEND', 'name=a', '--verbose');
    expect(stderr).toMatch(
      /^> POST http:\/\/127[^\n]+\n> [\s\S]*> Authorization: Basic \*\*\*\n[\s\S]*< HTTP\/1.1 200 OK\n[\s\S]*\* [\d.]+ ms/,
    );
    expect(stderr).not.toContain(Buffer.from('signalbox:hush').toString('base64'));
  });
});

describe('attachments of a reply', () => {
  test('go to the file that is named, the next one beside it', async () => {
    const output = join(await temporaryFolder(), 'out.pdf');
    writeFileSync(output, 'old');
    const { stdout, stderr, code } = await invoke(WITH_CONTENT, 'FILE_SEND', 'name=a', '--output', output);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`content    application/pdf, 4 bytes, in ${output}\n`);
    expect(readFileSync(output, 'utf8')).toBe('PDF!');
    expect(readFileSync(output.replace('.pdf', '.2.pdf'), 'utf8')).toBe('a,b');
  });

  test('or to standard output, and nothing else does', async () => {
    const args = ['FILE_SEND', 'name=a', '--output', '-'];
    const { stdout, stderr } = await invokeBy(signalboxProcess, WITH_CONTENT, ...args);
    expect(stdout).toBe('PDF!');
    expect(stderr).toContain('in standard output');
  });

  test('are told of where nobody says where to', async () => {
    const { code, stdout, stderr } = await invoke(WITH_CONTENT, 'FILE_SEND', 'name=a', '--json');
    expect(JSON.parse(stdout)).toEqual({ name: 'a', content: { contentType: 'application/pdf' } });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Attachments of the reply were discarded. Pass --output FILE to keep them.\n',
    });
  });

  test('that are cut leave what was there before', async () => {
    const folder = await temporaryFolder();
    const output = join(folder, 'out.pdf');
    writeFileSync(output, 'old');
    const { url } = await listen((request, response) => {
      request.resume();
      response
        .writeHead(200, WITH_CONTENT.headers)
        .write((WITH_CONTENT.body as string).slice(0, -40), () => response.destroy());
    });
    const args = ['invoke', 'FILE_SEND', 'name=a', '--output', output];
    const ran = await signalboxProcess(args, { cwd, env: partner(url) });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^signalbox: FILE_SEND: the target closed the connection before the reply was complete\n/,
    );
    expect(readdirSync(folder)).toEqual(['out.pdf']);
    expect(readFileSync(output, 'utf8')).toBe('old');
  });

  test.each([
    'SIGINT',
    'SIGTERM',
    'SIGHUP',
  ] as const)('%s ends the call, and leaves nothing of them', async (signal) => {
    const folder = await temporaryFolder();
    const { url } = await listen((request, response) => {
      request.resume();
      response
        .writeHead(200, WITH_CONTENT.headers)
        .write((WITH_CONTENT.body as string).split('PDF!')[0]! + 'x'.repeat(300_000));
    });
    const running = start(['invoke', 'FILE_SEND', 'name=a', '--output', join(folder, 'out.pdf')], {
      cwd,
      env: partner(url),
    });
    await poll('a file that is begun', () => readdirSync(folder).length > 0 || undefined, running.output);
    expect(await running.stop(signal)).toMatchObject({ code: 1, signal: null });
    expect(running.output()).toBe('signalbox: interrupted\n');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('mistakes', () => {
  test.each([
    [2, ['FILE_SEN', 'name=a'], 'there is no operation FILE_SEN\n  Did you mean FILE_SEND?'],
    [2, ['FILE_SEND', 'nam=a'], 'the request has no field nam\n  Did you mean name?'],
    [2, ['FILE_SEND'], 'FILE_SEND: name is missing'],
    [2, ['FILE_SEND', 'name=a', 'name=b'], 'name is given twice'],
    [2, ['FILE_SEND', 'name=a', 'count=many'], 'the input is not valid: count'],
    [2, ['FILE_SEND', 'name=a', 'place={'], 'the input is not valid: '],
    [2, ['FILE_SEND', 'name=a', 'content=@none.pdf'], 'there is no file none.pdf'],
    [2, ['FILE_SEND', 'name=a', 'content=@definitions'], 'definitions is a folder'],
    [2, ['FILE_SEND', 'name=a', 'content=@big.pdf;type=pdf'], '"pdf" is not a media type'],
    [
      2,
      ['FILE_SEND', 'name=@-', 'content=@-;type=text/plain'],
      'standard input is used twice\n  It can be read only once.',
    ],
    [2, ['FILE_SEND', 'content=@-', '--input', '-'], 'standard input is used twice'],
    [2, ['FILE_SEND', 'name=a', '--uri', '1'], 'a URI index is for calls over REST'],
    [
      2,
      ['FILE_SEND', 'name=a', '--output', 'none/out.pdf'],
      'there is no folder none\n  --output names the file to write',
    ],
    [2, ['FILE_SEND', 'name=a', '--output', 'definitions'], 'definitions is a folder\n  --output takes a file'],
    [2, ['FILE_SEND', 'name=a', '--node', 'OTHE'], 'there is no node OTHE\n  Did you mean OTHER?'],
    [2, ['FILE_SEND', 'name=a', '--user', 'me'], 'the password of me is missing'],
    [2, ['ENVELOPE_SEND'], 'the content is missing'],
    [2, ['ENVELOPE_SEND', 'content=<a/>'], 'content is not a SOAP envelope'],
    [2, ['ENVELOPE_SEND', 'text=<a/>'], 'the request is xml and has no field text'],
  ])('exit code %i and what is wrong: %j', async (code, args, words) => {
    const { stderr, ...ran } = await signalbox(['invoke', ...args], { cwd, env: partner('http://127.0.0.1:9') });
    expect(stderr).toMatch(/^signalbox: /);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(ran).toEqual({ code, signal: null, stdout: '' });
  });

  test('a word that is not a value: exit code 2', async () => {
    const { code, stderr } = await signalbox(['invoke', 'FILE_SEND', 'report.pdf'], { cwd });
    expect(stderr).toBe('signalbox: "report.pdf" is not a value\n  Write NAME=VALUE or NAME=@FILE.\n');
    expect(code).toBe(2);
  });

  test('an interrupt ends the wait for standard input', async () => {
    const running = start(['invoke', 'FILE_SEND', '--input', '-'], { cwd, env: partner('http://127.0.0.1:9') });
    const { stdin } = running.process;
    // More than a pipe holds, so that what is left of it says that the reading has begun.
    await new Promise<void>((resolve) => stdin?.write(' '.repeat(1_000_000), () => resolve()));
    expect(await running.stop('SIGINT')).toMatchObject({ code: 1, signal: null });
    expect(running.output()).toBe('signalbox: interrupted\n');
  });

  test('configuration that is not set is told at once', async () => {
    const { code, stderr } = await signalbox(['invoke', 'FILE_SEND', 'name=a'], { cwd });
    expect(stderr).toContain('PARTNER_URL is not set; PARTNER_PASSWORD is not set');
    expect(code).toBe(1);
  });

  test('a fault is told with its document', async () => {
    const detail = `<t:TROUBLE xmlns:t="${NAMESPACE}"><t:message>no room\x7f</t:message><t:line>7</t:line></t:TROUBLE>`;
    const { code, stdout, stderr } = await invoke(
      reply(
        `<SOAP-ENV:Fault><faultcode>SOAP-ENV:Server</faultcode><faultstring>It went wrong</faultstring><detail>${detail}</detail></SOAP-ENV:Fault>`,
        500,
      ),
      'FILE_SEND',
      'name=a',
    );
    expect(stderr).toMatch(
      /^signalbox: FILE_SEND: It went wrong\n {2}Fault: Server\n {2}message: no room\n {2}line: 7\n {2}HTTP status 500, POST http:\/\/127.0.0.1:\d+\/partner, call [\w-]+\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test('what is no SOAP message is told with its beginning', async () => {
    const page = { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad\x1b[2J gateway</h1>' };
    const { code, stderr } = await invoke(page, 'FILE_SEND', 'name=a');
    expect(stderr).toContain('the target answered with the status 502\n  Reply: <h1>Bad [2J gateway</h1>\n');
    expect(code).toBe(1);
  });
});
