import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  BOUNDARY,
  bodyOf,
  envelope,
  include,
  packed,
  part,
  partsOf,
  postParts,
  RELATED,
  root,
  type SoapReply,
  send,
  type TestPart,
  wrapped,
} from './soap-client.ts';
import { NS, soapProject } from './soap-project.ts';

const corpus = fileURLToPath(new URL('../../../shared/corpus/mtom', import.meta.url));

const CORPUS_PROJECT = {
  'definitions/echo.yaml': `service: Echo.v1
permission: EVERYTHING
operations:
  ECHO_IN: { soap: echo, request: { fields: { in0: string } }, response: json }
  ECHO_IMAGE: { soap: image, request: xml, response: json, handler: echo-in }
`,
  'src/handlers/echo-in.ts': `import { createHash } from 'node:crypto';
const seen = async (attachment) => {
  const bytes = Buffer.concat(await Array.fromAsync(attachment.stream()));
  return { contentType: attachment.contentType, length: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};
export default {
  async onRequest({ in0 }, context) {
    const found = [];
    for await (const each of context.segments()) found.push(await seen(each));
    return { in0: in0 ?? null, found };
  },
};
`,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject() });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const xml = (id = 'a'): string => envelope(wrapped('ECHO', `<S>é</S><BIN>${include(id)}</BIN>`));
const CONTENT = 'content é\r\n--\r\n=20 ';

/** The one attachment of an echo, which has to be all that there was. */
function echoed(reply: SoapReply, content = CONTENT): void {
  expect(reply.status, reply.text).toBe(200);
  const [body, attachment, ...others] = partsOf(reply);
  expect(Buffer.from(body!.body, 'latin1').toString()).toContain('<S>é</S>');
  expect(Buffer.from(attachment!.body, 'latin1').toString()).toBe(content);
  expect(others).toEqual([]);
}

const posted = (body: Buffer | string, type = RELATED, to = gateway): Promise<SoapReply> =>
  send(to, { body, headers: { 'content-type': type, accept: 'multipart/related; type="application/xop+xml"' } });

const type = (boundary: string, more = ''): string => `multipart/related; boundary=${boundary}${more}`;

/** A part by its header lines as they stand. */
const raw = (lines: string, content: string, end = '\r\n'): string =>
  `--${BOUNDARY}${end}${lines}${end}${end}${content}${end}`;

