import { describe, expect, it } from 'vitest';
import { packed, part, RELATED, root, SOAP_11, SOAP_12 } from '../serve/soap-client.ts';
import type { TestGateway } from '../support/gateway.ts';
import { withSecuredGateway } from './support/secured.ts';
import { ELLIPTIC, PARTNER } from './support/signers.ts';
import {
  BODY,
  call,
  DS,
  digestToken,
  handled,
  message,
  post,
  reasonOf,
  security,
  signed,
  signedCall,
  TIME,
  timestamp,
  token,
} from './support/wss.ts';

let gateway: TestGateway;
withSecuredGateway((started) => {
  gateway = started;
});

const EVIL = call('SIGNED', 'evil');
const evilBody = (attributes = 'wsu:Id="body"'): string => `<s:Body ${attributes}>${EVIL}</s:Body>`;
/** The Body of a signed message as it was sent. */
const bodyOf = (xml: string): string => /<s:Body .*<\/s:Body>/s.exec(xml)![0];
const swap = (xml: string, from: string, to: string): string => {
  expect(xml).toContain(from);
  return xml.replace(from, () => to);
};
/** The signed Body goes elsewhere, another comes in its place. */
const moved = (xml: string, to: (body: string) => [from: string, to: string], evil = evilBody()): string => {
  const body = bodyOf(xml);
  return swap(swap(xml, body, evil), ...to(body));
};
const intoHeader =
  (wrap: (body: string) => string) =>
  (body: string): [string, string] => ['</s:Header>', `${wrap(body)}</s:Header>`];

