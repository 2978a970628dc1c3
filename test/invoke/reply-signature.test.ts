import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvokeError } from '../../src/invoke/index.ts';
import type { NodeCredential, ReplySignature } from '../../src/model/node.ts';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../../src/model/security.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { AUTHORITY, ELLIPTIC, EXPIRED, FORGED, PARTNER, WEAK } from '../attacks/support/signers.ts';
import {
  at,
  BODY,
  ECDSA_SHA256,
  message,
  type Signing,
  security,
  signed,
  TIME,
  timestamp,
  token,
} from '../attacks/support/wss.ts';
import { document, field } from '../support/registry.ts';
import { text } from './sending.ts';
import { type Answer, client, node, partner, SERVICE_NAMESPACE, target, thrown } from './support.ts';

const SAID = document('SAID', [field('S')]);
const WSSE_11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
const FAULT = '<s:Fault><faultcode>s:Client</faultcode><faultstring>no stock</faultstring></s:Fault>';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-replies-'));
  const files = { 'partner.pem': PARTNER.certificate, 'ca.pem': AUTHORITY, 'weak.pem': WEAK.certificate };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'partner.key'), PARTNER.key);
  writeFileSync(join(folder, 'expired.pem'), EXPIRED.certificate);
});
afterAll(() => rmSync(folder, { recursive: true }));

const trust = (parts: Partial<ReplySignature> = { certificateFile: text('partner.pem') }): ReplySignature => ({
  algorithms: ['rsa-sha256', 'ecdsa-sha256'].map((word) => SIGNATURE_ALGORITHMS[word]!),
  digests: [DIGEST_ALGORITHMS.sha256!],
  maxAge: 300_000,
  ...parts,
});
type Security = Extract<NodeCredential, { readonly kind: 'ws-security' }>;

const said = (words = 'ok'): string => `<r:SAID xmlns:r="${SERVICE_NAMESPACE}"><r:S>${words}</r:S></r:SAID>`;

interface Made {
  readonly signing?: Signing;
  readonly time?: string;
  readonly body?: string;
  readonly more?: string;
}

/** An envelope that the partner signs. */
const reply = ({ signing = {}, time = timestamp(), body = said(), more = '' }: Made = {}): string =>
  signed(message(security(token(signing.signer ?? PARTNER) + time + more), body), signing);

const answer = (body: string, status = 200, type = 'text/xml; charset=utf-8'): Answer => ({
  status,
  headers: { 'Content-Type': type },
  body,
});

/** A call that gets the answer, at a node whose replies are signed. */
async function called(
  given: Answer | ((request: string) => Answer),
  replySignature: ReplySignature | null = trust(),
  parts: Partial<Security> = { timestamp: 60_000 },
) {
  const { url } = await target(typeof given === 'function' ? ({ body }) => given(body.toString()) : given);
  const credential: NodeCredential = { kind: 'ws-security', ...parts, ...(replySignature && { replySignature }) };
  const registry = partner(node('PARTNER', [url], { credential }), { request: SAID, response: SAID });
  const notes: unknown[] = [];
  const calls = client(registry, { folder, onCall: ({ note }) => notes.push(note) });
  return { answer: calls.call('FILE_SEND', { S: 'x' }), notes };
}

async function refusal(given: Answer | ((request: string) => Answer), by?: ReplySignature, parts?: Partial<Security>) {
  const error = (await thrown((await called(given, by, parts)).answer)) as InvokeError;
  expect(error.code).toBe('BAD_REPLY');
  return error.message;
}

const REFUSED = 'is not signed as reply-signature of the node asks: ';

