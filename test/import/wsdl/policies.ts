import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalXml } from '../../../src/wire/xml/canonical.ts';
import { readXml } from '../../../src/wire/xml/read-xml.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../../src/wire/xml/tree.ts';
import { declaredOf } from '../support.ts';

/** Policies in XML by the part of a contract that they are attached to; `own` are those that others refer to. */
export type Attached = Readonly<Partial<Record<'own' | 'port' | 'binding' | 'bound' | 'input' | 'output', string>>>;

const NAMESPACES =
  'xmlns:tns="urn:signalbox:test:policies" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" ' +
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"';

/** A contract with one operation, and with policies. */
export function contractOf({ own, port, binding, bound, input, output }: Attached, address: string): string {
  return `<wsdl:definitions name="PolicyService" targetNamespace="urn:signalbox:test:policies" ${NAMESPACES}>
  ${own ?? ''}
  <wsdl:types><xsd:schema targetNamespace="urn:signalbox:test:policies" elementFormDefault="qualified">
    <xsd:element name="Echo"><xsd:complexType><xsd:sequence><xsd:element name="text" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>
    <xsd:element name="EchoReply"><xsd:complexType><xsd:sequence><xsd:element name="text" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>
  </xsd:schema></wsdl:types>
  <wsdl:message name="EchoIn"><wsdl:part name="body" element="tns:Echo"/></wsdl:message>
  <wsdl:message name="EchoOut"><wsdl:part name="body" element="tns:EchoReply"/></wsdl:message>
  <wsdl:portType name="PolicyType"><wsdl:operation name="Echo"><wsdl:input message="tns:EchoIn"/><wsdl:output message="tns:EchoOut"/></wsdl:operation></wsdl:portType>
  <wsdl:binding name="PolicyBinding" type="tns:PolicyType">${binding ?? ''}
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="Echo">${bound ?? ''}<soap:operation soapAction="urn:echo"/><wsdl:input>${input ?? ''}<soap:body use="literal"/></wsdl:input><wsdl:output>${output ?? ''}<soap:body use="literal"/></wsdl:output></wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="PolicyService"><wsdl:port name="PolicyPort" binding="tns:PolicyBinding">${port ?? ''}<soap:address location="${address}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;
}

/** What calls lack of what policies ask for, as the list of an import has it; `carried` when they lack nothing. */
export async function outcomeOf(attached: Attached): Promise<string> {
  const text = contractOf(attached, 'https://partner.example.org/');
  const imported = await declaredOf({ 'a.wsdl': text }).catch((error: Error) => error);
  if (imported instanceof Error) return imported.message.replace(/^\S+ /, 'not read: ');
  const { losses } = imported;
  const words = losses.map(({ what, instead }) => {
    const [, needs] = /^it needs (.*), which messages here do not have$/.exec(instead) ?? [];
    return needs === undefined
      ? `${what}: ${instead}`
      : `${what.replace(/^the policy (.*) can't be met$/, '$1')} (${needs})`;
  });
  return [...new Set(words)].sort().join(', ') || 'carried';
}

const corpus = fileURLToPath(new URL('../../../../shared/corpus/import/files', import.meta.url));
export const hasCorpus = existsSync(corpus);

/** A contract of the corpus that speaks of WS-SecurityPolicy. */
export interface CorpusContract {
  /** Its path in the corpus. */
  readonly file: string;
  /** What its bindings ask for, each once for operations that ask for the same. Absent when it is not well-formed. */
  readonly bindings?: readonly { readonly name: string; readonly attached: Attached }[];
}

/** All contracts of the corpus with policies of WS-SecurityPolicy, in the order of their paths. */
export function corpusContracts(): readonly CorpusContract[] {
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.wsdl'));
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(join(corpus, file), 'utf8');
    if (!/securitypolicy|<sp:/.test(text)) return [];
    try {
      const bindings = bindingsOf(readXml(text));
      return bindings.length === 0 ? [] : [{ file, bindings }];
    } catch {
      return [{ file }];
    }
  });
}

const isPolicy = ({ local, namespace }: XmlElement): boolean =>
  /^Policy(?:Reference)?$/.test(local) && /policy/i.test(namespace);
const children = (element: XmlElement, local: string): readonly XmlElement[] =>
  childrenOf(element).filter((each) => each.local === local);
const policiesAt = (elements: readonly XmlElement[]): string =>
  elements
    .flatMap((each) => childrenOf(each).filter(isPolicy))
    .map((each) => canonicalXml(each))
    .join('');

function bindingsOf(root: XmlElement): { readonly name: string; readonly attached: Attached }[] {
  const own = policiesAt([root]);
  const ports = children(root, 'service').flatMap((each) => children(each, 'port'));
  return children(root, 'binding').flatMap((each) => {
    const name = attributeOf(each, 'name') ?? '';
    const port = ports.filter((at) => attributeOf(at, 'binding')?.replace(/.*:/, '') === name).slice(0, 1);
    const attached = children(each, 'operation').map((operation) => ({
      own,
      port: policiesAt(port),
      binding: policiesAt([each]),
      bound: policiesAt([operation]),
      input: policiesAt(children(operation, 'input')),
      output: policiesAt(children(operation, 'output')),
    }));
    const asking = attached.filter(({ own: _, ...at }) => Object.values(at).some((text) => text !== ''));
    return [...new Map(asking.map((at) => [JSON.stringify(at), { name, attached: at }])).values()];
  });
}
