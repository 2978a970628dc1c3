import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFiles, tellsOpenFiles } from '../store/content.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import {
  bodyOf,
  callSoap,
  envelope,
  faultOf,
  HTTP,
  include,
  packed,
  part,
  partsOf,
  post,
  postParts,
  RELATED,
  root,
  type SoapReply,
  send,
  TYPES,
  wrapped,
} from './soap-client.ts';
import { LIMITS, NS, soapProject } from './soap-project.ts';

const rest = (gateway: TestGateway, path: string, body?: string): Promise<Reply> =>
  gateway.call(`/gateway/RESTListeningConnector/Soap.v1/${path}`, {
    headers: { accept: 'application/xml', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });

describe('an operation over REST and SOAP', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: soapProject() });
  });
  afterAll(() => gateway.stop());

  it('is answered by one handler', async () => {
    const over = await rest(gateway, 'echo', '{"S":"a","I":7,"BIN":"eA=="}');
    expect(over.text).toBe(`<ALL xmlns="${NS}"><S>a</S><I>7</I><BIN>eA==</BIN></ALL>`);
    const soap = await callSoap(gateway, 'ECHO', '<BIN>eA==</BIN><I>7</I><S>a</S>');
    expect(bodyOf(soap)).toBe(over.text.replaceAll('ALL', 'ECHOResponse'));
    const ids = gateway.log().filter((line) => line.operation === 'ECHO');
    expect(ids).toHaveLength(2);
  });

  it.each([
    ['<ID>1</ID>', 1, '{"ID":1}'],
    ['<REGION>N</REGION><ID>1</ID>', 2, '{"ID":1,"REGION":"N"}'],
    ['<NAME>x</NAME>', 3, '{"NAME":"x"}'],
    ['<REGION>N</REGION>', 0, '{"REGION":"N"}'],
    ['', 0, '{}'],
  ])('with %s is told URI index %i', async (fields, index, given) => {
    const reply = await callSoap(gateway, 'FACTS', fields);
    expect(bodyOf(reply)).toBe(
      `<FACTSResponse xmlns="${NS}"><INDEX>${index}</INDEX><USER>demo</USER><OPERATION>FACTS</OPERATION><GIVEN>${given}</GIVEN></FACTSResponse>`,
    );
  });

  it('may be a stored query', async () => {
    const reply = await callSoap(gateway, 'ROWS', '<N>2</N>', '1.2');
    const row = (n: number): string => `<row><N>${n}</N><NAME>row &lt;${n}&gt; &amp; more</NAME></row>`;
    expect(bodyOf(reply, '1.2')).toBe(`<ROWSResponse xmlns="${NS}"><rows>${row(1)}${row(2)}</rows></ROWSResponse>`);
    expect((await rest(gateway, 'rows/2')).text).toContain(`${row(1)}${row(2)}`);
    expect(bodyOf(await callSoap(gateway, 'LISTED', '<N>1</N>'))).toContain('<LIST><item><N>1</N></item></LIST>');
    expect(faultOf(await callSoap(gateway, 'ROWS', '<N>x</N>')).reason).toBe('N is not an integer.');
    expect(faultOf(await callSoap(gateway, 'ROWS')).reason).toBe('N is missing.');
  });

  it('and a result of more than a mebibyte is sent with its length, in MTOM too', async () => {
    for (const accept of ['text/xml', 'multipart/related; type="application/xop+xml"']) {
      const xml = envelope(wrapped('ROWS', '<N>40000</N>'));
      const reply = await post(gateway, xml, '1.1', { accept });
      const text = accept === 'text/xml' ? reply.text : partsOf(reply)[0]!.body;
      expect(text.length).toBeGreaterThan(1024 * 1024);
      expect(Number(reply.headers['content-length'])).toBe(reply.bytes.length);
      expect(text.match(/<row>/g)).toHaveLength(40_000);
      expect(text).toMatch(/<NAME>row &lt;40000&gt; &amp; more<\/NAME><\/row><\/rows><\/ROWSResponse><\/soap:Body>/);
      expect(reply.headers['rows-truncated']).toBeUndefined();
    }
  });

  it('that was cut says so', async () => {
    const cut = await callSoap(gateway, 'ROWS', '<N>60000</N>');
    expect([cut.status, cut.headers['rows-truncated']]).toEqual([200, 'true']);
    expect((await callSoap(gateway, 'LISTED', '<N>60000</N>')).headers['rows-truncated']).toBe('true');
    expect((await callSoap(gateway, 'ROWS', '<N>3</N><maxrows>2</maxrows>')).text.match(/<row>/g)).toHaveLength(2);
  });
});