describe('odd but legal forms', () => {
  it.each<[string, Buffer | string, string]>([
    ['LF line ends', packed([root(xml()), part('a', CONTENT)], '\n'), RELATED],
    [
      'a preamble and an epilogue',
      Buffer.concat([
        Buffer.from('This is MIME.\r\n\r\n--x\r\n'),
        packed([root(xml()), part('a', CONTENT)]),
        Buffer.from('\r\nbye\r\n'),
      ]),
      RELATED,
    ],
    [
      'blanks behind the boundary',
      packed([root(xml()), part('a', CONTENT)])
        .toString()
        .replaceAll(`--${BOUNDARY}\r\n`, `--${BOUNDARY} \t \r\n`),
      RELATED,
    ],
    ['no line end behind the last boundary', packed([root(xml()), part('a', CONTENT)]).subarray(0, -2), RELATED],
    [
      'a quoted boundary with colons',
      packed([root(xml()), part('a', CONTENT)], '\r\n', 'uuid:1:2 (x)/?,=+'),
      type('"uuid:1:2 (x)/?,=+"'),
    ],
    [
      'a boundary without quotes',
      packed([root(xml()), part('a', CONTENT)], '\r\n', '----=_Part_1'),
      type('----=_Part_1', '; type=text/xml'),
    ],
    ['a boundary of one hyphen', packed([root(xml()), part('a', CONTENT)], '\r\n', '-'), type('-')],
    [
      'type text/xml',
      packed([root(xml(), { 'Content-Type': 'text/xml; charset=UTF-8' }), part('a', CONTENT)]),
      RELATED.replace('application/xop+xml', 'text/xml'),
    ],
    [
      'type in capitals',
      packed([root(xml()), part('a', CONTENT)]),
      RELATED.replace('multipart/related', 'Multipart/Related'),
    ],
    ['no type', packed([root(xml()), part('a', CONTENT)]), type(`"${BOUNDARY}"`)],
    ['start without brackets', packed([part('a', CONTENT), root(xml())]), `${RELATED}; start=root`],
    ['a root without a Content-Type', `${raw('Content-ID: <root>', xml())}${packed([part('a', CONTENT)])}`, RELATED],
    ['a root without a header', `--${BOUNDARY}\r\n\r\n${xml()}\r\n${packed([part('a', CONTENT)])}`, RELATED],
    [
      'header names in any case',
      `${raw('CONTENT-TYPE: text/xml\r\ncontent-transfer-ENCODING: 8BIT', xml())}${raw('content-id:<a>', CONTENT)}--${BOUNDARY}--`,
      RELATED,
    ],
    [
      'folded headers',
      `${raw('Content-Type: application/xop+xml;\r\n charset=UTF-8;\r\n\ttype="text/xml"', xml())}${raw('Content-ID:\r\n <a>', CONTENT)}--${BOUNDARY}--`,
      RELATED,
    ],
    [
      'folded headers with LF',
      `${raw('Content-Type: text/xml;\n charset=UTF-8', xml(), '\n')}${raw('Content-ID:\n <a>', CONTENT, '\n')}--${BOUNDARY}--`,
      RELATED,
    ],
  ])('%s', async (_, body, contentType) => {
    echoed(await posted(body, contentType));
  });

  it.each([
    ['a', 'a'],
    ['a@b', 'a@b'],
    ['a@b', 'a%40b'],
    ['a%40b', 'a@b'],
    ['a%40b', 'a%40b'],
    ['urn:uuid:1@apache.org', 'urn:uuid:1@apache.org'],
    ['urn:uuid:1@apache.org', 'urn%3Auuid%3A1%40apache.org'],
    ['http://x/y?z', 'http%3A%2F%2Fx%2Fy%3Fz'],
    ['0.é', '0.%C3%A9'],
  ])('Content-ID %s as cid:%s, with brackets and without', async (id, cid) => {
    for (const given of [`<${id}>`, id, ` < ${id} > `])
      echoed(await postParts(gateway, [root(xml(cid)), part('a', CONTENT, { 'Content-ID': given })]));
  });

  it('the scheme of a cid in capitals', async () => {
    echoed(await postParts(gateway, [root(xml().replace('cid:', 'CID:')), part('a', CONTENT)]));
  });

  it.each([
    ['base64', Buffer.from(CONTENT).toString('base64')],
    ['base64', `${Buffer.from(CONTENT).toString('base64').replace(/.{8}/g, '$&\r\n')}\r\n`],
    ['BASE64', Buffer.from(CONTENT).toString('base64').replace(/.{3}/g, '$& \n')],
    ['quoted-printable', 'content=20=C3=A9=0D=0A--=0D=0A=\r\n=3D20=20'],
    ['Quoted-Printable', 'con=\ntent =c3=a9\r\n--\r\n=3D20=20'],
    ['7bit', CONTENT],
    ['8bit', CONTENT],
    ['binary', CONTENT],
  ])('content in %s', async (encoding, content) => {
    const headers = { 'Content-Transfer-Encoding': encoding };
    echoed(await postParts(gateway, [root(xml()), part('a', content, headers)]));
  });

  it('a root in base64, and in quoted-printable', async () => {
    const base64 = root(Buffer.from(xml()).toString('base64'), { 'Content-Transfer-Encoding': 'base64' });
    const quoted = root(xml().replaceAll('=', '=3D').replaceAll('é', '=C3=A9'), {
      'Content-Transfer-Encoding': 'quoted-printable',
    });
    for (const each of [base64, quoted]) echoed(await postParts(gateway, [each, part('a', CONTENT)]));
  });

  it('a root in UTF-16', async () => {
    const bytes = Buffer.from(`\ufeff${xml()}`, 'utf16le');
    echoed(await postParts(gateway, [root(bytes, { 'Content-Type': 'text/xml; charset=UTF-16' }), part('a', CONTENT)]));
  });

  it('an attachment of no bytes, with LF line ends too', async () => {
    for (const end of ['\r\n', '\n']) echoed(await posted(packed([root(xml()), part('a', '')], end)), '');
  });

  it('a header whose namespace is that of an Include by another prefix, and white space around it', async () => {
    const odd = xml().replace(
      /<xop:Include[^>]*>/,
      '\n  <Include xmlns="http://www.w3.org/2004/08/xop/include" href=" cid:a "></Include>\n',
    );
    echoed(await postParts(gateway, [root(odd), part('a', CONTENT)]));
  });

  it('attachments in any order, before the root as well', async () => {
    const fields = ['one', 'two'].map((id) => `<item>${id}</item>`).join('');
    const both = envelope(
      wrapped(
        'ECHO',
        `<S>é</S><BIN>${include('one')}</BIN><NAMES>${fields}</NAMES><SUB><N>1</N><CONTENT>${include('two')}</CONTENT></SUB>`,
      ),
    );
    const parts: TestPart[] = [
      root(both),
      part('one', 'first'),
      part('two', 'x'.repeat(200_000)),
      part('three', 'not wanted'),
    ];
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
      [1, 3, 2, 0],
    ]) {
      const reply = await postParts(
        gateway,
        order.map((index) => parts[index]!),
        { 'content-type': `${RELATED}; start="<root>"` },
      );
      expect(
        partsOf(reply)
          .slice(1)
          .map(({ body }) => body),
      ).toEqual(['first', 'x'.repeat(200_000)]);
    }
  });
});

