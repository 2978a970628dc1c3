import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pieces } from '../../src/binding/pieces.ts';
import { compileSoap, type SoapBinding } from '../../src/binding/soap/soap.ts';
import { isAttachment, MemoryAttachment } from '../../src/codec/binary.ts';
import { compileDocument } from '../../src/codec/index.ts';
import { Fault } from '../../src/model/fault.ts';
import type { SoapForm } from '../../src/model/service.ts';
import type { Value } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import type { XmlElement } from '../../src/wire/xml/tree.ts';
import { xmlCases } from '../codec/arbitraries.ts';
import { messageOf } from '../codec/support.ts';
import { document, FAILURE, field, registry } from '../support/registry.ts';

const NS = 'urn:test:Orders.v1';

/** The binding of an operation ORDER with these messages. */
function bindingOf(options: NonNullable<Parameters<typeof registry>[0][string]>['operations'][string]): SoapBinding {
  const { operations } = registry({ 'Orders.v1': { operations: { ORDER: { ...options, soap: true } } } });
  const operation = operations.get('ORDER')!;
  return compileSoap({ ...operation, soap: operation.soap as SoapForm }, 'urn:test');
}

/** The element that pieces are, with base64 where attachments stand. */
function elementOf(pieces: Pieces): XmlElement {
  const text = (piece: Pieces[number]): string =>
    typeof piece === 'string' ? piece : Buffer.from((piece as MemoryAttachment).bytes).toString('base64');
  return readXml(pieces.map(text).join(''));
}

