import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  fingerprintOf,
  hmacInstant,
  hmacOf,
  isAmong,
  readHeaderForm,
  readHmacHeader,
  readHmacKey,
  readSignedForm,
  writeHmacHeader,
} from '../../src/wire/hmac.ts';

/** The header that a sender writes. */
function headerOf(secret: string, form: string, signed: string, body: string, timestamp = '', id?: string): string {
  const facts = { body, timestamp, id };
  const digest = hmacOf('sha256', readHmacKey(secret, 'text'), readSignedForm(signed), facts);
  return writeHmacHeader(readHeaderForm(form), [digest], timestamp);
}

describe('a signature is that of', () => {
  it('GitHub (docs.github.com, "Validating webhook deliveries")', () => {
    expect(headerOf("It's a Secret to Everybody", 'sha256={hex}', '{body}', 'Hello, World!')).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  it('Slack (api.slack.com, "Verifying requests from Slack")', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const secret = '8f742231b10e8888abcd99yyyzzz85a5';
    expect(headerOf(secret, 'v0={hex}', 'v0:{timestamp}:{body}', body, '1531420618')).toBe(
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
  });

  it('Standard Webhooks, written as a form of it', () => {
    // The example of the specification.
    const key = readHmacKey('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const facts = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' };
    const digest = hmacOf('sha256', key, readSignedForm('{id}.{timestamp}.{body}'), facts);
    expect(writeHmacHeader(readHeaderForm('v1,{base64}'), [digest, digest], facts.timestamp)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('RFC 4231, test case 2', () => {
    const digest = hmacOf('sha512', readHmacKey('Jefe', 'text'), readSignedForm('{body}'), {
      ...{ timestamp: undefined, id: undefined, body: Buffer.from('what do ya want for nothing?') },
    });
    expect(digest.toString('hex')).toBe(
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    );
  });
});

describe('a header', () => {
  it.each([
    'sha256={hex},{timestamp}',
    '{hex},{timestamp}',
    '{base64} {timestamp}',
    '{timestamp} {hex}',
  ])('of the form %s is read as it is written', (form) => {
    const digest = Buffer.from('00ffa1'.repeat(8), 'hex');
    const written = writeHmacHeader(readHeaderForm(form), [digest], '1764404000');
    const { digests, timestamp } = readHmacHeader(readHeaderForm(form), written);
    expect([isAmong(digest, digests), timestamp]).toEqual([true, '1764404000']);
  });

  const read = (form: string, header: string) => {
    const { digests, timestamp } = readHmacHeader(readHeaderForm(form), header);
    return [digests.map((each) => each.toString('hex')), timestamp];
  };

  it.each([
    ['{hex}', 'ABcd', ['abcd']],
    ['{base64}', 'q80=', ['abcd']],
    ['{base64}', '_-8', ['ffef']],
    ['sha256={hex}', 'sha256=abcd', ['abcd']],
    ['sha256={hex}', 'sha1=1234, sha256=abcd', ['abcd']],
    ['sha256={hex}', 'abcd', []],
    ['sha256={hex}', 'sha256=abcd0x', []],
    ['HMAC {base64}', 'HMAC q80=', ['abcd']],
    ['v1,{base64}', 'v1,q80= v2,AAAA v1,EjQ=', ['abcd', '1234']],
    ['signature="{hex}"', 'keyId="a", signature="abcd"', ['abcd']],
    ['keyId="a";signature="{hex}"', 'keyId="a";signature="abcd"', ['abcd']],
    ['{hex}', '', []],
  ])('of the form %s is read from %s', (form, header, digests) => {
    expect(read(form, header)).toEqual([digests, undefined]);
  });

  it('has its time, and several signatures', () => {
    expect(read('t={timestamp},v1={hex}', 't=1492774577,v1=abcd,v1=1234,v0=6ffb')).toEqual([
      ['abcd', '1234'],
      '1492774577',
    ]);
    expect(read('v1={hex}; t={timestamp}', 'v1=abcd;t=2020-01-01T00:00:00Z')).toEqual([
      ['abcd'],
      '2020-01-01T00:00:00Z',
    ]);
  });

  it('is written as it is read', () => {
    const [one, two] = [Buffer.from('abcd', 'hex'), Buffer.from('1234', 'hex')];
    expect(writeHmacHeader(readHeaderForm('t={timestamp},v1={hex}'), [one, two], '17')).toBe('t=17,v1=abcd,v1=1234');
    expect(writeHmacHeader(readHeaderForm('HMAC {base64}'), [one], '17')).toBe('HMAC q80=');
    expect(writeHmacHeader(readHeaderForm('v1={hex}; t={timestamp}'), [one, two], '17')).toBe('v1=abcd; t=17,v1=1234');
  });

  it('has at most sixteen signatures', () => {
    expect(read('{hex}', Array.from({ length: 40 }, () => 'abcd').join(','))[0]).toHaveLength(16);
  });
});

describe('a form is refused', () => {
  const fault = (read: () => unknown): string => {
    try {
      read();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['sha256=', 'needs either {hex} or {base64}'],
    ['{hex} {base64}', 'needs either {hex} or {base64}'],
    ['{hex},{hex}', 'has {hex} twice'],
    ['{digest}', 'has {digest}, which is not one of {hex}, {base64}, {timestamp}'],
    ['{hex', 'has a brace that belongs to no variable'],
    ['{timestamp}.{hex}', 'needs a comma, a semicolon or a space between its two variables'],
    ['{timestamp}{hex}', 'needs a comma, a semicolon or a space between its two variables'],
    ['é{hex}', 'has a character that is not valid in a header'],
  ])('of a header: %s', (form, reason) => {
    expect(fault(() => readHeaderForm(form))).toContain(reason);
  });

  it.each([
    ['{timestamp}', 'needs {body}'],
    ['{body}{body}', 'has {body} twice'],
    ['{hex}{body}', 'has {hex}, which is not one of {timestamp}, {id}, {body}'],
  ])('of what is signed: %s', (form, reason) => {
    expect(fault(() => readSignedForm(form))).toContain(reason);
  });

  it.each([
    ['', 'text', 'it is empty'],
    ['abc', 'hex', 'it does not consist of pairs of hexadecimal digits'],
    ['a b', 'base64', 'it is not base64'],
  ] as const)('of a secret: %j in %s', (secret, encoding, reason) => {
    expect(fault(() => readHmacKey(secret, encoding))).toBe(reason);
  });
});

it('a secret is the bytes that its encoding says', () => {
  const of = (text: string, encoding: 'text' | 'base64' | 'hex') => readHmacKey(text, encoding).export();
  expect([of('q83v', 'base64'), of('abcdef', 'hex')].map((each) => each.toString('hex'))).toEqual(['abcdef', 'abcdef']);
  expect(of('abcdef', 'text').toString()).toBe('abcdef');
});

it('a fingerprint is of what is signed, and of no secret', () => {
  const signed = readSignedForm('{timestamp}.{body}');
  const facts = { timestamp: '1', id: undefined, body: 'a' };
  expect(fingerprintOf(signed, facts)).toBe(fingerprintOf(signed, { ...facts, body: Buffer.from('a') }));
  expect(fingerprintOf(signed, facts)).not.toBe(fingerprintOf(signed, { ...facts, timestamp: '2' }));
});

it('digests are compared whole: none of another length is the same', () => {
  const digest = createHmac('sha256', createSecretKey(Buffer.from('a')))
    .update('b')
    .digest();
  expect(isAmong(digest, [Buffer.alloc(0), digest.subarray(0, 31), Buffer.concat([digest, digest])])).toBe(false);
  expect(isAmong(digest, [Buffer.alloc(32), Buffer.from(digest)])).toBe(true);
});

it.each([
  ['1531420618', 1_531_420_618_000],
  ['1531420618123', 1_531_420_618_123],
  ['2019-11-16T10:11:12.634234626Z', Date.parse('2019-11-16T10:11:12.634Z')],
  ['2019-11-16T10:11:12+01:00', Date.parse('2019-11-16T09:11:12Z')],
  ['2019-11-16', undefined],
  ['1e9', undefined],
  ['-5', undefined],
  ['', undefined],
  ['153142061812345678', undefined],
])('the time %j is %s', (text, at) => {
  expect(hmacInstant(text)).toBe(at);
});