describe('where the connectors take no MTOM', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const off = ['PeopleSoftService', 'Http'].map((each) => `  ig.MTOM.enable${each}ListeningConnector: false`);
    gateway = await startTestGateway({ files: soapProject(['properties:', ...off].join('\n')) });
  });
  afterAll(() => gateway.stop());

  it.each(['PeopleSoftServiceListeningConnector', 'HttpListeningConnector'])('%s refuses it with 415', async (name) => {
    const body = packed([root(envelope(wrapped('ECHO', `<BIN>${include('a')}</BIN>`))), part('a', 'x')]);
    const headers = { 'content-type': RELATED, SOAPAction: '""' };
    const reply = await send(gateway, { path: `/gateway/${name}`, body, headers });
    expect(faultOf(reply)).toMatchObject({ status: 415, code: 'Client', reason: expect.stringContaining('MTOM') });
  });

  it.each(['PeopleSoftServiceListeningConnector', 'HttpListeningConnector'])('%s never sends it', async (name) => {
    const body = envelope(wrapped('ECHO', '<BIN>eA==</BIN>'));
    const headers = { 'content-type': TYPES['1.1'], accept: 'multipart/related; type="application/xop+xml"' };
    const reply = await send(gateway, { path: `/gateway/${name}`, body, headers });
    expect(bodyOf(reply)).toContain('<BIN>eA==</BIN>');
  });
});

describe('the time that an operation has', () => {
  const TIMEOUT = 400;
  let gateway: TestGateway;
  beforeAll(async () => {
    const limits = `limits: { body: 64 KiB, attachment: 1 GiB, timeout: ${TIMEOUT} ms }`;
    gateway = await startTestGateway({ files: soapProject(limits) });
  });
  afterAll(() => gateway.stop());

  /** A package whose attachment keeps coming, a piece a turn of the event loop, for twice as long as there is time. */
  async function* longUpload(xml: string): AsyncGenerator<Uint8Array> {
    const [head, tail] = packed([root(xml), part('a', '#')])
      .toString()
      .split('#');
    yield Buffer.from(head!);
    const piece = Buffer.alloc(512, 'x');
    for (const end = performance.now() + 2 * TIMEOUT; performance.now() < end; ) {
      await new Promise((resolve) => setImmediate(resolve));
      yield piece;
    }
    yield Buffer.from(tail!);
  }

  const upload = (operation: string, fields: string): Promise<SoapReply> =>
    send(gateway, { body: longUpload(envelope(wrapped(operation, fields))), headers: { 'content-type': RELATED } });

  // The process may stand still for as long, on a busy machine.
  it('does not run while an upload keeps moving', { retry: 3 }, async () => {
    const reply = await upload('PUT', `<NAME>long</NAME><CONTENT>${include('a')}</CONTENT>`);
    expect(reply.status, reply.text).toBe(200);
  });

  it('but where nothing moves any more', { retry: 3 }, async () => {
    const before = gateway.log().length;
    const { status, code, reason } = faultOf(await upload('HANGS', `<BIN>${include('a')}</BIN>`));
    expect([status, code, reason]).toEqual([500, 'Server', `HANGS took longer than ${TIMEOUT} ms and was stopped.`]);
    expect(gateway.log().slice(before)).toContainEqual(expect.objectContaining({ msg: 'hanging' }));
    expect(faultOf(await callSoap(gateway, 'HANGS', '', '1.2'), '1.2').code).toBe('Receiver');
  });
});

describe('a caller that goes away', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: soapProject() });
  });
  afterAll(() => gateway.stop());

  it('ends what works for it, and what was kept for it', async () => {
    const gone = new AbortController();
    const xml = envelope(wrapped('HANGS', `<BIN>${include('b')}</BIN>`));
    const body = packed([part('a', Buffer.alloc(LIMITS.attachment)), root(xml), part('b', 'x')]);
    const request = fetch(`http://127.0.0.1:${gateway.port}${HTTP}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': `${RELATED}; start="<root>"`, authorization: `Basic ${btoa('demo:demo')}` },
      signal: gone.signal,
    }).catch((error: unknown) => error);
    const find = (facts: object) => (): object | undefined =>
      gateway.log().find((line) => Object.entries(facts).every(([key, value]) => line[key] === value));
    await eventually('the handler', find({ msg: 'hanging' }));
    gone.abort();
    expect(await request).toBeInstanceOf(Error);
    await eventually('the line of the log', find({ operation: 'HANGS', fault: 'ABANDONED' }));
    expect((await postParts(gateway, [root(envelope(wrapped('ECHO', '<S>a</S>')))])).status).toBe(200);
    expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  });
});

it.skipIf(!tellsOpenFiles)('what was kept of a message goes where that is refused', async () => {
  const large = await startTestGateway({ files: soapProject('limits: { attachment: 1 MiB }') });
  try {
    const parts = [
      part('a', Buffer.alloc(600_000)),
      root(envelope(wrapped('ECHO', `<BIN>${include('a')}</BIN><NONE/>`))),
    ];
    const reply = await postParts(large, parts, { 'content-type': `${RELATED}; start="<root>"` });
    expect(faultOf(reply)).toMatchObject({ code: 'Client' });
    await eventually(
      'its file to be closed',
      () => openFiles(join(large.folder, 'test.db-spool')).length === 0 || undefined,
    );
  } finally {
    await large.stop();
  }
});