describe('a node with `reply-signature: { certificate: … }`', () => {
  it('takes the value of a reply whose Body and Timestamp the partner has signed', async () => {
    expect((await (await called(answer(reply()))).answer).value).toEqual({ S: 'ok' });
  });

  it('takes a reply without a Timestamp whose Body is signed', async () => {
    const untimed = reply({ time: '', signing: { covers: [BODY] } });
    expect((await (await called(answer(untimed))).answer).value).toEqual({ S: 'ok' });
  });

  it('finds a certificate that the reply names only by its serial number', async () => {
    const { serialNumber } = new (await import('node:crypto')).X509Certificate(PARTNER.certificate);
    const keyInfo = `<wsse:SecurityTokenReference><ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>CN=partner</ds:X509IssuerName><ds:X509SerialNumber>${BigInt(`0x${serialNumber}`)}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data></wsse:SecurityTokenReference>`;
    const named = signed(message(security(timestamp()), said()), { keyInfo });
    expect((await (await called(answer(named))).answer).value).toEqual({ S: 'ok' });
    expect(await refusal(answer(named), trust({ certificateFile: text('weak.pem') }))).toContain(
      'the certificate is not in the message, and is not one of the expected ones',
    );
  });

  it('throws a signed fault as a fault', async () => {
    const error = await thrown((await called(answer(reply({ body: FAULT }), 500))).answer);
    expect(error).toMatchObject({ name: 'SoapFault', reason: 'no stock' });
  });

  const unsigned = message('', said());
  const moved = (): string => {
    const [whole] = /<s:Body[\s\S]*<\/s:Body>/.exec(reply()) ?? [''];
    const wrapped = reply().replace(/<s:Body[\s\S]*<\/s:Body>/, `<s:Body wsu:Id="other">${said('forged')}</s:Body>`);
    return wrapped.replace('</s:Header>', `<w xmlns="urn:w">${whole}</w></s:Header>`);
  };
  it.each<[string, () => Answer, string]>([
    ['has no Security header', () => answer(unsigned), 'it has no Security header'],
    ['has a Timestamp only', () => answer(message(security(timestamp()), said())), 'Security has no Signature'],
    ['was changed', () => answer(reply().replace('>ok<', '>no<')), 'a digest does not match'],
    [
      'has its digest changed',
      () => answer(reply().replace(/<ds:DigestValue>[^<]{4}/, '<ds:DigestValue>AAAA')),
      'the signature does not match',
    ],
    [
      'signs its Timestamp alone',
      () => answer(reply({ signing: { covers: [TIME] } })),
      'the signature does not cover Body and Timestamp',
    ],
    [
      'signs its Body and not its Timestamp',
      () => answer(reply({ signing: { covers: [BODY] } })),
      'the signature does not cover Body and Timestamp',
    ],
    ['has its signed Body wrapped in a header', () => answer(moved()), 'a reference names something other'],
    [
      'is signed by another certificate',
      () => answer(reply({ signing: { signer: ELLIPTIC, algorithm: ECDSA_SHA256 } })),
      'its certificate is not one that',
    ],
    ['was created an hour ago', () => answer(reply({ time: timestamp(at(-3_600_000), at(60_000)) })), 'it is too old'],
    [
      'is an unsigned fault',
      () => answer(message('', FAULT), 500),
      "It is a fault that can't be trusted: Client: no stock",
    ],
    [
      'is MTOM',
      () =>
        answer(
          `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n${reply()}\r\n--b--`,
          200,
          'multipart/related; boundary=b; type="application/xop+xml"',
        ),
      'it has attachments (MTOM)',
    ],
  ])('fails a call whose reply %s', async (_, made, why) => {
    const words = await refusal(made());
    expect(words).toContain(REFUSED);
    expect(words).toContain(why);
  });

  it('fails a call whose reply has expired', async () => {
    const words = await refusal(answer(reply({ time: timestamp(at(-120_000), at(-60_000)) })));
    expect(words).toContain('has a Timestamp that expired at');
  });

  it('fails a call whose reply has an expired certificate, although it is the expected one', async () => {
    const expired = reply({ signing: { signer: EXPIRED, algorithm: ECDSA_SHA256 } });
    const by = trust({ certificateFile: text('expired.pem') });
    expect(await refusal(answer(expired), by)).toContain('the certificate has expired');
  });

  it('takes a confirmation of the signature that was sent, refuses that of another, and demands one by `confirmation`', async () => {
    const all = (element: XmlElement): XmlElement[] => [element, ...childrenOf(element).flatMap(all)];
    const signing = { signature: { file: text('partner.pem'), keyFile: text('partner.key') }, timestamp: 60_000 };
    const confirmed = (value: string, covered = true) =>
      answer(
        reply({
          more: `<c:SignatureConfirmation xmlns:c="${WSSE_11}" wsu:Id="sc" Value="${value}"/>`,
          signing: { covers: [BODY, TIME, ...(covered ? ["//*[local-name(.)='SignatureConfirmation']"] : [])] },
        }),
      );
    const signatureOf = (request: string): string =>
      textOf(all(readXml(request)).find(({ local }) => local === 'SignatureValue')!);
    const right = await called((request) => confirmed(signatureOf(request)), trust(), signing);
    expect((await right.answer).value).toEqual({ S: 'ok' });
    for (const value of ['AAAA', ''])
      expect(await refusal(() => confirmed(value), trust(), signing)).toContain(
        'SignatureConfirmation is about another request',
      );
    const demanding = { ...trust(), confirmation: true };
    const demanded = await called((request) => confirmed(signatureOf(request)), demanding, signing);
    expect((await demanded.answer).value).toEqual({ S: 'ok' });
    expect(await refusal(answer(reply()), demanding, signing)).toContain('it has no SignatureConfirmation');
    expect(await refusal((request) => confirmed(signatureOf(request), false), trust(), signing)).toContain(
      'the signature does not cover SignatureConfirmation',
    );
  });

  it('accepts SHA-1 only where it is declared', async () => {
    const RSA_SHA1 = SIGNATURE_ALGORITHMS['rsa-sha1']!;
    const SHA1 = DIGEST_ALGORITHMS.sha1!;
    const weak = answer(reply({ signing: { algorithm: RSA_SHA1, digest: SHA1 } }));
    expect(await refusal(weak)).toContain('the algorithm of SignatureMethod is not accepted');
    const algorithms = { ...trust(), algorithms: [RSA_SHA1] };
    expect(await refusal(weak, algorithms)).toContain('the algorithm of DigestMethod is not accepted');
    expect((await (await called(weak, { ...algorithms, digests: [SHA1] })).answer).value).toEqual({ S: 'ok' });
    expect(await refusal(answer(reply()), algorithms)).toContain('the algorithm of SignatureMethod is not accepted');
  });

  it('names the file of a certificate that is not there, before anything is sent', async () => {
    const error = await thrown((await called(answer(reply()), trust({ certificateFile: text('none.pem') }))).answer);
    expect((error as InvokeError).message).toContain("replies of node PARTNER can't be verified");
  });
});

