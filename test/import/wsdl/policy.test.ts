import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, types, wrapper, wsdl } from './wsdl-text.ts';

const MESSAGES =
  types(wrapper('place', 'item') + wrapper('placeResponse', 'number')) +
  message('place', 'element="t:place"') +
  message('placeReply', 'element="t:placeResponse"');

const NAMESPACES =
  'xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" xmlns:mtom="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"';

const policy = (id: string, inside: string): string => `<wsp:Policy wsu:Id="${id}">${inside}</wsp:Policy>`;
const reference = (id: string): string => `<wsp:PolicyReference URI="#${id}"/>`;

/** A service whose parts have these children. */
function contract(
  policies: string,
  { binding = '', bound = '', input = '', port = '', portType = '' }: Readonly<Record<string, string>>,
): string {
  const text = wsdl(`${policies}${MESSAGES}
<wsdl:portType name="Port">${portType}<wsdl:operation name="place">${inOut('place', 'placeReply')}</wsdl:operation></wsdl:portType>
<wsdl:binding name="Binding" type="t:Port">${binding}<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="place">${bound}<soap:operation soapAction="urn:t/place"/><wsdl:input>${input}<soap:body use="literal"/></wsdl:input>
<wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>
<wsdl:service name="Orders"><wsdl:port name="Soap" binding="t:Binding">${port}<soap:address location="https://partner.example.org/soap"/></wsdl:port></wsdl:service>`);
  return text.replace('<wsdl:definitions ', `<wsdl:definitions ${NAMESPACES} `);
}

async function imported(text: string, as: 'consumer' | 'provider' = 'provider') {
  const { declared, losses } = await declaredOf({ 'a.wsdl': text }, { as });
  expect(errorsOf(declared)).toEqual([]);
  return { yaml: yamlOf(declared), losses: losses.map(({ what }) => what) };
}

const TOKEN = '<sp:SupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SupportingTokens>';
const TRANSPORT =
  '<sp:TransportBinding><wsp:Policy><sp:TransportToken><wsp:Policy><sp:HttpsToken/></wsp:Policy></sp:TransportToken></wsp:Policy></sp:TransportBinding>';
const SAML = '<sp:SupportingTokens><wsp:Policy><sp:SamlToken/></wsp:Policy></sp:SupportingTokens>';

