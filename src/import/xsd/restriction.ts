import { BIG_INTEGER } from '../../model/scalar.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { Facets } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import { proseOf } from '../xml.ts';
import { LEXICAL_FORMS, type SimpleType } from './builtin.ts';
import { documentationOf, placeIn, type Schema } from './components.ts';
import { integerBound, isWithin, TEXTS, valueFrom, withBound, withoutLong, withPattern } from './facets.ts';
import { isWithinLong } from './integer-pattern.ts';
import { anyOf, ecmaPattern } from './pattern.ts';
import { XSD } from './sources.ts';
import { unionOf } from './union.ts';

// Facets of simple types (XML Schema 1.0 Part 2, section 4.3), each restricting what its base allows.

/** The elements of a restriction that state facets. */
const FACETS: ReadonlySet<string> = new Set(
  'length minLength maxLength pattern enumeration whiteSpace minInclusive maxInclusive minExclusive maxExclusive totalDigits fractionDigits'.split(
    ' ',
  ),
);

/** Facets that are alternatives to others of their kind, and one that is applied before them. */
const TOGETHER: ReadonlySet<string> = new Set(['pattern', 'enumeration', 'whiteSpace']);

/** Most different patterns of a contract: each takes some milliseconds to check. */
const MOST_PATTERNS = 5000;

/**
 * A type restricted by the facets in an element.
 * @param patterns translated patterns by their sources, which is added to
 */
export function restricted(
  base: SimpleType,
  element: XmlElement,
  schema: Schema,
  losses: Losses,
  patterns: Map<string, string>,
): SimpleType {
  const facets = childrenOf(element).filter(({ namespace, local }) => namespace === XSD && FACETS.has(local));
  const restriction = new Restriction(base, schema, losses, patterns);
  for (const each of facets) if (each.local === 'whiteSpace') restriction.add(each);
  restriction.patterns(facets.filter(({ local }) => local === 'pattern'));
  for (const each of facets) if (!TOGETHER.has(each.local)) restriction.add(each);
  restriction.enumeration(facets.filter(({ local }) => local === 'enumeration'));
  restriction.settle();
  restriction.narrow();
  return restriction.type;
}

/** A type as the text of its lexical forms, for facets that its word does not take. */
export function asText({ word, facets, list, note }: SimpleType): SimpleType {
  const form = list === undefined ? LEXICAL_FORMS[word] : unionOf([{ word, facets, list }]).type.facets.pattern;
  const text: Facets = { space: 'collapse', ...(form === undefined ? {} : { pattern: form }) };
  const values = list === undefined && facets.enum !== undefined ? { enum: facets.enum.map(String) } : {};
  // A text keeps what numbers and dates lose.
  return {
    word: 'string',
    facets: { ...text, ...values },
    ...(note === undefined || word !== 'string' ? {} : { note }),
  };
}

/** A type while the facets of a restriction are added to it. */
class Restriction {
  type: SimpleType;
  readonly #schema: Schema;
  readonly #losses: Losses;
  readonly #known: Map<string, string>;

  constructor(base: SimpleType, schema: Schema, losses: Losses, known: Map<string, string>) {
    this.type = base;
    this.#schema = schema;
    this.#losses = losses;
    this.#known = known;
  }

