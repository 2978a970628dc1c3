import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMediaType } from '../../../src/wire/media-type.ts';
import { readFault, type SoapFaultContent, type SoapFaultReport, writeFault } from '../../../src/wire/soap/fault.ts';
import {
  checkUnderstood,
  readEnvelope,
  SoapError,
  type SoapMessage,
  soapAction,
} from '../../../src/wire/soap/message.ts';
import { envelope, SOAP_CONTENT_TYPES, SOAP_NAMESPACES, type SoapVersion } from '../../../src/wire/soap/version.ts';
import { readXml } from '../../../src/wire/xml/read-xml.ts';
import { attributeOf, childrenOf } from '../../../src/wire/xml/tree.ts';
import { writeXml } from '../../../src/wire/xml/write-xml.ts';

const VERSIONS: readonly SoapVersion[] = ['1.1', '1.2'];

const read = (xml: string): SoapMessage => readEnvelope(readXml(xml));

/** An Envelope whose prefix is `s`. */
const enveloped = (version: SoapVersion, content: string): string =>
  `<s:Envelope xmlns:s="${SOAP_NAMESPACES[version]}">${content}</s:Envelope>`;

const withHeader = (version: SoapVersion, blocks: string): SoapMessage =>
  read(enveloped(version, `<s:Header>${blocks}</s:Header><s:Body/>`));

