const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

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
