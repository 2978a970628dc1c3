import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  carriesHeader,
  HEADER,
  planWrite,
  type WritePlan,
  withJsonHeader,
  withXmlHeader,
} from '../../src/generate/files.ts';

const isUpToDate = ({ write, remove }: WritePlan): boolean => write.size === 0 && remove.length === 0;

const generated = (text: string): string => `// ${HEADER}\n${text}\n`;
const files = new Map([
  ['generated/types.ts', generated('types')],
  ['generated/contracts/A.v1.wadl', withXmlHeader('<application/>')],
]);

describe('planWrite', () => {
  it('writes everything where there is nothing', () => {
    const plan = planWrite(files, new Map());
    expect([...plan.write]).toEqual([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(plan).toMatchObject({ remove: [], same: [], foreign: [] });
    expect(isUpToDate(plan)).toBe(false);
  });

  it('leaves alone what is as it should be, with either line end', () => {
    const existing = new Map([...files].map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]));
    for (const there of [files, existing]) {
      const plan = planWrite(files, there);
      expect(plan.write.size).toBe(0);
      expect(plan.same).toEqual(['generated/contracts/A.v1.wadl', 'generated/types.ts']);
      expect(isUpToDate(plan)).toBe(true);
    }
  });

  it('writes what was changed by hand, even where the header is gone', () => {
    const plan = planWrite(files, new Map([...files, ['generated/types.ts', 'export type Mine = 1;\n']]));
    expect([...plan.write]).toEqual([['generated/types.ts', generated('types')]]);
    expect(plan.remove).toEqual([]);
  });

  it('removes what was generated for a service that is gone, and nothing that was not generated', () => {
    const stale = withJsonHeader('{\n  "openapi": "3.1.0"\n}', 'x-generated');
    const existing = new Map([
      ...files,
      ['generated/contracts/Gone.v1.wadl', withXmlHeader('<?xml version="1.0" encoding="UTF-8"?>\n<application/>\n')],
      ['generated/contracts/Gone.v1.openapi.json', stale],
      ['generated/README.md', 'Notes of our own.\n'],
      ['generated/empty', ''],
      ['generated/quote.md', `${'x'.repeat(1000)} ${HEADER}`],
    ]);
    const plan = planWrite(files, existing);
    expect(plan.remove).toEqual(['generated/contracts/Gone.v1.openapi.json', 'generated/contracts/Gone.v1.wadl']);
    expect(plan.foreign).toEqual(['generated/README.md', 'generated/empty', 'generated/quote.md']);
    expect(isUpToDate(plan)).toBe(false);
  });

  it('comes to rest: what a plan leaves needs no other', () => {
    const path = fc.constantFrom<string[]>('generated/a', 'generated/b', 'generated/c/d', 'generated/e');
    const text = fc.string().map(generated);
    const there = fc.oneof(text, fc.string());
    const texts = <T extends fc.Arbitrary<string>>(value: T) =>
      fc.array(fc.tuple(path, value)).map((all) => new Map(all));
    fc.assert(
      fc.property(texts(text), texts(there), (wanted, existing) => {
        const plan = planWrite(wanted, existing);
        const after = new Map([...existing, ...plan.write]);
        for (const removed of plan.remove) after.delete(removed);
        expect(isUpToDate(planWrite(wanted, after))).toBe(true);
        for (const kept of plan.foreign) expect(after.get(kept)).toBe(existing.get(kept));
        expect([...after.keys()].sort()).toEqual([...new Set([...wanted.keys(), ...plan.foreign])].sort());
      }),
    );
  });
});

describe('headers', () => {
  it('stand after an XML declaration, at the top without one', () => {
    expect(withXmlHeader('<?xml version="1.0"?>\n<a/>')).toBe(`<?xml version="1.0"?>\n<!-- ${HEADER} -->\n<a/>\n`);
    expect(withXmlHeader('<?xml version="1.0"?><a/>\n')).toBe(`<?xml version="1.0"?>\n<!-- ${HEADER} -->\n<a/>\n`);
    expect(withXmlHeader('<a/>')).toBe(`<!-- ${HEADER} -->\n<a/>\n`);
  });

  it('are the first member of a JSON object, whose digits stay', () => {
    const text = withJsonHeader('{\n  "n": 12345678901234567890.10\n}\n', 'x-generated');
    expect(text).toBe(`{\n  "x-generated": ${JSON.stringify(HEADER)},\n  "n": 12345678901234567890.10\n}\n`);
    expect(JSON.parse(withJsonHeader('{}', '//'))).toEqual({ '//': HEADER });
    expect(carriesHeader(text)).toBe(true);
  });
});
