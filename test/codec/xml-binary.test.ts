import { describe, expect, it } from 'vitest';
import { MemoryAttachment } from '../../src/codec/binary.ts';
import { compileDocument, type Resolve } from '../../src/codec/index.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { document, field, LOC_RESPONSE, list, messageOf } from './support.ts';

const NS = 'urn:test:Locations.v1';
const NAMESPACES =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xop="http://www.w3.org/2004/08/xop/include"';

describe('binary content in XML', () => {
  const d = document('D', [
    field('X', 'binary'),
    field('L', list('binary')),
    field('AT', 'binary', { attribute: true }),
  ]);
  const read = (xml: string, resolve?: Resolve): DocumentValue =>
    compileDocument(d, { namespace: '' }).fromXml(readXml(xml), resolve);
  const inside = (content: string, resolve?: Resolve): DocumentValue =>
    read(`<D ${NAMESPACES}>${content}</D>`, resolve);
  const xmime = 'xmlns:m="http://www.w3.org/2005/05/xmlmime"';
  const bytes = (value: unknown): string => Buffer.from((value as MemoryAttachment).bytes).toString('latin1');

  it('is base64 with white space in it', () => {
    const value = read('<D AT=" aGk= "><X> aG&#13;\n k=\t</X><L><item>aGk=</item><item/></L></D>');
    expect(bytes(value.X)).toBe('hi');
    expect(bytes(value.AT)).toBe('hi');
    expect((value.L as Attachment[]).map((each) => [bytes(each), each.length])).toEqual([
      ['hi', 2],
      ['', 0],
    ]);
  });

  it('bears its media type', () => {
    const typed = `<X ${xmime} m:contentType="image/png">aGk=</X>`;
    expect(inside(typed).X).toEqual(new MemoryAttachment(Buffer.from('hi'), { contentType: 'image/png' }));
    expect(inside(typed.replace('2005/05', '2004/11')).X).toMatchObject({ contentType: 'image/png' });
    expect(messageOf(() => inside(typed.replace('image/png', 'a/b&#10;X: y')))).toBe(
      'X has an xmime:contentType that is not a media type',
    );
  });

  it('is an attachment where the message has one', () => {
    const asked: string[] = [];
    const found = new MemoryAttachment(Buffer.from('a'));
    const resolve: Resolve = (href) => {
      asked.push(href);
      return found;
    };
    const content = `<X ${xmime} m:contentType="a/b"> <xop:Include href="cid:1"/>\n</X><L><item><xop:Include href="cid:2"/></item></L>`;
    const value = inside(content, resolve);
    expect(value.X).toBe(found);
    expect(value.L).toEqual([found]);
    expect(asked).toEqual(['cid:1', 'cid:2']);
    const failure = new Error('no such part');
    expect(() =>
      inside(content, () => {
        throw failure;
      }),
    ).toThrow(failure);
  });

  it.each([
    ['<X>aGk</X>', 'X is not base64'],
    ['<X a="1"/>', 'X has an attribute "a", which it can\'t have'],
    ['<X><xop:Include href="cid:1"/></X>', 'X is an attachment, and the message has none'],
    ['<X><xop:Include/></X>', 'X holds an Include without a href'],
    ['<X><xop:Include SegmentNumber="1"/></X>', 'X holds an Include without a href'],
    ['<X><Include SegmentNumber="1"/></X>', 'X holds an element "Include", and is a single value'],
    ['<X>aGk=<xop:Include href="cid:1"/></X>', 'X holds an Include and text'],
    ['<X><xop:Include href="cid:1"/><xop:Include href="cid:1"/></X>', 'X holds two Includes'],
    ['<X xsi:nil="true"><xop:Include href="cid:1"/></X>', 'X is nil, and holds something'],
  ])('is refused from %s', (content, message) => {
    expect(messageOf(() => inside(content))).toBe(message);
  });
});

describe('writing XML', () => {
  const inner = document('INNER', [field('B', 'binary')], { namespace: 'urn:inner' });
  const d = document('D', [
    field('AT', 'binary', { attribute: true }),
    field('X', 'binary'),
    field('L', list(inner)),
    field('S', 'string'),
  ]);
  const memory = new MemoryAttachment(Buffer.from('hi'));
  const stream: Attachment = {
    contentType: 'a/b',
    stream: () => {
      throw new Error('was read');
    },
  };

  it('names another root, its fields in the namespace of the document', () => {
    const other = compileDocument(inner, { namespace: NS, root: { name: 'GET', namespace: NS } });
    expect(other.toXml({ B: memory })).toBe(`<GET xmlns="${NS}"><B xmlns="urn:inner">aGk=</B></GET>`);
    expect(other.toXmlPieces({ B: stream })).toEqual([
      `<GET xmlns="${NS}"><B xmlns="urn:inner">`,
      stream,
      '</B></GET>',
    ]);
    const same = compileDocument(d, { namespace: NS, root: { name: 'GET', namespace: NS } });
    expect(same.toXml({ S: '' })).toBe(`<GET xmlns="${NS}"><S/></GET>`);
    expect(same.fromXml(readXml(same.toXml({ S: 's' })))).toEqual({ S: 's' });
  });

  it('leaves streams for later', () => {
    const { toXmlPieces, toXml } = compileDocument(d, { namespace: '' });
    expect(toXmlPieces({ AT: memory, X: stream, L: [{ B: memory }, {}, { B: stream }], S: 'a&b' })).toEqual([
      '<D AT="aGk="><X>',
      stream,
      '</X><L><INNER><B xmlns="urn:inner">',
      memory,
      '</B></INNER><INNER/><INNER><B xmlns="urn:inner">',
      stream,
      '</B></INNER></L><S>a&amp;b</S></D>',
    ]);
    expect(toXmlPieces({ S: 's' })).toEqual(['<D><S>s</S></D>']);
    expect(messageOf(() => toXmlPieces({ X: 'x' }))).toBe('X is a string, not an attachment');
    expect(messageOf(() => toXmlPieces({ AT: stream }))).toMatch(/^AT is a stream/);
    expect(messageOf(() => toXmlPieces({ L: [{ B: stream }, { B: 1 }] }))).toBe(
      'L[1].B is a number, not an attachment',
    );
    expect(toXmlPieces({ X: memory })).toEqual(['<D><X>', memory, '</X></D>']);
    expect(messageOf(() => toXml({ X: stream }))).toMatch(/^X is a stream/);
  });

  it('is one piece where there is no binary field', () => {
    expect(compileDocument(LOC_RESPONSE, { namespace: NS }).toXmlPieces({ LOC_DATA: [], EMP_DATA: [] })).toEqual([
      `<LOC_RESPONSE xmlns="${NS}"><LOC_DATA/><EMP_DATA/></LOC_RESPONSE>`,
    ]);
  });
});