function errorOf(work: () => unknown): SoapError {
  try {
    work();
  } catch (error) {
    if (error instanceof SoapError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe.each(VERSIONS)('an envelope of SOAP %s', (version) => {
  it('has header blocks and a payload', () => {
    const message = read(
      enveloped(version, '\n<s:Header>\n<h xmlns="urn:h"/><i/>\n</s:Header>\n<s:Body>\n<p>x</p>\n</s:Body>\n'),
    );
    expect(message.version).toBe(version);
    expect(message.headers.map(({ namespace, local }) => [namespace, local])).toEqual([
      ['urn:h', 'h'],
      ['', 'i'],
    ]);
    expect(message.payload?.content).toEqual(['x']);
  });

  it.each([
    ['an empty Body', '<s:Body/>', 0],
    ['a Body of white space', '<s:Body> \r\n\t</s:Body>', 0],
    ['an empty Header', '<s:Header/><s:Body/>', 0],
    ['an encodingStyle', '<s:Body s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>', 0],
  ])('may have %s', (_, content, headers) => {
    const message = read(enveloped(version, content));
    expect([message.payload, message.headers.length]).toEqual([undefined, headers]);
  });

  it('needs no prefix', () => {
    const { payload } = read(
      `<Envelope xmlns="${SOAP_NAMESPACES[version]}"><Body><p xmlns="urn:p"/></Body></Envelope>`,
    );
    expect([payload?.local, payload?.namespace]).toEqual(['p', 'urn:p']);
  });

  it.each([
    ['', 'the Envelope has no Body'],
    ['<s:Header/>', 'the Envelope has no Body'],
    ['<Body/>', 'the Envelope has Body where its Body belongs'],
    ['<s:body/>', 'the Envelope has {NS}body where its Body belongs'],
    ['<s:Header/><s:Header/><s:Body/>', 'the Envelope has {NS}Header where its Body belongs'],
    ['<s:Body/><s:Header/>', '{NS}Header stands behind the Body'],
    ['<s:Body/><s:Body/>', '{NS}Body stands behind the Body'],
    ['<s:Body/><x xmlns="urn:x"/>', '{urn:x}x stands behind the Body'],
    ['<x/><s:Body/>', 'the Envelope has x where its Body belongs'],
    ['<s:Body><a/><b/></s:Body>', 'the Body holds more than one element: b is the second'],
    ['<s:Body>x</s:Body>', 'there is text right inside the Body'],
    ['<s:Body><a/>&#160;</s:Body>', 'there is text right inside the Body'],
    ['x<s:Body/>', 'there is text right inside the Envelope'],
    ['<s:Header>x</s:Header><s:Body/>', 'there is text right inside the Header'],
  ])('%s: %s', (content, reason) => {
    const error = errorOf(() => read(enveloped(version, content)));
    expect(error).toMatchObject({
      version,
      code: 'Client',
      reason: reason.replace('NS', SOAP_NAMESPACES[version]),
      notUnderstood: [],
    });
  });

  it('is what stands around the payload', () => {
    const { start, end } = envelope(version);
    const { version: found, payload } = read(`${start}<p/>${end}`);
    expect([found, payload?.local]).toEqual([version, 'p']);
  });
});

describe('the versions', () => {
  it.each([
    ['<Envelope/>', 'the Envelope is of neither SOAP 1.1 nor 1.2, but Envelope'],
    ['<Envelope xmlns="urn:soap"/>', 'the Envelope is of neither SOAP 1.1 nor 1.2, but {urn:soap}Envelope'],
    [
      '<Envelope xmlns="http://www.w3.org/2003/05/soap-envelope/"/>',
      'the Envelope is of neither SOAP 1.1 nor 1.2, but {http://www.w3.org/2003/05/soap-envelope/}Envelope',
    ],
  ])('%s is a mismatch, which is told in 1.1', (xml, reason) => {
    expect(errorOf(() => read(xml))).toMatchObject({ version: '1.1', code: 'VersionMismatch', reason });
  });

  it('need an Envelope', () => {
    expect(errorOf(() => read('<data/>'))).toMatchObject({
      version: '1.1',
      code: 'Client',
      reason: 'the root is data, and no Envelope',
    });
    const fault = `<Fault xmlns="${SOAP_NAMESPACES['1.2']}"/>`;
    expect(errorOf(() => read(fault))).toMatchObject({ version: '1.2', code: 'Client' });
  });

  it('are not mixed', () => {
    const xml = `<a:Envelope xmlns:a="${SOAP_NAMESPACES['1.1']}" xmlns:b="${SOAP_NAMESPACES['1.2']}"><b:Body/></a:Envelope>`;
    expect(errorOf(() => read(xml)).reason).toBe(
      `the Envelope has {${SOAP_NAMESPACES['1.2']}}Body where its Body belongs`,
    );
  });

  it('have content types', () => {
    expect(VERSIONS.map((version) => parseMediaType(SOAP_CONTENT_TYPES[version])?.essence)).toEqual([
      'text/xml',
      'application/soap+xml',
    ]);
  });

  it('do not quote long names', () => {
    expect(errorOf(() => read(`<${'x'.repeat(900)}/>`)).reason.length).toBeLessThan(300);
  });
});

describe('checkUnderstood', () => {
  const NEXT_11 = 'http://schemas.xmlsoap.org/soap/actor/next';
  const NEXT_12 = 'http://www.w3.org/2003/05/soap-envelope/role/next';
  const LAST_12 = 'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver';
  const NONE_12 = 'http://www.w3.org/2003/05/soap-envelope/role/none';

  it.each<[SoapVersion, string, 'fine' | 'MustUnderstand' | 'Client']>([
    ['1.1', '', 'fine'],
    ['1.1', 's:mustUnderstand="0"', 'fine'],
    ['1.1', 's:mustUnderstand="1"', 'MustUnderstand'],
    ['1.1', 's:mustUnderstand=" 1 "', 'MustUnderstand'],
    ['1.1', 'mustUnderstand="1"', 'fine'],
    ['1.1', 's:mustUnderstand="true"', 'Client'],
    ['1.1', 's:mustUnderstand=""', 'Client'],
    ['1.1', 's:mustUnderstand="1" s:actor=""', 'MustUnderstand'],
    ['1.1', `s:mustUnderstand="1" s:actor="${NEXT_11}"`, 'MustUnderstand'],
    ['1.1', 's:mustUnderstand="1" s:actor="urn:somebody"', 'fine'],
    ['1.1', `s:mustUnderstand="1" s:actor="${NEXT_12}"`, 'fine'],
    ['1.1', 's:mustUnderstand="1" s:role="urn:somebody"', 'MustUnderstand'],
    ['1.2', '', 'fine'],
    ['1.2', 's:mustUnderstand="0"', 'fine'],
    ['1.2', 's:mustUnderstand="false"', 'fine'],
    ['1.2', 's:mustUnderstand="1"', 'MustUnderstand'],
    ['1.2', 's:mustUnderstand="true"', 'MustUnderstand'],
    ['1.2', 's:mustUnderstand="TRUE"', 'Client'],
    ['1.2', 's:mustUnderstand="2"', 'Client'],
    ['1.2', `s:mustUnderstand="1" s:role="${NEXT_12}"`, 'MustUnderstand'],
    ['1.2', `s:mustUnderstand="1" s:role="${LAST_12}"`, 'MustUnderstand'],
    ['1.2', `s:mustUnderstand="1" s:role="${NONE_12}"`, 'fine'],
    ['1.2', 's:mustUnderstand="1" s:role="urn:somebody"', 'fine'],
    ['1.2', 's:mustUnderstand="1" s:actor="urn:somebody"', 'MustUnderstand'],
  ])('%s, %s: %s', (version, attributes, outcome) => {
    const message = withHeader(version, `<h:security xmlns:h="urn:h" ${attributes}/>`);
    if (outcome === 'fine') return checkUnderstood(message, () => false);
    const error = errorOf(() => checkUnderstood(message, () => false));
    expect(error).toMatchObject({ version, code: outcome });
    expect(error.reason).toContain('{urn:h}security');
    expect(error.notUnderstood).toEqual(
      outcome === 'MustUnderstand' ? [{ local: 'security', namespace: 'urn:h' }] : [],
    );
  });

  it('asks, and names all that are left', () => {
    const blocks = ['a', 'b', 'c'].map((local) => `<${local} xmlns="urn:${local}" s:mustUnderstand="1"/>`).join('');
    const message = withHeader('1.2', `${blocks}<d/>`);
    checkUnderstood(message, () => true);
    const error = errorOf(() => checkUnderstood(message, ({ namespace }) => namespace === 'urn:b'));
    expect(error.notUnderstood.map(({ local }) => local)).toEqual(['a', 'c']);
    expect(error.reason).toBe('header blocks are not understood: {urn:a}a, {urn:c}c');
  });
});

describe('soapAction', () => {
  it.each<[SoapVersion, string | undefined, string, string | undefined]>([
    ['1.1', '"urn:x#GET"', 'text/xml', 'urn:x#GET'],
    ['1.1', 'GET.v1', 'text/xml', 'GET.v1'],
    ['1.1', ' "GET.v1" ', 'text/xml', 'GET.v1'],
    ['1.1', '""', 'text/xml', undefined],
    ['1.1', '', 'text/xml', undefined],
    ['1.1', '"', 'text/xml', '"'],
    ['1.1', undefined, 'text/xml; action="other"', undefined],
    ['1.2', undefined, 'application/soap+xml; charset=utf-8; action="GET.v1"', 'GET.v1'],
    ['1.2', '"other"', 'application/soap+xml; action=GET.v1', 'GET.v1'],
    ['1.2', undefined, 'application/soap+xml; action=""', undefined],
    ['1.2', undefined, 'application/soap+xml', undefined],
    ['1.2', '"GET.v1"', 'application/soap+xml', 'GET.v1'],
    ['1.2', undefined, 'multipart/related; boundary=b; action="GET.v1"; start-info="application/soap+xml"', 'GET.v1'],
    [
      '1.2',
      undefined,
      'multipart/related; type="application/xop+xml"; start-info="application/soap+xml; action=\\"GET.v1\\""',
      'GET.v1',
    ],
    ['1.2', undefined, 'application/xop+xml; charset=utf-8; type="application/soap+xml;action=\\"GET.v1\\""', 'GET.v1'],
    ['1.2', undefined, 'multipart/related; start-info="no type"', undefined],
  ])('%s, SOAPAction: %s, Content-Type: %s', (version, header, contentType, action) => {
    expect(soapAction(version, header, parseMediaType(contentType))).toBe(action);
  });

  it('needs no content type', () => {
    expect(soapAction('1.2', undefined, undefined)).toBeUndefined();
    expect(soapAction('1.1', '"a"', undefined)).toBe('a');
  });
});

describe('writeFault', () => {
  it('writes 1.1', () => {
    expect(writeFault('1.1', { code: 'Client', reason: 'no <ID> & no \u0001', detail: '<d/>' })).toBe(
      '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>' +
        '<faultcode>soap:Client</faultcode><faultstring>no &lt;ID&gt; &amp; no \ufffd</faultstring><detail><d/></detail>' +
        '</soap:Fault></soap:Body></soap:Envelope>',
    );
  });

  it('writes 1.2', () => {
    expect(writeFault('1.2', { code: 'Server', reason: 'broken', detail: '<d/>' })).toBe(
      '<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><env:Fault>' +
        '<env:Code><env:Value>env:Receiver</env:Value></env:Code>' +
        '<env:Reason><env:Text xml:lang="en">broken</env:Text></env:Reason><env:Detail><d/></env:Detail>' +
        '</env:Fault></env:Body></env:Envelope>',
    );
  });

  it('names the header blocks that are not understood, in 1.2', () => {
    const fault: SoapFaultContent = {
      code: 'MustUnderstand',
      reason: 'no',
      notUnderstood: [
        { local: 'a', namespace: 'urn:<a>' },
        { local: 'b', namespace: '' },
      ],
    };
    const { headers } = read(writeFault('1.2', fault));
    const named = headers.map((each) => {
      expect([each.local, each.namespace]).toEqual(['NotUnderstood', SOAP_NAMESPACES['1.2']]);
      const [prefix, local] = (attributeOf(each, 'qname') ?? '').split(':');
      return local === undefined ? [prefix, ''] : [local, each.namespaceOf(prefix ?? '')];
    });
    expect(named).toEqual([
      ['a', 'urn:<a>'],
      ['b', ''],
    ]);
    expect(read(writeFault('1.1', fault)).headers).toEqual([]);
  });

  it.each(VERSIONS)('names the envelopes that are read, in %s', (version) => {
    const message = read(writeFault(version, { code: 'VersionMismatch', reason: 'no' }));
    expect(message.version).toBe(version);
    const [upgrade] = message.headers;
    expect([upgrade?.local, upgrade?.namespace]).toEqual(['Upgrade', SOAP_NAMESPACES['1.2']]);
    const supported = childrenOf(upgrade!).map((each) => [attributeOf(each, 'qname'), each.namespaceOf('q')]);
    expect(supported).toEqual([
      ['q:Envelope', SOAP_NAMESPACES['1.2']],
      ['q:Envelope', SOAP_NAMESPACES['1.1']],
    ]);
  });

  it('is read again as what was written', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', '\u{1d11e}', '<', '&', ']]>', '\r', '\n', ' ', '"'),
      maxLength: 10,
    });
    const fault = fc.record<SoapFaultContent>(
      {
        code: fc.constantFrom('Client', 'Server', 'MustUnderstand', 'VersionMismatch'),
        reason: text,
        detail: fc.constantFrom('', '<d/>', '<p:d xmlns:p="urn:d" x="1">y</p:d><e/>'),
      },
      { requiredKeys: ['code', 'reason'] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...VERSIONS), fault, (version, given) => {
        const report = readFault(read(writeFault(version, given)));
        const { detail = [], ...rest } = report ?? {};
        expect(rest).toEqual({ code: given.code, subcodes: [], reason: given.reason });
        expect(detail.map((each) => writeXml(each)).join('')).toBe(given.detail ?? '');
      }),
      { numRuns: 300 },
    );
  });
});