describe('a node with `reply-signature: { ca: …, subject: … }`', () => {
  const by = (subject: string): ReplySignature => trust({ caFile: text('ca.pem'), subject });
  const elliptic = (signer = ELLIPTIC): Answer => answer(reply({ signing: { signer, algorithm: ECDSA_SHA256 } }));

  it('takes a certificate that the authority has issued to the subject, and no other', async () => {
    expect((await (await called(elliptic(), by('CN=elliptic,O=Example'))).answer).value).toEqual({ S: 'ok' });
    expect(await refusal(elliptic(), by('CN=other,O=Example'))).toContain('its certificate is not one that');
    expect(await refusal(elliptic(FORGED), by('CN=elliptic,O=Example'))).toContain('its certificate is not one that');
  });
});

describe('a node without `reply-signature`', () => {
  it('ignores a signature, and notes that in the record of the call', async () => {
    const forged = await called(answer(reply().replace('>ok<', '>no<')), null);
    expect((await forged.answer).value).toEqual({ S: 'no' });
    expect(forged.notes).toEqual([
      'the signature of the reply was not verified: reply-signature of the node is not set',
    ]);
    const unsigned = await called(answer(message(security(timestamp()), said())), null);
    await unsigned.answer;
    expect(unsigned.notes).toEqual([undefined]);
  });
});
