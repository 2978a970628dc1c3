const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

const assertion = (name: string, inside = ''): string => `<sp:${name}><wsp:Policy>${inside}</wsp:Policy></sp:${name}>`;
const assertions = (...names: readonly string[]): string => names.map((name) => `<sp:${name}/>`).join('');

const token = (kind: 'UsernameToken' | 'X509Token', inside: string, include = 'AlwaysToRecipient'): string =>
  `<sp:${kind} sp:IncludeToken="${SP}/IncludeToken/${include}"><wsp:Policy>${inside}</wsp:Policy></sp:${kind}>`;
const user = (...inside: readonly string[]): string => token('UsernameToken', assertions(...inside));
const x509 = (include?: string, ...inside: readonly string[]): string =>
  token('X509Token', assertions('WssX509V3Token10', ...inside), include);

interface Binding {
  /** Where the certificate of requests is, and how it is referred to. */
  readonly initiator?: readonly [include: string, ...references: readonly string[]];
  readonly recipient?: string;
  readonly suite?: string;
  readonly layout?: string;
  readonly others?: readonly string[];
  readonly wss?: string;
  readonly signed?: string;
}

const WSS10 = assertion('Wss10', assertions('MustSupportRefIssuerSerial'));

/** As the policies of CXF's own tests are written (systests/ws-security, DoubleItX509.wsdl). */
function asymmetric({
  initiator: [include, ...references] = ['AlwaysToRecipient'],
  recipient = 'Never',
  suite = 'Basic256Sha256',
  layout = 'Lax',
  others = ['IncludeTimestamp', 'OnlySignEntireHeadersAndBody'],
  wss = WSS10,
  signed = '<sp:Body/>',
}: Binding): string {
  const inside =
    assertion('InitiatorToken', x509(include, ...references)) +
    assertion('RecipientToken', x509(recipient)) +
    assertion('AlgorithmSuite', assertions(suite)) +
    assertion('Layout', assertions(layout)) +
    assertions(...others);
  return `${assertion('AsymmetricBinding', inside)}${wss}<sp:SignedParts>${signed}</sp:SignedParts>`;
}

const transport = (suite = 'Basic256Sha256', https = '<sp:HttpsToken><wsp:Policy/></sp:HttpsToken>'): string =>
  assertion(
    'TransportBinding',
    assertion('TransportToken', https) +
      assertion('AlgorithmSuite', assertions(suite)) +
      assertion('Layout', assertions('Strict')) +
      assertions('IncludeTimestamp'),
  );

/** Policies by the name of their endpoint. Names that end in 256 are those of endpoints that are set to RSA-SHA256, against their policy. */
export const POLICIES: Readonly<Record<string, string>> = {
  text: assertion('SupportingTokens', user()),
  digest: assertion('SupportingTokens', user('HashPassword')),
  'no-password': assertion('SupportingTokens', user('NoPassword')),
  signed256: asymmetric({}),
  included256: asymmetric({ recipient: 'AlwaysToInitiator' }),
  usual: asymmetric({}),
  basic128: asymmetric({ recipient: 'AlwaysToInitiator', suite: 'Basic128' }),
  tripledes: asymmetric({ suite: 'TripleDesRsa15' }),
  // Replies repeat the signature of the request.
  confirmed: asymmetric({
    recipient: 'AlwaysToInitiator',
    wss: assertion('Wss11', assertions('RequireSignatureConfirmation')),
  }),
  'issuer-serial': asymmetric({ initiator: ['Never', 'RequireIssuerSerialReference'] }),
  thumbprint: asymmetric({ initiator: ['Never', 'RequireThumbprintReference'] }),
  'key-identifier': asymmetric({
    initiator: ['Never'],
    wss: assertion('Wss10', assertions('MustSupportRefKeyIdentifier')),
  }),
  'included-issuer-serial': asymmetric({ initiator: ['AlwaysToRecipient', 'RequireIssuerSerialReference'] }),
  untimed: asymmetric({ others: ['OnlySignEntireHeadersAndBody'] }),
  'time-first': asymmetric({ layout: 'LaxTsFirst' }),
  'whole-headers': `${asymmetric({ layout: 'Strict', signed: '' })}<wsam:Addressing xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata"><wsp:Policy/></wsam:Addressing>`,
  'signed-user': `${asymmetric({})}${assertion('SignedSupportingTokens', user())}`,
  'protected-tokens': asymmetric({ others: ['IncludeTimestamp', 'OnlySignEntireHeadersAndBody', 'ProtectTokens'] }),
  endorsed: `${transport()}${assertion('EndorsingSupportingTokens', x509())}`,
  'endorsed-confirmed': `${transport()}${assertion('EndorsingSupportingTokens', x509())}${assertion('Wss11', assertions('RequireSignatureConfirmation'))}`,
  'endorsed-named': `${transport('Basic128')}${assertion('SignedEndorsingSupportingTokens', x509('Never', 'RequireThumbprintReference'))}`,
  'certificate-beside': `${transport()}${assertion('SignedSupportingTokens', x509())}`,
  'client-certificate': transport('Basic128', assertion('HttpsToken', assertions('RequireClientCertificate'))),
};