describe('what a part says of itself', () => {
  const seen = async (headers: Record<string, string>): Promise<string> => {
    const reply = await postParts(gateway, [root(envelope(wrapped('RAW'))), part('a', '', headers)]);
    return /<segment ([^>]*)>/.exec(partsOf(reply)[0]!.body)![1]!;
  };

  it.each<[Record<string, string>, string]>([
    [{ 'Content-Type': 'image/png' }, 'type="image/png" name=""'],
    [{ 'Content-Type': 'Image/PNG; x=1' }, 'type="Image/PNG; x=1" name=""'],
    [{ 'Content-Type': '' }, 'type="application/octet-stream" name=""'],
    [{ 'Content-Type': 'nonsense' }, 'type="application/octet-stream" name=""'],
    [{ 'Content-Type': 'text/csv; name=my file.csv' }, 'type="text/csv" name=""'],
    [{ 'Content-Type': 'text/csv; name=mine.csv' }, 'type="text/csv; name=mine.csv" name="mine.csv"'],
    [{ 'Content-Disposition': 'attachment; filename="my file.csv"; size=3' }, 'type="text/x-part" name="my file.csv"'],
    [{ 'Content-Disposition': 'attachment; filename=mine.csv' }, 'type="text/x-part" name="mine.csv"'],
    [{ 'Content-Disposition': 'attachment; filename="a;b\\\\c.csv"' }, 'type="text/x-part" name="c.csv"'],
    [
      { 'Content-Disposition': "attachment; filename=x; filename*=UTF-8''%e2%82%ac.csv" },
      'type="text/x-part" name="€.csv"',
    ],
    [{ 'Content-Disposition': "attachment; filename*=UTF-8''%ff; filename=x" }, 'type="text/x-part" name="x"'],
    [{ 'Content-Disposition': 'inline' }, 'type="text/x-part" name=""'],
  ])('%o', async (headers, told) => {
    expect(Buffer.from(await seen(headers), 'latin1').toString()).toBe(told);
  });
});

describe.skipIf(!existsSync(corpus))('messages of others (needs ../shared/corpus)', () => {
  let others: TestGateway;
  beforeAll(async () => {
    others = await startTestGateway({ files: CORPUS_PROJECT });
  });
  afterAll(() => others.stop());

  /** A file of the corpus, its request in our service's namespace. */
  const sample = (file: string, namespace: string): Buffer => {
    const text = readFileSync(`${corpus}/${file}`, 'latin1');
    expect(text).toContain(`"${namespace}"`);
    return Buffer.from(text.replace(`"${namespace}"`, `"${NS.replace('Soap', 'Echo')}"`), 'latin1');
  };
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const told = (reply: SoapReply): unknown =>
    JSON.parse(/<content>(.*)<\/content>/.exec(bodyOf({ text: partsOf(reply)[0]!.body }))![1]!);

  it('Apache CXF: an attachment in base64 that nothing includes', async () => {
    const message = sample('cxf-mimedata.bin', 'urn:Echo');
    const reply = await posted(
      message,
      'multipart/related; type="text/xml"; start="<echo.xml>"; boundary="----=_Part_4_701508.1145579811786"',
      others,
    );
    const base64 = /<xfire_logo.jpg>\r\n\r\n([^-]*)\r\n--/.exec(message.toString('latin1'))![1]!;
    const image = Buffer.from(base64, 'base64');
    expect(image.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(told(reply)).toEqual({
      in0: 'Yo Yo',
      found: [{ contentType: 'image/jpeg', length: image.length, sha256: sha256(image) }],
    });
  });

  it('Spring-WS: an image that is included', async () => {
    const message = sample('spring-ws-soap11-mtom.bin', 'http://springframework.org/spring-ws/mtom');
    const id = '0.urn:uuid:492264AB42E57108E01176731445508@apache.org';
    const reply = await posted(
      message,
      `multipart/related; boundary=MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507; type="application/xop+xml"; start="<${id}>"; start-info="text/xml"`,
      others,
    );
    const image = message.subarray(message.indexOf('\x89PNG', 0, 'latin1'), message.lastIndexOf('\r\n--MIMEBoundary'));
    expect(told(reply)).toEqual({
      in0: null,
      found: [{ contentType: 'image/png', length: image.length, sha256: sha256(image) }],
    });
  });
});
