import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadContract } from '../trials/corpus/messages/served.ts';
import { startZeep, type Zeep } from '../trials/corpus/messages/zeep.ts';
import { type ContractOutcome, callContract, consumeContract } from '../trials/corpus/messages.ts';
import { INACTIVE, SHAPES } from './imported-shapes.ts';

// Imported contracts, served for clients of the contract and called as the contract says.

const hasZeep = spawnSync('/usr/bin/python3', ['-c', 'import zeep']).status === 0;

const SCHEMA = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
<xs:complexType name="Item"><xs:sequence><xs:element name="sku"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{3}\\d"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="price" type="xs:decimal" minOccurs="0" nillable="true"/></xs:sequence><xs:attribute name="id" type="xs:int" use="required"/></xs:complexType>
<xs:simpleType name="Coin"><xs:restriction base="xs:string"><xs:enumeration value="penny"/><xs:enumeration value="pound"/></xs:restriction></xs:simpleType>
<xs:complexType name="Gift"><xs:complexContent><xs:extension base="t:Item"><xs:sequence><xs:element name="for" type="xs:unsignedByte"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:element name="order"><xs:complexType><xs:sequence><xs:element name="item" type="t:Item" maxOccurs="3"/>
<xs:choice><xs:element name="cash" type="t:Coin"/><xs:element name="card"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="\\d{4}"/></xs:restriction></xs:simpleType></xs:element></xs:choice></xs:sequence></xs:complexType></xs:element>
<xs:element name="receipt"><xs:complexType><xs:sequence><xs:element name="number" type="xs:int"/><xs:element name="items" type="t:Item" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="refusal"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="session"><xs:complexType><xs:sequence><xs:element name="key" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

interface Style {
  readonly style: 'document' | 'rpc';
  readonly soap: '1.1' | '1.2';
  readonly ports?: number;
}

function contract({ style, soap, ports = 1 }: Style): string {
  const parts = style === 'rpc' ? ['type="t:Item"', 'type="t:Gift"'] : ['element="t:order"', 'element="t:receipt"'];
  const namespace = style === 'rpc' ? ' namespace="urn:t:rpc"' : '';
  const header = style === 'rpc' ? '' : '<s:header message="t:session" part="session" use="literal"/>';
  const services = Array.from(
    { length: ports },
    (_, index) =>
      `<w:service name="Orders${index}"><w:port name="P${index}" binding="t:B"><s:address location="http://old.example.org/${index}"/></w:port></w:service>`,
  );
  return `<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/${soap === '1.1' ? 'soap' : 'soap12'}/"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"><w:types>${SCHEMA}</w:types>
<w:message name="in"><w:part name="body" ${parts[0]}/></w:message><w:message name="out"><w:part name="result" ${parts[1]}/></w:message>
<w:message name="refusal"><w:part name="fault" element="t:refusal"/></w:message><w:message name="session"><w:part name="session" element="t:session"/></w:message>
<w:portType name="T"><w:operation name="place"><w:input message="t:in"/><w:output message="t:out"/><w:fault name="refused" message="t:refusal"/></w:operation></w:portType>
<w:binding name="B" type="t:T"><s:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/><w:operation name="place"><s:operation soapAction="urn:t/place"/>
<w:input>${header}<s:body use="literal"${namespace}/></w:input><w:output><s:body use="literal"${namespace}/></w:output><w:fault name="refused"><s:fault name="refused" use="literal"/></w:fault></w:operation></w:binding>
${services.join('')}</w:definitions>`;
}

const CONTRACTS: Readonly<Record<string, Style>> = {
  'document/literal over SOAP 1.1': { style: 'document', soap: '1.1' },
  'document/literal over SOAP 1.2': { style: 'document', soap: '1.2' },
  'rpc/literal': { style: 'rpc', soap: '1.1' },
  'a port type that is offered at two addresses': { style: 'document', soap: '1.1', ports: 2 },
};

describe.skipIf(!hasZeep)('messages of imported contracts (needs zeep, xmllint)', () => {
  let folder: string;
  let zeep: Zeep;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-imported-'));
    zeep = startZeep();
  });
  afterAll(() => {
    zeep.close();
    rmSync(folder, { recursive: true });
  });

  const read = async (location: string) => ({ bytes: await readFile(location) });

  /** The findings that are not `ok`, and the number of calls. */
  const judged = ({ reason, calls }: ContractOutcome) => ({
    reason,
    bad: calls.filter(({ finding }) => finding !== 'ok'),
    calls: calls.length > 0,
  });
  const good = { reason: undefined, bad: [], calls: true };

  describe.each(Object.entries(CONTRACTS))('%s', (name, style) => {
    const options = { count: 4, seed: name };
    let path: string;
    beforeAll(() => {
      path = join(folder, `${name.replace(/\W/g, '-')}.wsdl`);
      writeFileSync(path, contract(style));
    });

    test('clients of the contract are served', async () => {
      expect(judged(await callContract(name, path, read, zeep, { ...options, own: false }))).toEqual(good);
    });

    test('so are clients of what is described', async () => {
      const { reason, bad } = judged(await callContract(name, path, read, zeep, { ...options, own: true }));
      // Types of parts have other names in what is described, of which no instances are made.
      expect({ reason, bad: bad.filter(({ finding }) => finding !== 'unmade') }).toEqual({
        reason: undefined,
        bad: [],
      });
    });

    test('servers of the contract are called', async () => {
      expect(judged(await consumeContract(name, path, read, zeep, options))).toEqual(good);
    });
  });

  const written = (name: string, files: Readonly<Record<string, string>>): string => {
    const inside = mkdtempSync(join(folder, `${name.replace(/\W/g, '-').slice(0, 30)}-`));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(inside, file), text);
    return join(inside, Object.keys(files)[0] as string);
  };

  describe.each(Object.entries(SHAPES))('%s', (name, files) => {
    const options = { count: 2, seed: name };

    test.each([
      ['of the contract', false] as const,
      ['of what is described', true] as const,
    ])('clients %s are served', async (_, own) => {
      expect(judged(await callContract(name, written(name, files), read, zeep, { ...options, own }))).toEqual(good);
    });

    test('servers of the contract are called', async () => {
      expect(judged(await consumeContract(name, written(name, files), read, zeep, options))).toEqual(good);
    });
  });

  test.each(Object.entries(INACTIVE))('an operation that %s is reported, and not active', async (name, [
    files,
    words,
  ]) => {
    for (const as of ['provider', 'consumer'] as const) {
      const { registry, errors, losses } = await loadContract(written(name, files), read, as);
      expect(errors).toEqual([]);
      expect(losses.join()).toMatch(words);
      const [service] = [...(registry?.services.values() ?? [])].filter(({ delivered }) => !delivered);
      expect([...(service?.operations ?? []), ...(service?.consumers ?? [])].map(({ active }) => active)).toEqual([
        false,
      ]);
    }
  });
});
