import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, InvokeError, SoapFault } from '../../src/invoke/index.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { attachment, read, SOAP_12, thrown } from '../invoke/support.ts';
import { type Partner, startNodeSoap, startPartner, startPhp } from './servers/partner.ts';
import { nodeSoap, php } from './soap-support.ts';

const TEXT = 'Grüße, 日本 & <b>fett</b> ]]> "so" 🚂\n  zwei';
const order = {
  ID: 7,
  CUSTOMER: { NAME: 'Jürgen Groß', ADDRESS: { CITY: 'Köln', COUNTRY: 'DE' } },
  PLACED: '2026-02-28',
  SHIPPED: '2026-02-28T23:59:58+01:00',
  EXPRESS: false,
  TOTAL: '1234567890.10',
  NOTE: TEXT,
  CHECKSUM: attachment(Buffer.from([0, 1, 254, 255])),
  LINES: [{ SKU: 'a"<', QUANTITY: 2, PRICE: '1.500' }, { SKU: 'b' }],
  CODES: ['x', 'ü'],
};

/** The order as both servers see it; what each makes of attributes, numbers and moments, it says itself. */
const seen = {
  CUSTOMER: { NAME: 'Jürgen Groß', ADDRESS: { CITY: 'Köln' } },
  EXPRESS: false,
  Note: TEXT,
  CHECKSUM: 'AAH+/w==',
  LINES: { line: [{ QUANTITY: 2 }, {}] },
  CODES: ['x', 'ü'],
};

/** The order as it comes back: the partner says of SHIPPED that it is nil. */
const { SHIPPED: _, CHECKSUM: __, ...back } = order;

const HEADS = {
  '1.1': (action: string): string => `text/xml; charset=utf-8\n"${action}"`,
  '1.2': (action: string): string => `application/soap+xml; charset=utf-8; action="${action}"\n`,
};
const NAMESPACES = { '1.1': 'http://schemas.xmlsoap.org/soap/envelope/', '1.2': SOAP_12 };

const versions = ['1.1', '1.2'] as const;
type Version = (typeof versions)[number];

const servers = [
  {
    name: "PHP's SoapServer",
    needs: php.needs,
    isHere: php.isHere,
    start: startPhp,
    seen: {
      ...seen,
      ID: 7,
      CUSTOMER: { NAME: 'Jürgen Groß', ADDRESS: { CITY: 'Köln', COUNTRY: 'DE' } },
      PLACED: '2026-02-28',
      SHIPPED: '2026-02-28T23:59:58+01:00',
      TOTAL: '1234567890.10',
      LINES: { line: [{ SKU: 'a"<', QUANTITY: 2, PRICE: '1.500' }, { SKU: 'b' }] },
    },
    back,
    faults: { '1.1': { httpResponseCode: 500, subcodes: [] }, '1.2': { httpResponseCode: 500, subcodes: [] } },
    unknown: {
      '1.1': { name: 'SoapFault', code: 'Server', reason: "Procedure 'UNKNOWN_SEND' not present", detailXml: '' },
      // It does not say what the prefix stands for.
      '1.2': { name: 'SoapFault', code: 'rpc:ProcedureNotPresent', reason: 'Procedure not present', detailXml: '' },
    },
  },
  {
    name: 'the server of the package soap',
    needs: nodeSoap.needs,
    isHere: nodeSoap.isHere,
    start: startNodeSoap,
    seen: {
      ...seen,
      attributes: { ID: '7' },
      CUSTOMER: { NAME: 'Jürgen Groß', ADDRESS: { attributes: { COUNTRY: 'DE' }, CITY: 'Köln' } },
      PLACED: '2026-02-28T00:00:00.000Z',
      SHIPPED: '2026-02-28T22:59:58.000Z',
      TOTAL: 1234567890.1,
      LINES: { line: [{ attributes: { SKU: 'a"<' }, QUANTITY: 2, PRICE: 1.5 }, { attributes: { SKU: 'b' } }] },
    },
    back: { ...back, TOTAL: '1234567890.1', LINES: [{ SKU: 'a"<', QUANTITY: 2, PRICE: '1.5' }, { SKU: 'b' }] },
    faults: { '1.1': { httpResponseCode: 200, subcodes: [] }, '1.2': { httpResponseCode: 500, subcodes: ['Order'] } },
    unknown: {
      // Words, which it calls text/xml.
      '1.1': { name: 'InvokeError', code: 'HTTP_STATUS', body: expect.stringContaining('Cannot read properties') },
      '1.2': { name: 'SoapFault', subcodes: ['InternalServerError'], reason: expect.stringContaining('TypeError') },
    },
  },
];