/** Somebody on the way changes a message of the partner's, whose key it does not have. */
const changed: Readonly<Record<string, (xml: string) => string>> = {
  'other content': (xml) => swap(xml, '>hello<', '>evil<'),
  'the Body moved into a header, one of the same id in its place': (xml) =>
    moved(
      xml,
      intoHeader((body) => `<w>${body}</w>`),
    ),
  'the Body moved into a header, one without an id in its place': (xml) =>
    moved(
      xml,
      intoHeader((body) => `<w>${body}</w>`),
      evilBody(''),
    ),
  'the Body moved into a header, one of another id in its place': (xml) =>
    moved(
      xml,
      intoHeader((body) => `<w>${body}</w>`),
      evilBody('wsu:Id="other"'),
    ),
  'the Body as a header of its own': (xml) =>
    moved(
      xml,
      intoHeader((body) => body),
      evilBody(''),
    ),
  'the Body moved into the Security header': (xml) =>
    moved(xml, (body) => ['</wsse:Security>', `${body}</wsse:Security>`], evilBody('')),
  'the Body moved into an Object of the signature': (xml) =>
    moved(xml, (body) => ['</ds:Signature>', `<ds:Object>${body}</ds:Object></ds:Signature>`], evilBody('')),
  'the Body moved into KeyInfo': (xml) => moved(xml, (body) => ['</ds:KeyInfo>', `${body}</ds:KeyInfo>`], evilBody('')),
  'the Body moved into the Body': (xml) => moved(xml, (body) => [EVIL, `${EVIL}${body}`], evilBody('')),
  'the Body moved into the payload': (xml) =>
    moved(xml, (body) => ['<S>evil</S>', `<S>evil</S><MORE>${body}</MORE>`], evilBody('')),
  'a second Body in front': (xml) => swap(xml, bodyOf(xml), `${evilBody('')}${bodyOf(xml)}`),
  'a second Body behind': (xml) => swap(xml, bodyOf(xml), `${bodyOf(xml)}${evilBody('')}`),
  'an id of the Body that looks alike (Id)': (xml) => swap(xml, '<S>', '<S xmlns="" Id="body"/><S>'),
  'an id of the Body that looks alike (ID)': (xml) => swap(xml, '</s:Header>', '<x ID="body"/></s:Header>'),
  'an id of the Body that looks alike (id of a namespace)': (xml) =>
    swap(xml, '</s:Header>', '<x xmlns:y="urn:y" y:id="body"/></s:Header>'),
  'an Envelope in the Envelope': (xml) =>
    `<s:Envelope xmlns:s="${SOAP_11}"><s:Header>${/<wsse:Security.*<\/wsse:Security>/s.exec(xml)![0].replace('<wsse:Security', '<wsse:Security xmlns:wsse="WSSE" xmlns:wsu="WSU"')}</s:Header>${evilBody('')}${xml}</s:Envelope>`
      .replaceAll('WSSE', /xmlns:wsse="([^"]*)"/.exec(xml)![1]!)
      .replaceAll('"WSU"', `"${/xmlns:wsu="([^"]*)"/.exec(xml)![1]}"`),
  'the Envelope of the other version': (xml) => xml.replaceAll(SOAP_11, SOAP_12),
  'a second Security header in front': (xml) => swap(xml, '<s:Header>', `<s:Header>${security('')}`),
  'a second Security header behind': (xml) => swap(xml, '</s:Header>', `${security(timestamp())}</s:Header>`),
  'a second Signature': (xml) =>
    swap(xml, '</wsse:Security>', `${/<ds:Signature .*<\/ds:Signature>/s.exec(xml)![0]}</wsse:Security>`),
  'a second Timestamp': (xml) =>
    swap(xml, '</wsse:Security>', `${timestamp().replace('time', 'time2')}</wsse:Security>`),
  'another Timestamp, the signed one elsewhere': (xml) => {
    const time = /<wsu:Timestamp.*<\/wsu:Timestamp>/s.exec(xml)![0];
    return swap(swap(xml, time, timestamp().replace('"time"', '"new"')), '</s:Header>', `<w>${time}</w></s:Header>`);
  },
  'a UsernameToken beside it whose password nobody has tried': (xml) =>
    swap(xml, '</wsse:Security>', `${digestToken()}<x/></wsse:Security>`),
  'something unknown in the Security header': (xml) => swap(xml, '</wsse:Security>', '<x/></wsse:Security>'),
  'a header of another actor': (xml) => swap(xml, 's:mustUnderstand="1"', 's:actor="urn:other"'),
  'a Body of another namespace': (xml) => xml.replace('<s:Body ', '<s:Body xmlns:s="urn:x" '),
  'a prefix that means another namespace in the payload': (xml) =>
    swap(xml, '<SIGNED xmlns="urn:test:Safe.v1">', '<SIGNED xmlns="urn:test:Safe.v1"><MORE xmlns="urn:x"/>'),
  'an attribute more': (xml) => swap(xml, '<S>', '<S x="1">'),
  'a comment in a DigestValue': (xml) =>
    xml.replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->AAAA').replace('</ds:DigestValue>', '</ds:DigestValue>'),
  'a DigestValue that holds elements': (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><x>AAAA</x>'),
  'two DigestValues': (xml) =>
    xml.replace('</ds:DigestValue>', '</ds:DigestValue><ds:DigestValue>AAAA</ds:DigestValue>'),
  'two SignedInfos': (xml) => {
    const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)![0];
    return swap(xml, info, `${info.replaceAll('#body', '#x')}${info}`);
  },
  'a SignedInfo in an Object': (xml) => {
    const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)![0];
    return swap(xml, '</ds:Signature>', `<ds:Object>${info}</ds:Object></ds:Signature>`);
  },
  'a reference less': (xml) => xml.replace(/<ds:Reference URI="#time">.*?<\/ds:Reference>/s, ''),
  'a processing instruction for text': (xml) => swap(xml, '>hello<', '><?x hello?>evil<'),
  // xml-crypto has what stands in one for text: to it, this one reads as it was signed.
  'a processing instruction that hides a text': (xml) => swap(xml, '>hello<', '><?x hel?>lo<'),
  'a CDATA section with other text': (xml) => swap(xml, '>hello<', '>hello<![CDATA[ evil]]><'),
  'an entity': (xml) => `<!DOCTYPE x [<!ENTITY e "hello">]>${swap(xml, '>hello<', '>&e;<')}`,
  'an empty Body': (xml) => swap(xml, call('SIGNED'), ''),
  'a Signature without KeyInfo': (xml) => xml.replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, ''),
  'a certificate of somebody else': (xml) => swap(xml, token(PARTNER), token(ELLIPTIC)),
  'two certificates': (xml) =>
    swap(xml, token(PARTNER), `${token(ELLIPTIC).replace('"token"', '"t2"')}${token(PARTNER)}`),
  'a KeyInfo that leads out of the header': (xml) =>
    swap(swap(xml, token(PARTNER), ''), '</s:Header>', `${token(PARTNER)}</s:Header>`),
};