describe('readFault', () => {
  const report = (version: SoapVersion, content: string): SoapFaultReport | undefined =>
    readFault(read(enveloped(version, `<s:Body><s:Fault>${content}</s:Fault></s:Body>`)));

  it('is for faults only', () => {
    expect(readFault(read(enveloped('1.1', '<s:Body/>')))).toBeUndefined();
    expect(readFault(read(enveloped('1.1', '<s:Body><Fault/></s:Body>')))).toBeUndefined();
    const other = `<s:Body><Fault xmlns="${SOAP_NAMESPACES['1.2']}"/></s:Body>`;
    expect(readFault(read(enveloped('1.1', other)))).toBeUndefined();
  });

  it('reads all of 1.1', () => {
    const found = report(
      '1.1',
      '<faultcode>s:Server</faultcode><faultstring xml:lang="en"> it broke </faultstring>' +
        '<faultactor> urn:me </faultactor><detail>\n<a/>\n<b/></detail>',
    );
    expect(found).toMatchObject({
      code: 'Server',
      subcodes: [],
      reason: ' it broke ',
    });
    expect(found?.detail.map(({ local }) => local)).toEqual(['a', 'b']);
  });

  it('reads all of 1.2', () => {
    const found = report(
      '1.2',
      '<s:Code><s:Value> s:Sender </s:Value><s:Subcode><s:Value xmlns:m="urn:m">m:Late</s:Value>' +
        '<s:Subcode><s:Value xmlns="urn:n">VeryLate</s:Value></s:Subcode></s:Subcode></s:Code>' +
        '<s:Reason><s:Text xml:lang="de">zu spät</s:Text><s:Text xml:lang="en-GB">too late</s:Text></s:Reason>' +
        '<s:Node>urn:me</s:Node><s:Role>urn:role</s:Role><s:Detail><a/></s:Detail>',
    );
    expect(found).toMatchObject({
      code: 'Client',
      subcodes: ['{urn:m}Late', '{urn:n}VeryLate'],
      reason: 'too late',
    });
    expect(found?.detail.map(({ local }) => local)).toEqual(['a']);
  });

  it('takes the first reason where none is in English', () => {
    expect(report('1.2', '<s:Reason><s:Text xml:lang="de">zu spät</s:Text></s:Reason>')?.reason).toBe('zu spät');
  });

  it.each(VERSIONS)('reads a fault of %s that says nothing', (version) => {
    expect(report(version, '')).toEqual({ code: '', subcodes: [], reason: '', detail: [] });
  });

  it.each<[SoapVersion, string, string, readonly string[]]>([
    ['1.1', 's:Client', 'Client', []],
    ['1.1', 's:Client.Authentication.Expired', 'Client', ['Authentication', 'Expired']],
    ['1.1', 'Server', 'Server', []],
    ['1.1', 'SOAP-ENV:MustUnderstand', 'MustUnderstand', []],
    ['1.1', 's:Other', `{${SOAP_NAMESPACES['1.1']}}Other`, []],
    ['1.1', 's:Sender', `{${SOAP_NAMESPACES['1.1']}}Sender`, []],
    ['1.1', 'm:Client', '{urn:m}Client', []],
    ['1.1', 'm:Late.Very', '{urn:m}Late.Very', []],
    ['1.1', 'unbound:Late', 'unbound:Late', []],
    ['1.1', 'Late', 'Late', []],
    ['1.1', ' ', '', []],
    ['1.2', 's:Receiver', 'Server', []],
    ['1.2', 's:DataEncodingUnknown', 'DataEncodingUnknown', []],
    ['1.2', 's:Client', `{${SOAP_NAMESPACES['1.2']}}Client`, []],
    ['1.2', 'm:Sender', '{urn:m}Sender', []],
  ])('%s: %s is %s', (version, text, code, subcodes) => {
    const element =
      version === '1.1' ? `<faultcode>${text}</faultcode>` : `<s:Code><s:Value>${text}</s:Value></s:Code>`;
    const found = readFault(read(enveloped(version, `<s:Body><s:Fault xmlns:m="urn:m">${element}</s:Fault></s:Body>`)));
    expect([found?.code, found?.subcodes]).toEqual([code, subcodes]);
  });
});