/** An envelope of the caller's own making. */
function envelope(version: Version, headerAttribute = ''): string {
  return `<?xml version="1.0"?>
<!-- mine --><e:Envelope xmlns:e="${NAMESPACES[version]}">
  <e:Header><w:Who xmlns:w="urn:who"${headerAttribute}>ich</w:Who></e:Header>
  <e:Body><o:ORDER_SEND xmlns:o="urn:test:Partner.v1" ID="9">
    <o:CUSTOMER><o:NAME><![CDATA[Ö & <Ü>]]></o:NAME></o:CUSTOMER>
  </o:ORDER_SEND></e:Body>
</e:Envelope>`;
}

/** The one child of each name, from an element on. */
function down(element: XmlElement, ...names: readonly string[]): XmlElement {
  return names.reduce((from, name) => {
    const found = childrenOf(from).find(({ local }) => local === name);
    if (found === undefined) throw new Error(`${from.local} has no ${name}`);
    return found;
  }, element);
}

for (const { name, needs, isHere, start, ...expected } of servers) {
  describe.skipIf(!isHere)(`${name} (needs ${needs})`, () => {
    let partner: Partner;
    beforeAll(async () => {
      partner = await startPartner(start);
    });
    afterAll(() => partner?.stop());

    describe.each(versions)('SOAP %s', (version) => {
      const call = async (...args: Parameters<Client['call']>): Promise<DocumentValue> => {
        const reply = await partner.clients[version].call(...args);
        await reply.finish();
        return reply.value;
      };

      it.each([
        ['as it is', 'ORDER_SEND', ''],
        ['in gzip', 'PACKED_SEND', 'gzip'],
      ])('takes a document with every type %s, and sends it back', async (_way, operation, encoding) => {
        const { HEAD, SEEN, BACK } = await call(operation, order);
        expect(HEAD).toBe(`${HEADS[version](`${operation}.v1`)}\n${encoding}`);
        expect(JSON.parse(SEEN as string)).toEqual(expected.seen);
        const { CHECKSUM, ...fields } = BACK as DocumentValue;
        expect(fields).toEqual(expected.back);
        expect(await read(CHECKSUM)).toBe('\x00\x01\xfe\xff');
      });

      it('takes a message one way', async () => {
        const TEXT = `Notiz für ${version}`;
        const { httpResponseCode, value } = await partner.clients[version].call('NOTE_SEND', { TEXT });
        expect([httpResponseCode, value]).toEqual([202, {}]);
        expect(await call('NOTE_GET', {})).toEqual({ TEXT });
      });

      it.each(['Client', 'Server'])('answers with a fault of the %s, whose detail is our document', async (CODE) => {
        const fault = await thrown(call('TROUBLE', { CODE }));
        expect(fault).toBeInstanceOf(SoapFault);
        expect(fault).toMatchObject({
          code: CODE,
          reason: 'Ärger ]]> & <mehr>',
          message: 'TROUBLE: Ärger ]]> & <mehr>',
          detail: { CODE, TEXT: 'Grüße & <mehr>', LINES: [1, 2] },
          responseStatus: 20,
          ...expected.faults[version],
        });
      });

      it('says that it does not know an operation', async () => {
        const error = await thrown(call('UNKNOWN_SEND', { ID: 1 }));
        expect(error).toBeInstanceOf(InvokeError);
        expect(error).toMatchObject({ httpResponseCode: 500, ...expected.unknown[version] });
      });

      it('refuses who shows the wrong password', async () => {
        const credential = { user: 'partner', password: 'wrong' };
        expect(await thrown(call('NOTE_GET', {}, { credential }))).toMatchObject({
          name: 'InvokeError',
          code: 'HTTP_STATUS',
          httpResponseCode: 401,
          body: 'Wer da?',
          hint: expect.stringContaining('credential:'),
        });
      });

      it("takes an envelope of the caller's own, whose reply is an envelope", async () => {
        const { content } = await call('ENVELOPE_SEND', { content: envelope(version) });
        const root = readXml(content as string);
        expect([root.local, root.namespace]).toEqual(['Envelope', NAMESPACES[version]]);
        const reply = down(root, 'Body', 'ORDER_SENDResponse');
        expect(reply.namespace).toBe('urn:test:Partner.v1');
        expect(textOf(down(reply, 'BACK', 'CUSTOMER', 'NAME'))).toBe('Ö & <Ü>');
        expect(textOf(down(reply, 'HEAD'))).toContain('"ORDER_SEND.v1"');
      });

      // The package has no look at header blocks.
      if (start === startNodeSoap) return;
      it('does not understand a header that it has to', async () => {
        const content = envelope(version, ' e:mustUnderstand="1"');
        const fault = await thrown(call('ENVELOPE_SEND', { content }));
        expect(fault).toMatchObject({ name: 'SoapFault', code: 'MustUnderstand', reason: 'Header not understood' });
      });
    });
  });
}