describe('nobody changes what another has signed', () => {
  it.each(Object.entries(changed))('%s', async (_, change) => {
    const before = handled(gateway).length;
    const { status, text } = await post(gateway, change(signedCall()));
    expect([400, 401, 500]).toContain(status);
    expect(text).toMatch(/Fault/);
    if (status === 500)
      expect(text).toMatch(/faultcode>soap:(Client|VersionMismatch|MustUnderstand)<|Value>soap:Sender</);
    expect(handled(gateway).slice(before)).toEqual([]);
  });

  it('what changes nothing that is signed is let be, and what is handled is what was signed', async () => {
    const before = handled(gateway).length;
    const same: readonly ((xml: string) => string)[] = [
      (xml) => swap(xml, '>hello<', '>he<!--evil-->llo<'),
      (xml) => swap(xml, '>hello<', '>h<![CDATA[ell]]>&#x6f;<'),
      (xml) => swap(xml, '<S>', '<S xmlns:unused="urn:x">'),
      (xml) => swap(xml, '</s:Header>', '<x xmlns="urn:x"/></s:Header>'),
    ];
    for (const change of same)
      expect((await post(gateway, change(signedCall()))).text).toContain('<S>partner hello</S>');
    expect(handled(gateway).slice(before)).toEqual(same.map(() => 'hello'));
  });
});

it('of a message that is changed at random, nothing is ever handled but what was signed', async () => {
  const before = handled(gateway).length;
  const xml = signedCall();
  const tags = [...xml.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
  const more = [...tags, '<!--x-->', '<?x y?>', '<![CDATA[x]]>', '&#x20;', ' Id="body"', '<', '"', 'x'];
  let state = 20261122;
  const next = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state % below;
  };
  const change = (): string => {
    const at = next(xml.length);
    const end = Math.min(xml.length, at + next(200));
    const part = more[next(more.length)] as string;
    const behind = xml.indexOf('>', at) + 1;
    return [
      () => xml.slice(0, at) + part + xml.slice(at),
      () => xml.slice(0, behind) + part + xml.slice(behind),
      () => xml.slice(0, at) + xml.slice(end),
      () => xml.slice(0, end) + xml.slice(at),
      () => xml.replace(tags[next(tags.length)] as string, () => part),
    ][next(5)]!();
  };
  const changed = Array.from({ length: 400 }, change);
  for (let at = 0; at < changed.length; at += 20) {
    const replies = await Promise.all(changed.slice(at, at + 20).map((each) => post(gateway, each)));
    for (const { text } of replies) expect(text).not.toContain('INTERNAL');
  }
  for (const said of handled(gateway).slice(before)) expect(said).toBe('hello');
});

