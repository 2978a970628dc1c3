import { expect, it } from 'vitest';
import { Losses } from '../../src/import/place.ts';
import { gather, resolveLocation, type SourceLanguage } from '../../src/import/source.ts';
import { readFrom } from './support.ts';

/** Texts whose lines are references. */
const LINES: SourceLanguage<string> = {
  parse: (bytes) => Buffer.from(bytes).toString(),
  referencesOf: (text, source) =>
    text.split('\n').flatMap((to, index) => (to === '' ? [] : [{ to, place: { source, line: index + 1, column: 1 } }])),
};

it('reads each part once, in circles too', async () => {
  const reads: string[] = [];
  const read = readFrom({ 'a/root': 'b\n../c', 'a/b': '../c\nroot', c: 'a/root#x' });
  const sources = await gather(
    ['a/root'],
    LINES,
    async (location) => {
      reads.push(location);
      return await read(location);
    },
    new Losses(),
  );
  expect(reads).toEqual(['a/root', 'a/b', 'c']);
  expect(sources.referred('a/b', '../c')?.location).toBe('c');
});

it('names a missing part at each place that refers to it', async () => {
  const losses = new Losses();
  await gather(['a'], LINES, readFrom({ a: 'b\nb\n\nc', c: 'b' }), losses);
  expect(losses.all().map(({ what, place }) => `${place.source}:${place.line} ${what}`)).toEqual([
    'a:1 the part "b" does not exist',
    'a:2 the part "b" does not exist',
    'c:1 the part "b" does not exist',
  ]);
});

it('reads no more files and bytes than it may', async () => {
  let count = 0;
  const endless = async () => ({ bytes: Buffer.from(`next${++count}`) });
  const limits = { files: 10, file: 1000, bytes: 2000 };
  await expect(gather(['a'], LINES, endless, new Losses(), limits)).rejects.toThrow(
    'next9:1:1: the contract consists of more than 10 files',
  );
  const large = async () => ({ bytes: Buffer.from(`${' '.repeat(900)}${++count}`) });
  await expect(gather(['a'], LINES, large, new Losses(), limits)).rejects.toThrow('the contract is larger than');
});

it.each([
  ['b.xsd', 'a.wsdl', 'b.xsd'],
  ['../b.xsd', 'x/y/a.wsdl', 'x/b.xsd'],
  ['../../b.xsd', 'x/a.wsdl', '../b.xsd'],
  ['./b%20c.xsd#d', '/x/a.wsdl', '/x/b c.xsd'],
  ['..\\b.xsd', '/x/y/a.wsdl', '/x/b.xsd'],
  ['b.xsd?v=1', 'https://h.example/x/a?wsdl', 'https://h.example/x/b.xsd?v=1'],
  ['http://o.example/b', '/x/a.wsdl', 'http://o.example/b'],
  ['file:///y/b.xsd', '/x/a.wsdl', '/y/b.xsd'],
  ['', '/x/a.wsdl', '/x/a.wsdl'],
])('the reference %s in %s leads to %s', (to, from, location) => {
  expect(resolveLocation(to, from)).toBe(location);
});
