import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Base64Decoder, base64Length, encodeBase64 } from '../../../src/wire/base64.ts';
import { QuotedPrintableDecoder } from '../../../src/wire/multipart/quoted-printable.ts';
import { decodeTransfer } from '../../../src/wire/multipart/transfer-encoding.ts';
import { expectWithin } from '../../support/duration.ts';

const complain = (reason: string): Error => new SyntaxError(reason);

async function* chunksOf(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

function cut(whole: Buffer, length: number): Buffer[] {
  return Array.from({ length: Math.ceil(whole.length / length) }, (_, at) =>
    whole.subarray(at * length, at * length + length),
  );
}

async function decode(encoding: string | undefined, chunks: Iterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(decodeTransfer(encoding, chunksOf(chunks), complain)));
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Decoded whole and byte by byte, which have to agree. */
async function text(encoding: string, given: string): Promise<string> {
  const whole = (await decode(encoding, [bytes(given)])).toString('latin1');
  expect((await decode(encoding, cut(bytes(given), 1))).toString('latin1')).toBe(whole);
  return whole;
}

async function refusal(encoding: string, given: string): Promise<string> {
  const reasonOf = async (chunks: Iterable<Buffer>): Promise<string> => {
    const outcome: unknown = await decode(encoding, chunks).catch((error) => error);
    expect(outcome).toBeInstanceOf(SyntaxError);
    return (outcome as SyntaxError).message;
  };
  const whole = await reasonOf([bytes(given)]);
  expect(await reasonOf(cut(bytes(given), 1))).toBe(whole);
  return whole;
}

describe('content that is not encoded', () => {
  it.each([undefined, 'binary', '8bit', '7bit', 'BINARY', '8Bit'])('%s is left as it is', async (encoding) => {
    const given = bytes('a=3D\r\n\0\xff QQ==');
    const [piece] = await Array.fromAsync(decodeTransfer(encoding, chunksOf([given]), complain));
    expect(piece).toBe(given);
  });

  it.each(['x-uuencode', '', 'base-64', 'gzip'])('%j is refused by name, and at once', (encoding) => {
    expect(() => decodeTransfer(encoding, chunksOf([]), complain)).toThrow(
      new SyntaxError(`its Content-Transfer-Encoding ${JSON.stringify(encoding)} is not known`),
    );
  });

  it('names no more of an encoding than is of use', () => {
    expect(() => decodeTransfer('x'.repeat(1000), chunksOf([]), complain)).toThrow(`"${'x'.repeat(60)}" is not known`);
  });
});

describe('base64', () => {
  it.each([
    ['', ''],
    ['\r\n \t', ''],
    ['QQ==', 'A'],
    ['QUI=', 'AB'],
    ['QUJD', 'ABC'],
    ['QUJDRA==\r\n', 'ABCD'],
    ['QU\r\nJD\n\n R\tA=\r\n=', 'ABCD'],
    ['/+8=', '\xff\xef'],
  ])('%j is %j', async (given, content) => {
    expect(await text('base64', given)).toBe(content);
    expect(await text('Base64', given)).toBe(content);
  });

  it.each([
    ['QUJD!UJD', 'its base64 holds the byte 0x21 at offset 4'],
    ['QUJD\r\nQ\0JD', 'its base64 holds the byte 0x00 at offset 7'],
    ['QUJDQU-_', 'its base64 holds the byte 0x2D at offset 6'],
    ['QUJD\xa0', 'its base64 holds the byte 0xA0 at offset 4'],
    ['Q_', 'its base64 holds the byte 0x5F at offset 1'],
    ['QQ', 'its base64 ends within a group of four characters: it is cut, or lacks its padding'],
    ['QUJDQ', 'its base64 ends within a group of four characters: it is cut, or lacks its padding'],
    ['QQ=', 'its base64 ends within a group of four characters: it is cut, or lacks its padding'],
    ['QQ==QUJD', 'its base64 has padding that does not end it'],
    ['QQ==QQ==', 'its base64 has padding that does not end it'],
    ['QQ== =', 'its base64 has padding that does not end it'],
    ['QQ==Q', 'its base64 has padding that does not end it'],
    ['QUI=QUI=', 'its base64 has padding that does not end it'],
    ['Q=JD', 'its base64 has padding that does not end it'],
    ['=QQQ', 'its base64 has padding that does not end it'],
    ['QQ=Q', 'its base64 has padding that does not end it'],
    ['Q===', 'its base64 has padding that does not end it'],
    ['====', 'its base64 has padding that does not end it'],
    ['QR==', 'the last character of its base64 has bits that stand for nothing'],
    ['QUJDQUJ=', 'the last character of its base64 has bits that stand for nothing'],
  ])('%j is refused', async (given, reason) => {
    expect(await refusal('base64', given)).toBe(reason);
  });

  it('says where a bad character stands behind what has been decoded', async () => {
    const given = bytes(`${'QUJD'.repeat(100_000)}*`);
    await expect(decode('base64', cut(given, 999))).rejects.toThrow('the byte 0x2A at offset 400000');
  });

  it('is what it was before it was encoded, however it is cut', async () => {
    const content = fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each));
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 1, max: 90 }),
        async (given, into, out) => {
          const encoded = Buffer.concat(await Array.fromAsync(encodeBase64(chunksOf(cut(given, into)))));
          expect(encoded.length).toBe(base64Length(given.length));
          expect(encoded.toString()).toBe(given.toString('base64').replace(/(.{76})(?=.)/g, '$1\r\n'));
          expect(await decode('base64', cut(encoded, out))).toEqual(given);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is refused with any of its characters replaced by another byte', async () => {
    const good = bytes('QUJDRUZHSElK');
    const other = fc
      .integer({ min: 0, max: 255 })
      .filter((byte) => !/[A-Za-z0-9+/\r\n\t ]/.test(String.fromCharCode(byte)));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: good.length - 3 }), other, async (at, byte) => {
        const bad = Buffer.from(good);
        bad[at] = byte;
        await expect(decode('base64', [bad])).rejects.toThrow(SyntaxError);
      }),
      { numRuns: 300 },
    );
  });

  it('is decoded in pieces, where a source gives much at once', async () => {
    const pieces = await Array.fromAsync(decodeTransfer('base64', chunksOf([bytes('QUJD'.repeat(500_000))]), complain));
    expect(pieces.length).toBeGreaterThan(5);
    expect(Buffer.concat(pieces).equals(bytes('ABC'.repeat(500_000)))).toBe(true);
  });
});

