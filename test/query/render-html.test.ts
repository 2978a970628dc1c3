import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, rendered } from './render-support.ts';

const columns = columnsOf({ ID: 'integer', NAME: 'string', AT: 'datetime' });
/** What could end a cell, a tag or an attribute, and what is no text. */
const hostile = fc.constantFrom(...'<>&"\'/;#=-!ax3é \t\r\n\0\u0085\ufffe', '𝄞', '\ud800', '\udc00');
const page = (...names: string[]): string =>
  rendered(
    'html',
    columns,
    names.map((name, index) => [BigInt(index), name, '2026-01-02 10:00:00']),
  ).toString();

describe('html', () => {
  it('is a page of its own: a caption, headed columns, a row a line', () => {
    const text = page('Ana');
    expect(text).toMatch(/^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n/);
    expect(text).toContain('<title>A_QUERY</title>');
    expect(text.slice(text.indexOf('<table>'))).toBe(
      '<table>\n<caption>A_QUERY: 1 row</caption>\n<thead>\n' +
        '<tr><th scope="col" class="n">ID</th><th scope="col">NAME</th><th scope="col">AT</th></tr>\n</thead>\n<tbody>\n' +
        '<tr><td class="n">0</td><td>Ana</td><td>2026-01-02T10:00:00+0000</td></tr>\n' +
        '</tbody>\n</table>\n</body>\n</html>\n',
    );
  });

  it('has empty cells for NULL, and no rows where there are none', () => {
    expect(rendered('html', columns, [[1n, null, null]]).toString()).toContain(
      '<td class="n">1</td><td></td><td></td>',
    );
    expect(page()).toContain('<caption>A_QUERY: 0 rows</caption>');
  });

  it('may load and run nothing, whatever a value says', () => {
    const text = page('<script>alert(1)</script>', '<img src=x onerror="a">', '</td></table>&lt;', '\'"');
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(text).toContain('<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>');
    expect(text).toContain('<td>&lt;img src=x onerror=&quot;a&quot;&gt;</td>');
    expect(text).toContain('<td>&lt;/td&gt;&lt;/table&gt;&amp;lt;</td>');
    expect(text).toContain('<td>&#39;&quot;</td>');
  });

  it('replaces what HTML has no place for, and keeps the ends of lines', () => {
    expect(page('a\0b\u0085c\ufffed\ud800e')).toContain('<td>a\ufffdb\ufffdc\ufffdd\ufffde</td>');
    expect(page('a\r\nb\rc\nd\te')).toContain('<td>a\nb\nc\nd\te</td>');
    expect(page('𝄞 ünï')).toContain('<td>𝄞 ünï</td>');
  });

  it('never lets a value out of its cell', () => {
    const frame = page('').replace('<td></td>', '<td>|</td>').split('|');
    fc.assert(
      fc.property(fc.string({ unit: hostile }), (name) => {
        const text = page(name);
        const inside = text.slice((frame[0] as string).length, text.length - (frame[1] as string).length);
        return (
          text.startsWith(frame[0] as string) &&
          text.endsWith(frame[1] as string) &&
          !/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(inside)
        );
      }),
    );
  });
});
