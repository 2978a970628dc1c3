import { describe, expect, it } from 'vitest';
import { type Found, ImportError, importContracts } from '../../src/import/index.ts';
import { inOut, message, service, types, wrapper, wsdl } from './wsdl/wsdl-text.ts';

/** What is taken of a contract in files of which the first is the root, and listed; or why it is refused. */
async function taken(files: Readonly<Record<string, string | Uint8Array>>, tolerant = true) {
  const read = async (location: string): Promise<Found> => {
    const found = files[location];
    return found === undefined ? { missing: 'does not exist' } : { bytes: Buffer.from(found as string) };
  };
  const roots = Object.keys(files).slice(0, 1);
  try {
    const [imported] = await importContracts(roots, read, { tolerant });
    if (imported === undefined) throw new Error('nothing was imported');
    const { contract, losses } = imported;
    return {
      contract,
      operations: contract.services.flatMap(({ operations }) => operations.map(({ name }) => name)),
      losses: losses.all().map(({ kind, what, instead }) => `${kind}: ${what}: ${instead}`),
    };
  } catch (error) {
    if (error instanceof ImportError) return { refused: `${error.message}\n${error.hint}` };
    throw error;
  }
}

describe('a contract that is not in UTF-8', () => {
  const yaml = (title: string): string =>
    `openapi: 3.0.3\ninfo:\n  title: ${title}\n  version: '1'\npaths: { /a: { get: { operationId: a, responses: { '200': { description: Käse € } } } } }\n`;

  it('is refused, and its lines are read as ISO-8859-1 by --tolerant, unless they are UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('#  ü\n'), Buffer.from(yaml('Grüße').replace('€', ''), 'latin1')]);
    expect(await taken({ 'api.yaml': bytes }, false)).toEqual({
      refused: expect.stringMatching(/^api\.yaml:4:12: the text is not UTF-8\nConvert it to UTF-8/),
    });
    const { contract, losses } = await taken({ 'api.yaml': bytes });
    expect(contract?.services[0]?.name).toBe('Grüße');
    expect(losses).toEqual(['invalid: the text is not UTF-8: read as ISO-8859-1']);
  });

  it('is refused where it is not a text at all', async () => {
    expect(await taken({ 'api.yaml': Buffer.from([0xff, 0x00, 0xfe, 0x80]) })).toHaveProperty('refused');
  });

  it('may be XML without a declaration, also in a part', async () => {
    const root = wsdl(
      types(`${wrapper('place', 'item')}<xs:include schemaLocation="more.xsd"/>`) +
        message('place', 'element="t:place"') +
        service({ place: inOut('place', 'place') }),
    ).replace(/<\?xml[^>]*\?>/, '');
    const part = Buffer.from(
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xs:element name="Größe" type="xs:string"/></xs:schema>',
      'latin1',
    );
    const { contract, losses } = await taken({ 'a.wsdl': root, 'more.xsd': part });
    expect(contract?.documents.map(({ name }) => name)).toContain('Größe');
    expect(losses).toEqual(['invalid: the text is not UTF-8: read as ISO-8859-1']);
  });
});

