import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQueryString } from '../../../src/wire/query-string.ts';
import { decodeRaw } from '../../../src/wire/uri-template/decode-value.ts';
import { compileUriExpander } from '../../../src/wire/uri-template/expand.ts';
import { type UriExpander, UriExpansionError, type UriValue } from '../../../src/wire/uri-template/expand-template.ts';
import { compileUriMatcher } from '../../../src/wire/uri-template/match.ts';
import type { ValueShape } from '../../../src/wire/uri-template/program.ts';
import { parseUriTemplate } from '../../../src/wire/uri-template/uri-template.ts';

/**
 * match(expand(x)) = x, for every operator that a server can receive. What RFC 6570 writes alike can't be told apart, so
 * these are left out, by construction of the units below:
 * - nothing and the empty list (both are written as nothing); in a query `['']` and the empty list;
 * - the empty text in `{x}` and `{+x}` alone, which no path variable matches;
 * - an absent variable among `{a,b}`, and a gap before a present one in `{/a,b}` and `{.a,b}`;
 * - two expressions side by side whose texts share characters (`{a}{b}`, `{a}-{b}` with a hyphen in `a`), and two that
 *   may span segments; a dot in `{.a,b}` and `{.a*}`;
 * - an empty first segment of a template that begins with `{/x}`, whose slash is the one before every template;
 * - a slash at the start of a path that begins with `{+x}`, since it is the one that stands before every template.
 * Not written at all, and left out too: dots beside a slash or a backslash, which many readers of a path would follow.
 */
interface Unit {
  readonly text: string;
  readonly values: Readonly<Record<string, fc.Arbitrary<UriValue>>>;
  readonly shapes: Readonly<Record<string, ValueShape>>;
}

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...",;=/?&#%+.:@!$'()* a€𝄞") }),
  )
  .filter((t) => t.isWellFormed() && !t.includes('\0'));
const noDots = text.filter((t) => t !== '.' && t !== '..');
const some = noDots.filter((t) => t !== '');
const undotted = text.map((t) => t.replaceAll('.', ''));
const list = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 4 });
const shown = (items: readonly string[]) => !['', '.', '..'].includes(items.join(','));
const maybe = (value: fc.Arbitrary<UriValue>) => fc.option(value, { nil: undefined });

type Maker = (name: string) => Unit;

const one = (form: (name: string) => string, value: fc.Arbitrary<UriValue>, shape: ValueShape = 'string'): Maker => {
  return (name) => ({ text: form(name), values: { [name]: value }, shapes: { [name]: shape } });
};

/** Segments that hold no slash of their own. */
const closed: readonly Maker[] = [
  () => ({ text: 'literal', values: {}, shapes: {} }),
  one((n) => `{${n}}`, some),
  one((n) => `v{${n}}`, some),
  one((n) => `f('{${n}}')`, some),
  one(
    (n) => `{${n}:3}`,
    some.map((t) => [...t].slice(0, 3).join('')).filter((t) => t !== '.' && t !== '..'),
  ),
  one((n) => `{${n}}`, list(text).filter(shown), 'list'),
  one((n) => `{${n}*}`, list(text).filter(shown), 'list'),
  one((n) => `x{.${n}}`, maybe(text)),
  one((n) => `x{.${n}}`, maybe(list(text)), 'list'),
  one((n) => `x{.${n}*}`, maybe(list(undotted)), 'list'),
  one((n) => `x{;${n}}`, maybe(text)),
  one((n) => `x{;${n}}`, maybe(list(text)), 'list'),
  one((n) => `x{;${n}*}`, maybe(list(text)), 'list'),
  (n) => ({ text: `{${n}a}:{${n}b}`, values: { [`${n}a`]: some, [`${n}b`]: some }, shapes: {} }),
  (n) => ({ text: `{${n}a,${n}b}`, values: { [`${n}a`]: text, [`${n}b`]: text }, shapes: {} }),
  (n) => ({ text: `x{;${n}a,${n}b}`, values: { [`${n}a`]: maybe(text), [`${n}b`]: maybe(text) }, shapes: {} }),
  (n) => ({ text: `x{.${n}a,${n}b}`, values: { [`${n}a`]: undotted, [`${n}b`]: undotted }, shapes: {} }),
];

const pathText = text.filter(
  (t) => t !== '' && !t.startsWith('/') && !t.split('/').some((s) => s === '.' || s === '..'),
);