/** The words of a fault that is thrown. */
function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a document', () => {
  it('is read as it was written, request and reply', () => {
    fc.assert(
      fc.property(xmlCases, ({ of, value }) => {
        const codec = compileDocument(of, { namespace: NS });
        const expected = codec.fromXml(readXml(codec.toXml(value)));
        const binding = bindingOf({ request: of, response: of });
        expect(binding.readRequest(elementOf(binding.writeRequest(value)))).toEqual(expected);
        expect(binding.readReply(elementOf(binding.writeReply(value)))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('stands in an element that the operation names, in the namespace of its service', () => {
    const of = document('D', [field('A')], { namespace: 'urn:own' });
    const binding = bindingOf({ request: of, response: of });
    const name = ({ local, namespace }: XmlElement): string => `{${namespace}}${local}`;
    expect(name(elementOf(binding.writeRequest({ A: 'a' })))).toBe(`{${NS}}ORDER`);
    expect(name(elementOf(binding.writeReply({ A: 'a' })))).toBe(`{${NS}}ORDERResponse`);
    expect(elementOf(binding.writeRequest({ A: 'a' })).content[0]).toMatchObject({ local: 'A', namespace: 'urn:own' });
    expect(binding.namespace).toBe(NS);
  });

  it('that does not fit is the fault of whoever wrote it', () => {
    const of = document('D', [field('A', 'integer', { required: true })]);
    const binding = bindingOf({ request: of, response: of });
    expect(faultOf(() => binding.readRequest(readXml(`<ORDER xmlns="${NS}"/>`)))).toBe('BAD_PARAMETER: A is missing.');
    expect(faultOf(() => binding.readRequest(readXml(`<ORDER xmlns="${NS}">x</ORDER>`)))).toMatch(/^BAD_BODY: /);
    expect(messageOf(() => binding.readReply(readXml(`<ORDERResponse xmlns="${NS}"/>`)))).toBe('A is missing');
    expect(messageOf(() => binding.writeReply({ A: 'x' }))).toMatch(/^A is /);
  });
});

describe('a message without a document', () => {
  const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'));
  const text = fc.string({ unit: 'grapheme' }).map((each) => each.replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/g, ''));

  it('of text is read as it was written', () => {
    const binding = bindingOf({ request: 'text', response: 'text' });
    const reread = (content: Value): Value => binding.readReply(elementOf(binding.writeReply({ content }))).content;
    fc.assert(
      fc.property(text, (content) => {
        expect(reread(content)).toBe(content);
      }),
      { numRuns: 200 },
    );
    expect(binding.writeReply({ content: 'a < b' }).join('')).toBe(
      `<ORDERResponse xmlns="${NS}"><content>a &lt; b</content></ORDERResponse>`,
    );
  });

  it('of JSON is read as it was written', () => {
    const binding = bindingOf({ request: 'json', response: 'json' });
    fc.assert(
      fc.property(json, (content) => {
        const read = binding.readRequest(elementOf(binding.writeRequest({ content })));
        expect(JSON.parse(JSON.stringify(read.content, plain))).toEqual(JSON.parse(JSON.stringify(content)));
      }),
      { numRuns: 200 },
    );
  });

  it('of XML keeps what stands in it', () => {
    const binding = bindingOf({ request: 'xml', response: 'xml' });
    const content = '<a xmlns="urn:a"><b c="1">x &amp; y</b></a><d/>';
    const [start, written, end] = binding.writeRequest({ content });
    expect([start, written, end]).toEqual([`<m:ORDER xmlns:m="${NS}">`, content, '</m:ORDER>']);
    expect(binding.readRequest(elementOf([start!, written!, end!]))).toEqual({ content });
    expect(binding.writeReply({ content: '<?xml version="1.0"?>\n<a/>' })[1]).toBe('\n<a/>');
  });

  it('of bytes is an attachment', () => {
    const binding = bindingOf({ request: 'binary', response: 'binary' });
    const content = new MemoryAttachment(Buffer.from('bytes'));
    const pieces = binding.writeRequest({ content });
    expect(pieces[1]).toBe(content);
    expect((binding.readRequest(elementOf(pieces)).content as MemoryAttachment).bytes).toEqual(content.bytes);
    const found = new MemoryAttachment(Buffer.from('part'));
    const included = readXml(
      `<ORDER xmlns="${NS}"><content>` +
        '<i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:a"/></content></ORDER>',
    );
    expect(binding.readRequest(included, () => found).content).toBe(found);
    expect(faultOf(() => binding.readRequest(included))).toContain('and the message has none');
  });

  it('of nothing holds nothing', () => {
    const binding = bindingOf({});
    expect(binding.writeRequest({})).toEqual([`<m:ORDER xmlns:m="${NS}"></m:ORDER>`]);
    expect(binding.readRequest(readXml('<a> \n</a>'))).toEqual({});
    expect(faultOf(() => binding.readRequest(readXml('<a><b/></a>')))).toContain('ORDER takes nothing');
  });

  it.each<['text' | 'json' | 'xml' | 'binary', Value, string]>([
    ['text', 7, 'content is a number, not a string'],
    ['xml', undefined, 'content is no text'],
    ['xml', '<a>', 'content is not well-formed XML'],
    ['xml', '<a/></m><m>', 'content is not well-formed XML'],
    ['xml', '<!DOCTYPE a>', 'content is not well-formed XML'],
    ['binary', 'text', 'content is a string, not an attachment'],
  ])('of %s is not written from %j', (kind, content, words) => {
    const binding = bindingOf({ response: kind });
    expect(messageOf(() => binding.writeReply({ content }))).toContain(words);
  });
});

describe('the detail of a fault', () => {
  const fault = Fault.custom('OWN', 409, 'It <failed>.', { detail: 'Why.' });

  it('is the fault document, and read again as it', () => {
    const binding = bindingOf({ response: 'text', fault: FAILURE });
    const written = binding.writeFaultDetail(fault);
    expect(written).toContain('<message>It &lt;failed&gt;.</message><detail>Why.</detail>');
    const read = binding.readFaultDetail([readXml('<other/>'), readXml(written)]);
    const value = { status: 'failure', error: { message: 'It <failed>.', detail: 'Why.' } };
    expect(read).toEqual({ document: FAILURE, value });
    expect(binding.readFaultDetail([readXml('<FAILURE xmlns="urn:x"/>')])).toBeUndefined();
    expect(binding.readFaultDetail([])).toBeUndefined();
  });

  it("or the broker's own words", () => {
    for (const binding of [bindingOf({ response: 'text' }), bindingOf({ fault: FAILURE })]) {
      const written = binding.writeFaultDetail(fault);
      expect(written).toContain('<MessageID>OWN</MessageID><DefaultMessage>It &lt;failed&gt;.</DefaultMessage>');
      expect(binding.readFaultDetail([readXml(written)])).toBeUndefined();
    }
  });
});

function plain(_: string, value: unknown): unknown {
  if (isAttachment(value)) throw new Error('an attachment in JSON');
  return typeof value === 'bigint' ? Number(value) : value;
}
