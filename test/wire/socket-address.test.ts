import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSocketAddress } from '../../src/wire/network-address.ts';

const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });

describe('an address of a socket', () => {
  it.each([
    ['192.0.2.1', { address: '192.0.2.1', family: 4 }],
    ['192.0.2.1:8443', { address: '192.0.2.1', family: 4, port: 8443 }],
    ['[2001:db8::1]', { address: '2001:db8::1', family: 6 }],
    ['[::ffff:192.0.2.1]:1', { address: '::ffff:192.0.2.1', family: 6, port: 1 }],
  ])('is read: %s', (text, expected) => {
    expect(parseSocketAddress(text)).toEqual(expected);
  });

  it.each([
    '',
    'localhost',
    'example.org:443',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '3221225985',
    '0x7f.0.0.1',
    '2001:db8::1',
    '[192.0.2.1]',
    '[2001:db8::1',
    '[2001:db8::1::2]',
    '[fe80::1%eth0]',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:8a',
    ' 192.0.2.1',
    '192.0.2.1/24',
    'http://192.0.2.1',
    '192.0.2.1\n',
  ])('is no other text: %j', (text) => {
    expect(parseSocketAddress(text)).toBeUndefined();
  });

  it('is read as it was written, whatever its numbers', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), port, (four, six, number) => {
        const end = number === undefined ? '' : `:${number}`;
        const expected = number === undefined ? {} : { port: number };
        expect(parseSocketAddress(`${four}${end}`)).toEqual({ address: four, family: 4, ...expected });
        expect(parseSocketAddress(`[${six}]${end}`)).toEqual({ address: six, family: 6, ...expected });
      }),
    );
  });
});