  #lose(element: XmlElement, what: string, instead: string): void {
    this.#losses.add(what, instead, placeIn(element, this.#schema));
  }

  #ignore(element: XmlElement): void {
    const value = attributeOf(element, 'value') ?? '';
    this.#lose(element, `xs:${element.local} "${shortened(value)}"`, 'not checked');
  }

  #set(facets: Facets): void {
    this.type = { ...this.type, facets };
  }

  add(element: XmlElement): void {
    const { word, list, facets } = this.type;
    const value = (attributeOf(element, 'value') ?? '').trim();
    const number = /^\+?\d{1,15}$/.test(value) ? Number(value) : undefined;
    switch (element.local) {
      case 'whiteSpace':
        if (
          word === 'string' &&
          list === undefined &&
          facets.space !== 'collapse' &&
          (value === 'collapse' || value === 'replace')
        )
          this.#set({ ...facets, space: value });
        return;
      case 'length':
      case 'minLength':
      case 'maxLength':
        if (number === undefined) {
          this.#ignore(element);
          return;
        }
        if (element.local !== 'maxLength') this.#length(element, 'minimum', number);
        if (element.local !== 'minLength') this.#length(element, 'maximum', number);
        return;
      case 'totalDigits':
      case 'fractionDigits':
        this.#digits(element, number);
        return;
      default:
        this.#bound(element, value);
        return;
    }
  }

  #length(element: XmlElement, key: 'minimum' | 'maximum', value: number): void {
    const { word, facets, list } = this.type;
    const tighter = (old: number | string | undefined): number =>
      old === undefined ? value : key === 'minimum' ? Math.max(Number(old), value) : Math.min(Number(old), value);
    if (list !== undefined) {
      if (key === 'maximum' || value > 0) this.type = { ...this.type, list: { ...list, [key]: tighter(list[key]) } };
    } else if (word !== 'string' && word !== 'hex') this.#ignore(element);
    else if (key === 'maximum' || value > 0) this.#set({ ...facets, [key]: tighter(facets[key]) });
  }

  #digits(element: XmlElement, value: number | undefined): void {
    const { word, facets, list } = this.type;
    if (value === undefined || list !== undefined || (!INTEGERS.has(word) && word !== 'decimal')) {
      this.#ignore(element);
      return;
    }
    if (element.local === 'totalDigits') {
      this.#set({ ...facets, digits: Math.min(facets.digits ?? value, value) });
    } else if (word === 'decimal') this.#set({ ...facets, fraction: Math.min(facets.fraction ?? value, value) });
  }

  #bound(element: XmlElement, text: string): void {
    const { word, list, facets } = this.type;
    const side = element.local.startsWith('min') ? 'lower' : 'upper';
    const open = element.local.endsWith('Exclusive');
    if (list !== undefined || !BOUNDED.has(word)) {
      this.#ignore(element);
      return;
    }
    if (INTEGERS.has(word)) {
      const bound = integerBound(text, side, open);
      if (bound === undefined) this.#ignore(element);
      else this.#set(withBound(word, facets, side, bound, false));
      return;
    }
    const value = valueFrom(word, text, {});
    if (value === undefined || typeof value === 'boolean') {
      this.#ignore(element);
      return;
    }
    if (text !== '-INF' && text !== 'INF') this.#set(withBound(word, facets, side, value, open));
  }

  /** Patterns of one derivation are alternatives. */
  patterns(elements: readonly XmlElement[]): void {
    const [first] = elements;
    if (first === undefined) return;
    const sources = elements.map((each) => attributeOf(each, 'value') ?? '');
    try {
      const pattern = anyOf(sources.map((each) => this.#translated(each, first)));
      if (this.type.word === 'binary' && this.type.list === undefined) {
        this.#ignore(first);
        return;
      }
      if (this.#takesBounds(sources, pattern, first)) return;
      this.#textual(first);
      this.#set(withPattern(this.type.facets, pattern));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.#lose(first, `the pattern "${shortened(sources.join('" or "'))}" ${error.message}`, 'not checked');
    }
  }

  #translated(source: string, element: XmlElement): string {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    const translated = this.#anchored(source, element);
    this.#known.set(source, translated);
    if (this.#known.size > MOST_PATTERNS)
      throw new ImportError(`the schemas have more than ${MOST_PATTERNS} patterns`, placeIn(element, this.#schema));
    return translated;
  }

  /** Anchors are characters in XML Schema, and hardly ever meant as such. */
  #anchored(source: string, element: XmlElement): string {
    const [, inside] = /^\^(.*)\$$/s.exec(source) ?? [];
    if (inside === undefined) return ecmaPattern(source);
    const what = `the pattern "${shortened(source)}" has ^ and $, which are characters in XML Schema`;
    this.#lose(element, what, 'accepted with and without these');
    return ecmaPattern(`^?(${inside})$?`);
  }

  /** Whether a pattern of digits is a bound of numbers, which are more useful to programs than texts. */
  #takesBounds(sources: readonly string[], pattern: string, element: XmlElement): boolean {
    const { word, facets, list } = this.type;
    if (list !== undefined) return false;
    if (word === 'boolean') return this.#takesTruths(sources, pattern, element);
    const found = /^(?:\\d|\[0-9\])(?:\{[01],(\d{1,2})\}|\+|\*)$/.exec(sources.join('|'));
    if (!INTEGERS.has(word) || found === null) return false;
    const [, most] = found;
    const digits = most === undefined ? {} : { digits: Math.min(facets.digits ?? 99, Number(most)) };
    this.#set({ ...withBound(word, facets, 'lower', 0, false), ...digits });
    this.#lose(element, `the pattern "${shortened(sources.join())}"`, 'the number may have a sign and zeros in front');
    return true;
  }

  /** Whether a pattern of a truth value permits `true` or `false` or both, as programs write them. */
  #takesTruths(sources: readonly string[], pattern: string, element: XmlElement): boolean {
    const permitted = new RegExp(`^(?:${pattern})$`, 'u');
    const has = (text: string): boolean => permitted.test(text);
    const truths = [true, false].filter((each) => has(String(each)));
    const forms = truths.flatMap((each) => [String(each), each ? '1' : '0']);
    // A form of the other truth value as well, without its name.
    if (truths.length === 0 || ['1', '0'].some((each) => has(each) && !forms.includes(each))) return false;
    const what = `the pattern "${shortened(sources.join('" or "'))}"`;
    if (!forms.every(has)) this.#lose(element, what, `every form of ${truths.join(' and ')} is accepted`);
    const [only] = truths;
    if (truths.length === 1 && only !== undefined) this.#set({ ...this.type.facets, enum: [only] });
    return true;
  }

  /** Makes the type one of texts, for facets that apply to a text. */
  #textual(element: XmlElement): void {
    const { word, facets, list } = this.type;
    if (TEXTS.has(word) && list === undefined) return;
    const { minimum, maximum, above, below, digits, fraction } = facets;
    const lost = list === undefined ? [minimum, maximum, above, below, digits, fraction] : [];
    // Bounds of built-in types are in the pattern of their lexical forms, or are implied by those of this type.
    if (lost.some((each) => each !== undefined))
      this.#lose(
        element,
        `bounds of a type of xs:${INTEGERS.has(word) ? 'integer' : word} that has a pattern`,
        'only the pattern is checked',
      );
    this.type = asText(this.type);
  }

  enumeration(elements: readonly XmlElement[]): void {
    const [first] = elements;
    if (first === undefined) return;
    if (this.type.word === 'binary' && this.type.list === undefined) {
      this.#ignore(first);
      return;
    }
    if (this.type.list !== undefined || this.type.word === 'boolean') this.#textual(first);
    const { word, facets } = this.type;
    const found = new Set<string | number>();
    const labels: Record<string, string> = { ...facets.labels };
    for (const each of elements) {
      const value = valueFrom(word, attributeOf(each, 'value') ?? '', facets);
      if (value === undefined || typeof value === 'boolean')
        this.#lose(
          each,
          `the value "${shortened(attributeOf(each, 'value') ?? '')}" of an enumeration, which its type does not allow`,
          'left out',
        );
      else {
        found.add(value);
        const label = proseOf(documentationOf(each));
        if (label !== undefined) labels[String(value)] = label;
      }
    }
    if (found.size === 0) {
      this.#ignore(first);
      return;
    }
    this.#set({ ...facets, enum: [...found], ...(Object.keys(labels).length === 0 ? {} : { labels }) });
  }

  /** Reduces a type that has values to those that all other facets allow. */
  settle(): void {
    const { word, facets, list } = this.type;
    const { enum: values, labels, space, ...others } = facets;
    if (values === undefined || list !== undefined) return;
    const allowed = values.filter((each) => isWithin(word, each, others));
    const left = allowed.length === 0 ? values : allowed;
    this.#set({ ...(space === undefined ? {} : { space }), enum: left, ...labelsOf(labels, left) });
  }

  /** Makes integers of any size those of 64 bits, where facets allow no others, and drops bounds that these have anyway. */
  narrow(): void {
    const { word, facets } = this.type;
    if (!INTEGERS.has(word)) return;
    if (word === BIG_INTEGER && !isWithinLong(facets)) return;
    this.type = { ...this.type, word: 'integer', facets: withoutLong(facets) };
  }
}

/** The labels of the values that are left. */
function labelsOf(labels: Facets['labels'] = {}, values: readonly unknown[]): Pick<Facets, 'labels'> {
  const texts = new Set(values.map(String));
  const left = Object.entries(labels).filter(([value]) => texts.has(value));
  return left.length === 0 ? {} : { labels: Object.fromEntries(left) };
}

const INTEGERS: ReadonlySet<string> = new Set(['integer', BIG_INTEGER]);
const BOUNDED: ReadonlySet<string> = new Set([...INTEGERS, 'decimal', 'number', 'date', 'time', 'datetime']);

/** Long patterns and values in a report end in dots. */
function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77).toWellFormed()}...` : text;
}