describe('policies of a WSDL', () => {
  it('apply to what they are attached to, and not otherwise', async () => {
    const both = policy('A', SAML) + policy('B', TOKEN);
    const none = await imported(contract(both, {}));
    expect(none.losses).toEqual([]);
    expect(none.yaml.service).not.toContain('requires');
    for (const where of ['binding', 'port', 'portType', 'bound', 'input']) {
      const { losses, yaml } = await imported(contract(both, { [where]: reference('B') }));
      expect([where, losses]).toEqual([where, []]);
      expect(yaml.service).toContain('requires: PARTNER_TOKEN');
    }
    expect((await imported(contract(both, { binding: reference('A') }))).losses).toEqual([
      "the policy SamlToken can't be met",
    ]);
  });

  it('may stand in place, be named in an attribute, and refer to others, in a circle too', async () => {
    const inPlace = await imported(contract('', { binding: `<wsp:Policy>${TOKEN}</wsp:Policy>` }));
    expect(inPlace.yaml.service).toContain('requires: PARTNER_TOKEN');
    const circle = policy('A', reference('B')) + policy('B', `${reference('A')}${TOKEN}`);
    const named = contract(circle, {}).replace('<wsdl:binding ', '<wsdl:binding wsp:PolicyURIs="#A" ');
    expect((await imported(named)).yaml.service).toContain('requires: PARTNER_TOKEN');
    expect((await imported(contract('', { binding: reference('none') }))).losses).toEqual([
      'the policy "#none" does not exist',
    ]);
  });

  it('are met by an alternative that can be', async () => {
    const either = `<wsp:ExactlyOne><wsp:All>${SAML}</wsp:All><wsp:All>${TOKEN}</wsp:All></wsp:ExactlyOne>`;
    const { losses, yaml } = await imported(contract(policy('A', either), { binding: reference('A') }));
    expect(losses).toEqual([]);
    expect(yaml.service).toContain('requires: PARTNER_TOKEN');
    const optional = policy('A', SAML.replace('<sp:SupportingTokens', '<sp:SupportingTokens wsp:Optional="true"'));
    expect((await imported(contract(optional, { binding: reference('A') }))).losses).toEqual([]);
    const nothing = policy('A', '<wsp:ExactlyOne/>');
    expect((await imported(contract(nothing, { binding: reference('A') }))).losses).toEqual([
      "a policy without alternatives can't be met",
    ]);
  });

  it('of signed and encrypted parts are met by a protected transport only', async () => {
    const parts = policy('P', '<sp:SignedParts><sp:Body/></sp:SignedParts>');
    const alone = contract(parts, { bound: reference('P') });
    expect((await imported(alone)).losses).toEqual(["the policy SignedParts can't be met"]);
    const protectedToo = contract(parts + policy('T', TRANSPORT), { bound: reference('P'), port: reference('T') });
    expect((await imported(protectedToo)).losses).toEqual([]);
  });

  it('require timestamps that callers need not have, and certificates of clients', async () => {
    const inside = TRANSPORT.replace('<sp:HttpsToken/>', '<sp:HttpsToken RequireClientCertificate="true"/>').replace(
      /<\/wsp:Policy><\/sp:TransportBinding>$/,
      '<sp:IncludeTimestamp/></wsp:Policy></sp:TransportBinding>',
    );
    const { losses, yaml } = await imported(contract(policy('A', inside), { binding: reference('A') }));
    expect(losses).toEqual(['the contract asks for a timestamp in messages']);
    expect(yaml.service).toContain('requires: PARTNER_CERTIFICATE');
  });

  it('give calls the parts of a Security header, whose values are settings', async () => {
    const digest = TOKEN.replace(
      '<sp:UsernameToken/>',
      '<sp:UsernameToken><wsp:Policy><sp:HashPassword/></wsp:Policy></sp:UsernameToken>',
    );
    const timed = TRANSPORT.replace(/<\/wsp:Policy><\/sp:TransportBinding>$/, '<sp:IncludeTimestamp/>$&');
    const both = await imported(contract(policy('A', timed + digest), { binding: reference('A') }), 'consumer');
    expect(both.losses).toEqual([]);
    expect(both.yaml.setup).toContain(`credential:
  username-token: { user: "\${env:PARTNER_USER}", password: "\${secret:PARTNER_PASSWORD}", digest: true }
  timestamp: 5 m
`);
    const plain = await imported(contract(policy('A', TOKEN), { binding: reference('A') }), 'consumer');
    expect(plain.yaml.setup).toContain('password: "${secret:PARTNER_PASSWORD}" }');
    expect(plain.yaml.setup).not.toContain('digest');
    const without = contract(policy('A', digest.replace('HashPassword', 'NoPassword')), { binding: reference('A') });
    const none = await imported(without, 'consumer');
    expect(none.losses).toEqual([]);
    const named = contract(policy('A', '<sp:constructor/>'), { binding: reference('A') });
    expect((await imported(named, 'consumer')).losses).toEqual(["the policy constructor can't be met"]);
    expect(none.yaml.setup).toContain('username-token: { user: "${env:PARTNER_USER}" }');
    expect((await imported(without)).losses).toEqual(['the contract asks for username-token']);
  });

  it('give calls a signature of the Body, and list what needs encryption or a token of an issuer', async () => {
    const token = (name: string, inside = '<sp:X509Token/>'): string =>
      `<sp:${name}><wsp:Policy>${inside}</wsp:Policy></sp:${name}>`;
    const binding = (more = '', suite = 'Basic256Sha256'): string =>
      `<sp:AsymmetricBinding><wsp:Policy>${token('InitiatorToken')}${token('RecipientToken')}${token('AlgorithmSuite', `<sp:${suite}/>`)}<sp:IncludeTimestamp/>${more}</wsp:Policy></sp:AsymmetricBinding><sp:SignedParts><sp:Body/></sp:SignedParts>`;
    const of = async (inside: string) => {
      const text = contract(policy('A', inside), { binding: reference('A') });
      const { declared, losses } = await declaredOf({ 'a.wsdl': text }, { as: 'consumer' });
      expect(errorsOf(declared)).toEqual([]);
      return { setup: yamlOf(declared).setup, told: losses.map(({ what, instead }) => `${what}: ${instead}`) };
    };
    const { setup, told } = await of(binding());
    expect(told).toEqual([]);
    expect(setup).toContain(`credential:
  timestamp: 5 m
  signature:
    file: \${env:PARTNER_CERTIFICATE_FILE}
    key-file: \${env:PARTNER_KEY_FILE}
    algorithm: rsa-sha1
  reply-signature: { certificate: "\${env:PARTNER_REPLY_CERTIFICATE_FILE}", algorithms: [ rsa-sha1 ] }
`);
    const wss11 = '<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>';
    const older = await of(binding('', 'TripleDesRsa15') + wss11);
    expect(older.told).toEqual([]);
    expect(older.setup).toMatch(/algorithm: rsa-sha1\n +digest: sha1\n/);
    expect(older.setup).toMatch(/algorithms: \[ rsa-sha1 \],?\s+digests: \[ sha1 \],?\s+confirmation: true/);
    // There is no signature to confirm.
    expect((await of(wss11)).told).toEqual([]);
    expect((await of(binding('<sp:EncryptSignature/>', 'Basic128'))).told).toEqual([
      "the policy EncryptSignature can't be met: it needs encryption, which messages here do not have",
    ]);
    expect((await of(`${binding()}<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>`)).told).toEqual([
      "the policy EncryptedParts can't be met: it needs encryption, which messages here do not have",
    ]);
    const issued = await of(SAML.replace('SamlToken', 'IssuedToken'));
    expect(issued.told).toEqual([
      "the policy IssuedToken can't be met: it needs a token of an issuer, such as SAML, which messages here do not have",
    ]);
    expect((await of('<sp:SymmetricBinding/>')).told).toEqual([
      "the policy SymmetricBinding can't be met: it needs encryption, which messages here do not have",
    ]);
    // What is beside the envelope can't be signed.
    expect((await of(`${binding()}<mtom:OptimizedMimeSerialization/>`)).told).toEqual([
      'the contract asks for a signature in messages: calls are sent without it',
    ]);
  });

  const INCLUDE = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702/IncludeToken';
  const policyOf = (name: string, ...inside: readonly string[]): string =>
    `<sp:${name}><wsp:Policy>${inside.map((each) => (each.startsWith('<') ? each : `<sp:${each}/>`)).join('')}</wsp:Policy></sp:${name}>`;
  const x509 = (include: string, ...inside: readonly string[]): string =>
    policyOf('X509Token', ...inside).replace('<sp:X509Token', `<sp:X509Token sp:IncludeToken="${INCLUDE}/${include}"`);
  const signing = (initiator: string, ...more: readonly string[]): string =>
    policyOf(
      'AsymmetricBinding',
      policyOf('InitiatorToken', initiator),
      policyOf('RecipientToken', x509('Never', 'RequireIssuerSerialReference')),
      ...more,
    );
  const timed = (...more: readonly string[]): string =>
    TRANSPORT.replace('</wsp:Policy></sp:TransportBinding>', '<sp:IncludeTimestamp/>$&') + more.join('');
  /** The credential of calls, and what they lack. */
  const calledBy = async (inside: string) => {
    const text = contract(policy('A', inside), { binding: reference('A') });
    const { declared, losses } = await declaredOf({ 'a.wsdl': text }, { as: 'consumer' });
    expect(errorsOf(declared)).toEqual([]);
    const setup = yamlOf(declared).setup?.replace(/---.*/s, '').replace(/\s+/g, ' ') ?? '';
    return { setup, told: losses.map(({ what, instead }) => `${what}: ${instead}`) };
  };

  it.each<[string, string, RegExp | undefined]>([
    ['in the message', x509('AlwaysToRecipient'), undefined],
    ['by any name', x509('Never'), /reference: issuer-serial/],
    ['by a name', x509('AlwaysToInitiator', 'RequireThumbprintReference'), /reference: thumbprint/],
    ['in both ways', x509('Always', 'RequireKeyIdentifierReference'), /reference: key-identifier,? token: included/],
  ])('say how calls refer to their certificate: %s', async (_, token, expected) => {
    const { setup, told } = await calledBy(signing(token, 'IncludeTimestamp'));
    expect(told).toEqual([]);
    expect(setup).toMatch(/reply-signature/);
    if (expected === undefined) expect(setup).not.toMatch(/reference:|token:/);
    else expect(setup).toMatch(expected);
  });

  it('say which references are understood, whether there is a Timestamp, and that the certificate is signed', async () => {
    const understood = policyOf('Wss10', 'MustSupportRefKeyIdentifier');
    expect((await calledBy(signing(x509('Never'), 'IncludeTimestamp') + understood)).setup).toMatch(
      /reference: key-identifier/,
    );
    expect((await calledBy(signing(x509('Always')))).setup).toMatch(/timestamp: 0 s/);
    const protecting = await calledBy(signing(x509('Always'), 'IncludeTimestamp', 'ProtectTokens'));
    expect(protecting).toMatchObject({ told: [], setup: expect.stringMatching(/timestamp: 5 m.*token: signed/) });
    expect((await calledBy(signing(x509('Never'), 'ProtectTokens'))).told).toEqual([
      "the policy ProtectTokens can't be met: it needs a signature of a certificate that is not in the message, which messages here do not have",
    ]);
  });

  it('of endorsing certificates are met by a signature over TLS, whose replies are not signed', async () => {
    const { setup, told } = await calledBy(timed(policyOf('EndorsingSupportingTokens', x509('Always'))));
    expect(told).toEqual([]);
    expect(setup).toMatch(/timestamp: 5 m signature: /);
    expect(setup).not.toMatch(/reply-signature/);
    const unprotected = await calledBy(
      `<sp:SymmetricBinding/>${policyOf('EndorsingSupportingTokens', x509('Always'))}`,
    );
    expect(unprotected.setup).not.toMatch(/signature/);
    const certified = TRANSPORT.replace('<sp:HttpsToken/>', policyOf('HttpsToken', 'RequireClientCertificate'));
    expect(await calledBy(certified)).toMatchObject({
      told: [],
      setup: expect.stringMatching(/certificate: \{ file: "\$\{env:PARTNER_TLS/),
    });
  });

  it.each([
    ['KerberosToken', 'a Kerberos ticket', timed(policyOf('EndorsingSupportingTokens', policyOf('KerberosToken')))],
    ['SamlToken', 'a token of an issuer, such as SAML', timed(policyOf('EncryptedSupportingTokens', 'SamlToken'))],
    ['UsernameToken', 'derived keys', timed(policyOf('EndorsingSupportingTokens', 'UsernameToken'))],
    [
      'X509Token',
      'a signature by a further key',
      signing(x509('Always'), 'IncludeTimestamp') + policyOf('EndorsingSupportingTokens', x509('Always')),
    ],
    [
      'RequireDerivedKeys of X509Token',
      'derived keys',
      signing(x509('Always', 'RequireDerivedKeys'), 'IncludeTimestamp'),
    ],
    [
      'WssX509PkiPathV1Token10 of X509Token',
      'a token other than an X.509 v3 certificate',
      signing(x509('Always', 'WssX509PkiPathV1Token10'), 'IncludeTimestamp'),
    ],
    [
      'SignedParts',
      'a signature of these parts',
      `${signing(x509('Always'), 'IncludeTimestamp')}<sp:SignedParts><sp:Body/><sp:Attachments/></sp:SignedParts>`,
    ],
    [
      'RequireDerivedKeys of UsernameToken',
      'derived keys',
      policyOf('SupportingTokens', policyOf('UsernameToken', 'RequireDerivedKeys')),
    ],
    ['SymmetricBinding', 'encryption', '<sp:SymmetricBinding/><sp:SignedParts><sp:Body/></sp:SignedParts>'],
  ])('that can not be met are named: %s needs %s', async (name, needs, inside) => {
    expect((await calledBy(inside)).told).toEqual([
      `the policy ${name} can't be met: it needs ${needs}, which messages here do not have`,
    ]);
  });

  it('of headers are met by a signature, and a Timestamp at the end is not', async () => {
    const parts = '<sp:SignedParts><sp:Header Name="Order" Namespace="urn:other"/></sp:SignedParts><sp:SignedParts/>';
    expect((await calledBy(signing(x509('Always'), 'IncludeTimestamp') + parts)).told).toEqual([]);
    expect((await calledBy(signing(x509('Always'), 'IncludeTimestamp', policyOf('Layout', 'LaxTsLast')))).told).toEqual(
      ["the policy LaxTsLast can't be met: messages have none of it, and may be refused for that"],
    );
  });

  it('ask calls for WS-Addressing and MTOM', async () => {
    const asked = policy('A', '<wsam:Addressing/><mtom:OptimizedMimeSerialization/>');
    const { yaml } = await imported(contract(asked, { binding: reference('A') }), 'consumer');
    expect(yaml.service).toContain('addressing: true');
    expect(yaml.service).toContain('MTOM: Y');
    const optional = await imported(contract('', { binding: '<wsaw:UsingAddressing/>' }), 'consumer');
    expect(optional.yaml.service).not.toContain('addressing');
    const required = contract('', { binding: '<wsaw:UsingAddressing wsdl:required="true"/>' });
    expect((await imported(required, 'consumer')).yaml.service).toContain('addressing: true');
    expect((await imported(required, 'consumer')).losses).toEqual([]);
  });

  it.each([
    ['required', '<wsaw:UsingAddressing wsdl:required="true"/>'],
    ['optional', '<wsaw:UsingAddressing/>'],
    [
      'required',
      '<wsp:Policy><wsam:Addressing><wsp:Policy><wsam:AnonymousResponses/></wsp:Policy></wsam:Addressing></wsp:Policy>',
    ],
    ['required', '<wsp:Policy><wsam:Addressing><wsp:Policy/></wsam:Addressing></wsp:Policy>'],
    ['optional', '<wsp:Policy><wsam:Addressing wsp:Optional="true"><wsp:Policy/></wsam:Addressing></wsp:Policy>'],
  ])('say that WS-Addressing is %s for callers of a service', async (word, stated) => {
    const { yaml, losses } = await imported(contract('', { binding: stated }));
    expect(losses).toEqual([]);
    expect(yaml.service).toContain(`addressing: ${word}`);
  });

  it('require WS-Addressing of callers where the contract requires it of each operation', async () => {
    const one = contract('', { bound: '<wsp:Policy><wsam:Addressing/></wsp:Policy>' });
    const more =
      '<wsdl:operation name="more"><wsdl:input message="t:place"/><wsdl:output message="t:placeReply"/></wsdl:operation>';
    expect((await imported(one)).yaml.service).toContain('addressing: required');
    const two = one
      .replace('</wsdl:portType>', `${more}</wsdl:portType>`)
      .replace(
        '</wsdl:binding>',
        '<wsdl:operation name="more"><soap:operation soapAction="urn:t/more"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>',
      );
    const { yaml, losses } = await imported(two);
    expect(losses).toEqual(['WS-Addressing, which the contract requires of "place" and not of each operation']);
    expect(yaml.service).toContain('addressing: optional');
  });
});