/** At most one of these stands in a template: they may take slashes. */
const open: readonly Maker[] = [
  one((n) => `/{+${n}}`, pathText),
  one(
    (n) => `/{+${n}*}`,
    list(pathText.map((t) => t.replaceAll('.', ''))).filter((l) => !l.some((t) => t === '' || t.startsWith('/'))),
    'list',
  ),
  one((n) => `{/${n}}`, maybe(noDots)),
  one((n) => `{/${n}}`, maybe(list(noDots).filter(shown)), 'list'),
  one((n) => `{/${n}*}`, maybe(list(noDots)), 'list'),
  (n) => ({ text: `{/${n}a,${n}b}`, values: { [`${n}a`]: noDots, [`${n}b`]: noDots }, shapes: {} }),
];

const queryList = list(text).filter((items) => items.length > 1 || items[0] !== '');

/** Each is `[required literal form | undefined, optional]`, so that the text of the query can be put together. */
const named: readonly Maker[] = [
  one((n) => `w${n}={${n}}`, text),
  one((n) => `w${n}={+${n}}`, text),
  one((n) => `w${n}={${n}}`, queryList, 'list'),
  one(
    (n) => `w${n}={${n}:2}`,
    text.map((t) => [...t].slice(0, 2).join('')),
  ),
  (n) => ({ text: `lit${n}=a%20b`, values: {}, shapes: {} }),
];
const optional: readonly Maker[] = [
  one((n) => n, maybe(text)),
  one((n) => n, maybe(queryList), 'list'),
  one((n) => `${n}*`, maybe(queryList), 'list'),
];

const pick = (makers: readonly Maker[], maxLength: number) => fc.array(fc.constantFrom(...makers), { maxLength });

const template = fc
  .tuple(pick(closed, 2), pick(open, 1), pick(closed, 2), pick(named, 2), pick(optional, 2))
  .map(([before, spanning, after, required, free]) => {
    let count = 0;
    const make = (makers: readonly Maker[]) => makers.map((maker) => maker(`v${count++}`));
    const segments = (units: readonly Unit[]) => units.map((unit) => ({ ...unit, text: `/${unit.text}` }));
    const path = [...segments(make(before)), ...make(spanning), ...segments(make(after))];
    const must = make(required);
    const may = make(free);
    const mark = must.length > 0 ? `?${must.map((unit) => unit.text).join('&')}` : '';
    const tail = may.length > 0 ? `{${mark === '' ? '?' : '&'}${may.map((unit) => unit.text).join(',')}}` : '';
    const units = [...path, ...must, ...may];
    return {
      text: `${path.map((unit) => unit.text).join('')}${mark}${tail}`,
      shapes: Object.assign({}, ...units.map((unit) => unit.shapes)) as Record<string, ValueShape>,
      values: fc.record(
        Object.assign({}, ...units.map((unit) => unit.values)) as Record<string, fc.Arbitrary<UriValue>>,
      ),
    };
  });

function expanded(expand: UriExpander, values: Readonly<Record<string, UriValue>>): string {
  try {
    return expand(values);
  } catch (error) {
    // Slashes in a value may make a segment of dots that stand beside it.
    fc.pre(!(error instanceof UriExpansionError && /[/;\\]/.test(JSON.stringify(values))));
    throw error;
  }
}

const exchange = template.chain((given) =>
  given.values.map((values) => ({ text: given.text, shapes: given.shapes, values })),
);

describe('match(expand(x)) = x', () => {
  it('for templates and values of every operator that a server can receive', () => {
    fc.assert(
      fc.property(exchange, (given) => {
        const parsed = parseUriTemplate(given.text);
        const shapeOf = (variable: { name: string }) => given.shapes[variable.name] ?? 'string';
        const uri = expanded(compileUriExpander(parsed), given.values);
        fc.pre(!(given.text.startsWith('{/') && /^\/([/?]|$)/.test(uri)));
        const mark = uri.indexOf('?');
        const path = (mark === -1 ? uri : uri.slice(0, mark)).replace(/^\//, '');
        const matcher = compileUriMatcher(parsed, shapeOf);
        const raw = matcher.matchPath(path);
        if (raw === undefined) throw new Error(`${given.text} does not match ${uri}`);
        const query = matcher.matchQuery(parseQueryString(mark === -1 ? '' : uri.slice(mark + 1), 1_000), raw);
        expect(query).toMatchObject({ ok: true, missing: [] });
        const back = Object.fromEntries(parsed.variables.map((v, i) => [v.name, decodeRaw(raw[i], v, shapeOf(v))]));
        expect(back, `${given.text} > ${uri}`).toEqual(given.values);
      }),
      { numRuns: 600 },
    );
  });

  it('makes use of every operator', () => {
    const seen = new Set(
      fc.sample(template, 2_000).flatMap((given) => parseUriTemplate(given.text).variables.map((v) => v.operator)),
    );
    expect([...seen].toSorted()).toEqual(['', '&', '+', '.', '/', ';', '?']);
  });
});