describe('whoever signs must sign Body and Timestamp, and nothing around them', () => {
  const envelope = (inside = token(PARTNER) + timestamp(), more = ''): string =>
    message(security(inside), call('SIGNED'), more);

  it.each<[string, () => string, RegExp]>([
    ['the Body alone', () => signed(envelope(), { covers: [BODY] }), /does not cover/],
    ['the Timestamp alone', () => signed(envelope(), { covers: [TIME] }), /does not cover/],
    [
      'the payload in place of the Body',
      () => signed(envelope().replace('<S>', '<S wsu:Id="in">'), { covers: ["//*[local-name(.)='S']", TIME] }),
      /other than the Body or a header/,
    ],
    [
      'the Envelope',
      () => signed(envelope(undefined, 'wsu:Id="all"'), { covers: ['/*', TIME] }),
      /other than the Body or a header/,
    ],
    [
      'the Security header',
      () =>
        signed(message(security(token(PARTNER) + timestamp(), ' wsu:Id="sec"'), call('SIGNED')), {
          covers: [BODY, TIME, "//*[local-name(.)='Security']"],
        }),
      /other than the Body or a header/,
    ],
    ['an empty reference', () => signed(envelope()).replace('URI="#body"', 'URI=""'), /not to an id/],
    ['a reference without a URI', () => signed(envelope()).replace(' URI="#body"', ''), /not to an id/],
    [
      'a reference to nothing',
      () => signed(envelope()).replace('URI="#body"', 'URI="#none"'),
      /an id that is not in the message/,
    ],
    [
      'a reference by XPointer',
      () => signed(envelope()).replace('URI="#body"', `URI="#xpointer(id('body'))"`),
      /not to an id/,
    ],
    [
      'a reference to a file',
      () => signed(envelope()).replace('URI="#body"', 'URI="file:///etc/passwd"'),
      /not to an id/,
    ],
    [
      'a reference over HTTP',
      () => signed(envelope()).replace('URI="#body"', 'URI="http://127.0.0.1:9/"'),
      /not to an id/,
    ],
    [
      'a reference with a quote',
      () => signed(envelope()).replace('URI="#body"', `URI="#body' or '1'='1"`),
      /not to an id/,
    ],
    ['the Body twice', () => signed(envelope(), { covers: [BODY, TIME, BODY] }), /name the same/],
    [
      'a hundred references',
      () => signed(envelope(), { covers: [TIME, ...Array.from({ length: 100 }, () => BODY)] }),
      /101 references/,
    ],
    ['no Timestamp', () => signed(envelope(token(PARTNER)), { covers: [BODY] }), /no Timestamp/],
  ])('%s', async (_, write, reason) => {
    const before = handled(gateway).length;
    expect((await post(gateway, write())).status).toBe(401);
    expect(reasonOf(gateway)).toMatch(reason);
    expect(handled(gateway).slice(before)).toEqual([]);
  });

  it('a signature is of no use for an operation that it was not made for', async () => {
    const digest = await post(gateway, swap(signedCall(), '<SIGNED', '<EITHER').replace('</SIGNED', '</EITHER'));
    expect(digest.status).toBe(401);
  });

  it('attachments are covered by no signature', async () => {
    const body = packed([root(signedCall()), part('x', 'unsigned')]);
    const { status, text } = await post(gateway, body, { 'content-type': RELATED });
    expect([status, text]).toEqual([
      415,
      expect.stringContaining('without attachments, which the signature does not cover'),
    ]);
  });

  it('a namespace that must be declared anew ten thousand times is not', async () => {
    const long = `urn:${'x'.repeat(8000)}`;
    const body = `<SIGNED xmlns="urn:test:Safe.v1"><S>hello</S>${'<e:e/>'.repeat(10_000)}</SIGNED>`;
    const xml = signed(message(security(token(PARTNER) + timestamp()), '<x/>', `xmlns:e="${long}"`)).replace(
      '<x/>',
      body,
    );
    const started = performance.now();
    expect((await post(gateway, xml)).status).toBe(401);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(reasonOf(gateway)).toMatch(/canonical form/);
  });

  it("what signs nothing here is not canonicalised: the element of the signature is no other namespace's", async () => {
    expect((await post(gateway, signedCall().replace(DS, 'urn:other'))).status).toBe(401);
  });
});
