const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

const token = (inside = ''): string =>
  `<sp:SupportingTokens><wsp:Policy><sp:UsernameToken sp:IncludeToken="${SP}/IncludeToken/AlwaysToRecipient"><wsp:Policy>${inside}</wsp:Policy></sp:UsernameToken></wsp:Policy></sp:SupportingTokens>`;

const x509 = (role: string, include: string): string =>
  `<sp:${role}><wsp:Policy><sp:X509Token sp:IncludeToken="${SP}/IncludeToken/${include}"><wsp:Policy><sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy></sp:${role}>`;

const WSS10 = '<sp:Wss10><wsp:Policy><sp:MustSupportRefIssuerSerial/></wsp:Policy></sp:Wss10>';
/** Replies repeat the signature of the request. */
const CONFIRMED = '<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>';

/** As the policies of CXF's own tests are written (systests/ws-security, DoubleItX509.wsdl). */
const asymmetric = (recipient: string, suite: string, wss = WSS10): string =>
  `<sp:AsymmetricBinding><wsp:Policy>${x509('InitiatorToken', 'AlwaysToRecipient')}${x509('RecipientToken', recipient)}` +
  `<sp:AlgorithmSuite><wsp:Policy><sp:${suite}/></wsp:Policy></sp:AlgorithmSuite><sp:Layout><wsp:Policy><sp:Lax/></wsp:Policy></sp:Layout>` +
  `<sp:IncludeTimestamp/><sp:OnlySignEntireHeadersAndBody/></wsp:Policy></sp:AsymmetricBinding>` +
  `${wss}<sp:SignedParts><sp:Body/></sp:SignedParts>`;

/** Policies by the name of their endpoint. Names that end in 256 are those of endpoints that are set to RSA-SHA256, against their policy. */
export const POLICIES: Readonly<Record<string, string>> = {
  text: token(),
  digest: token('<sp:HashPassword/>'),
  signed256: asymmetric('Never', 'Basic256Sha256'),
  included256: asymmetric('AlwaysToInitiator', 'Basic256Sha256'),
  usual: asymmetric('Never', 'Basic256Sha256'),
  basic128: asymmetric('AlwaysToInitiator', 'Basic128'),
  tripledes: asymmetric('Never', 'TripleDesRsa15'),
  confirmed: asymmetric('AlwaysToInitiator', 'Basic256Sha256', CONFIRMED),
};

/** A contract with one operation, and a policy at its binding. */
export function contractOf(policy: string, address: string): string {
  return `<wsdl:definitions name="PolicyService" targetNamespace="urn:signalbox:test:policies" xmlns:tns="urn:signalbox:test:policies"
  xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:sp="${SP}" xmlns:wsu="${WSU}">
  <wsp:Policy wsu:Id="Asked"><wsp:ExactlyOne><wsp:All>${policy}</wsp:All></wsp:ExactlyOne></wsp:Policy>
  <wsdl:types><xsd:schema targetNamespace="urn:signalbox:test:policies" elementFormDefault="qualified">
    <xsd:element name="Echo"><xsd:complexType><xsd:sequence><xsd:element name="text" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>
    <xsd:element name="EchoReply"><xsd:complexType><xsd:sequence><xsd:element name="text" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>
  </xsd:schema></wsdl:types>
  <wsdl:message name="EchoIn"><wsdl:part name="body" element="tns:Echo"/></wsdl:message>
  <wsdl:message name="EchoOut"><wsdl:part name="body" element="tns:EchoReply"/></wsdl:message>
  <wsdl:portType name="PolicyType"><wsdl:operation name="Echo"><wsdl:input message="tns:EchoIn"/><wsdl:output message="tns:EchoOut"/></wsdl:operation></wsdl:portType>
  <wsdl:binding name="PolicyBinding" type="tns:PolicyType"><wsp:PolicyReference URI="#Asked"/>
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="Echo"><soap:operation soapAction="urn:echo"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="PolicyService"><wsdl:port name="PolicyPort" binding="tns:PolicyBinding"><soap:address location="${address}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;
}