describe('quoted-printable', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['a=3Db=0D=0A', 'a=b\r\n'],
    ['=c3=A9', '\xc3\xa9'],
    ['soft=\r\n break', 'soft break'],
    ['soft=\nbreak=  \t\r\n.', 'softbreak.'],
    ['blanks  \t\r\nat the end \nof lines  ', 'blanks\r\nat the end\nof lines'],
    ['blanks =\r\nbefore a soft break', 'blanks before a soft break'],
    ['kept=20\r\n=09', 'kept \r\n\t'],
    ['a\t b', 'a\t b'],
    ['\r\n\r\n', '\r\n\r\n'],
    ['=\r\n', ''],
  ])('%j is %j', async (given, content) => {
    expect(await text('quoted-printable', given)).toBe(content);
    expect(await text('Quoted-Printable', given)).toBe(content);
  });

  const holds = 'its quoted-printable text holds';

  it.each([
    ['=G0', `${holds} a = that is not an escape at offset 1`],
    ['=4', 'its quoted-printable text ends within an escape or a line end'],
    ['abc=', 'its quoted-printable text ends within an escape or a line end'],
    ['abc= ', 'its quoted-printable text ends within an escape or a line end'],
    ['abc\r', 'its quoted-printable text ends within an escape or a line end'],
    ['=4\r\n1', `${holds} a = that is not an escape at offset 2`],
    ['==41', `${holds} a = that is not an escape at offset 1`],
    ['a= b', `${holds} a = that is not an escape at offset 3`],
    ['a\rb', `${holds} a CR without LF at offset 2`],
    ['a=\rb', `${holds} a CR without LF at offset 3`],
    ['caf\xe9', `${holds} the byte 0xE9 at offset 3`],
    ['a\0', `${holds} the byte 0x00 at offset 1`],
    [`a${' '.repeat(999)}`, `${holds} more than 998 blanks in a row at offset 999`],
  ])('%j is refused', async (given, reason) => {
    expect(await refusal('quoted-printable', given)).toBe(reason);
  });

  it('is what it was before it was encoded, however it is cut', async () => {
    const escaped = (byte: number): string => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    const unit = fc.oneof(
      fc.constantFrom<[string, string]>(
        ['=\r\n', ''],
        ['= \n', ''],
        ['x', 'x'],
        ['\r\n', '\r\n'],
        [' y', ' y'],
        ['\tz', '\tz'],
      ),
      fc.nat({ max: 255 }).map((byte): [string, string] => [escaped(byte), String.fromCharCode(byte)]),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit), fc.integer({ min: 1, max: 7 }), async (units, length) => {
        const given = bytes(units.map(([encoded]) => encoded).join(''));
        const content = bytes(units.map(([, decoded]) => decoded).join(''));
        expect(await decode('quoted-printable', cut(given, length))).toEqual(content);
      }),
      { numRuns: 500 },
    );
  });
});

it.each<[string, Base64Decoder | QuotedPrintableDecoder, string]>([
  ['base64 with a blank in every place', new Base64Decoder(complain), 'A '.repeat(500_000)],
  ['base64 of blanks', new Base64Decoder(complain), ' '.repeat(1_000_000)],
  ['quoted-printable with long blanks', new QuotedPrintableDecoder(complain), `${' '.repeat(900)}x`.repeat(1000)],
  ['quoted-printable of soft breaks', new QuotedPrintableDecoder(complain), '=\n'.repeat(500_000)],
])('a megabyte of %s is decoded in no time', (_, decoder, given) => {
  const piece = bytes(given);
  expectWithin(500, () => decoder.write(piece));
});