describe('a DOCTYPE', () => {
  const wadl = (doctype: string, inside = ''): string =>
    `<?xml version="1.0"?>\n${doctype}\n<application xmlns="http://wadl.dev.java.net/2009/02"><resources base="http://h/"><resource path="a">${inside}<method name="GET" id="a"/></resource></resources></application>`;

  it.each([
    '<!DOCTYPE application>',
    '<!DOCTYPE application SYSTEM "file:///etc/passwd">',
    `<!DOCTYPE application PUBLIC "-//A//B" 'http://127.0.0.1:1/x' [ ]>`,
    '<!DOCTYPE application [<!ENTITY % c SYSTEM "file:///etc/passwd"> %c; <!ENTITY a "b">]>',
    `<!DOCTYPE application [<!-- ]> " --><?x ]> '?><!ENTITY a "]>"><!ELEMENT application ANY><!ATTLIST application xmlns:x CDATA #FIXED "urn:x">]>`,
  ])('that declares nothing that matters is read past: %s', async (doctype) => {
    expect(await taken({ 'a.wadl': wadl(doctype) }, false)).toMatchObject({ operations: ['a'], losses: [] });
  });

  it('is listed for the defaults of attributes', async () => {
    const text = wadl('<!DOCTYPE application [<!ATTLIST method name CDATA "POST">]>');
    expect(await taken({ 'a.wadl': text }, false)).toMatchObject({
      losses: ['value: the defaults of attributes in a DOCTYPE: not applied'],
    });
  });

  it('whose entities are used is refused with all of them; --tolerant leaves them out', async () => {
    const text = wadl('<!DOCTYPE application [<!ENTITY a "<method/>"><!ENTITY b SYSTEM "b.ent">]>', '&a;&b;');
    const { refused } = await taken({ 'a.wadl': text, 'b.ent': '<method name="PUT"/>' }, false);
    expect(refused).toContain('the entity "a" and "b" is declared by a DOCTYPE, which is not read');
    expect(refused).toContain('xmllint --noent --nonet FILE');
    expect(await taken({ 'a.wadl': text, 'b.ent': '<method name="PUT"/>' })).toMatchObject({
      operations: ['a'],
      losses: [
        'invalid: the entity "a" is declared by a DOCTYPE, which is not read: left out, with what it declares',
        'invalid: the entity "b" is declared by a DOCTYPE, which is not read: left out, with what it declares',
      ],
    });
  });

  it.each([
    ['<!DOCTYPE application [', 'malformed DOCTYPE'],
    ['<!DOCTYPE application [<!ENTITY a "]>', 'a DOCTYPE has no end'],
    ['<!DOCTYPE application [<![INCLUDE[]]>]>', 'malformed DOCTYPE'],
    ['<!DOCTYPE a><!DOCTYPE b>', 'it has a DOCTYPE, which is not read here'],
    ['<!DOCTYPEa>', 'malformed DOCTYPE'],
  ])('that is not one is refused: %s', async (doctype, reason) => {
    expect(await taken({ 'a.wadl': wadl(doctype) })).toEqual({
      refused: expect.stringContaining(`not valid XML: ${reason}`),
    });
  });

  it('lists each entity once for a file, at its first place', async () => {
    const text = wadl('<!DOCTYPE application [<!ENTITY a "b">]>', '&a;'.repeat(50_000));
    expect((await taken({ 'a.wadl': text })).losses).toHaveLength(1);
  });

  it('is read past in steps as many as it has characters, whatever its texts begin', async () => {
    const text = wadl(`<!DOCTYPE application [<!ENTITY a "${'<!--'.repeat(1_000_000)}">]>`);
    expect(await taken({ 'a.wadl': text })).toMatchObject({ operations: ['a'] });
  });

  it('does not hide a namespace that is not a URI behind it', async () => {
    const doctype = '<!DOCTYPE application [<!ENTITY a "😀<!--">]><?b xmlns="{c}"?>';
    const text = wadl(doctype).replace('<resources', '\n<x xmlns="{d}"/>--&gt;<resources');
    expect(await taken({ 'a.wadl': text })).toEqual({
      refused: expect.stringContaining('a.wadl:4:4: the namespace "{d}" is not a URI'),
    });
  });

  it('is refused in an attribute, with --tolerant too, with the way out', async () => {
    const text = wadl('<!DOCTYPE application [<!ENTITY a "b">]>').replace('http://h/', '&a;');
    expect(await taken({ 'a.wadl': text })).toEqual({
      refused: expect.stringMatching(
        /^a\.wadl:3:\d+: the entity "a" is declared by a DOCTYPE, which is not read\nIf you trust the file, .*xmllint --noent/,
      ),
    });
  });
});
