import { BIG_INTEGER, SCALARS, type ScalarKind } from '../../model/scalar.ts';
import { compareDecimals, toDecimal } from '../../wire/decimal.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { compilePattern } from '../../wire/pattern.ts';
import type { FieldOptions } from '../draft.ts';
import { contentText } from './content-text.ts';
import { translatePattern } from './patterns.ts';
import { type JsonType, noteOnce, type SchemaContext, type Shape, tellOnce } from './shape.ts';
import type { Node } from './tree.ts';

/** A single value: its type in words, and its options. */
export interface ScalarRead {
  readonly word: string;
  readonly options: FieldOptions;
}

/** Formats of strings that have a type of ours. `date-time` of RFC 3339 has an offset, which ours accepts. */
const STRING_FORMATS: Readonly<Record<string, string>> = {
  date: 'date',
  'full-date': 'date',
  'date-time': 'datetime',
  datetime: 'datetime',
  dateTime: 'datetime',
  'time-local': 'time',
  uuid: 'uuid',
  guid: 'uuid',
  uri: 'uri',
  byte: 'binary',
  base64: 'binary',
  binary: 'binary',
  decimal: 'string',
};

/** Formats that say nothing about which texts are valid. */
const FREE_FORMATS = new Set(['password', 'string', 'text', 'html', 'markdown', 'commonmark', '']);

/** Bounds of formats of integers. */
const INTEGER_FORMATS: Readonly<Record<string, readonly [string, string] | undefined>> = {
  int8: ['-128', '127'],
  uint8: ['0', '255'],
  int16: ['-32768', '32767'],
  uint16: ['0', '65535'],
  int32: ['-2147483648', '2147483647'],
  uint32: ['0', '4294967295'],
  int64: undefined,
  uint64: ['0', '18446744073709551615'],
};

/** Formats of integers of more than 64 bits, or of any size. */
const BIG_FORMAT = /^(?:u?int(?:128|256|512)|big-?int(?:eger)?)$/i;

/** The bounds of the type `integer`. */
const LEAST = '-9223372036854775808';
const MOST = '9223372036854775807';

/** A text. @param values the only ones, if they are listed */
export function stringOf(shape: Shape, context: SchemaContext, values: readonly Node[] | undefined): ScalarRead {
  const format = shape.first('format')?.text ?? '';
  const encoding = shape.first('contentEncoding')?.text;
  const isBase64 = encoding !== undefined && /^base64$/i.test(encoding);
  const type = isBase64 ? 'binary' : Object.hasOwn(STRING_FORMATS, format) ? STRING_FORMATS[format] : undefined;
  const word = type ?? 'string';
  if (type === undefined && !FREE_FORMATS.has(format))
    tellOnce(context, `the format "${format}"`, 'texts of it are not checked', shape.first('format'));
  if (encoding !== undefined && !isBase64)
    context.losses.add(`the encoding "${encoding}"`, 'the text is passed as it is', shape.node.place);
  const options: FieldOptions = format === 'password' ? { sensitive: true } : {};
  if (word === 'binary') {
    tellUnused(shape, context, word, ['minLength', 'maxLength', 'pattern', 'enum']);
    return { word, options };
  }
  const patterns = patternsOf(shape, context);
  const [least, most] = [highest(shape.all('minLength')), lowest(shape.all('maxLength'))];
  if (values !== undefined) return listed(shape, context, values, { word, options }, patterns, [least, most]);
  if (word !== 'string' && word !== 'uri') {
    tellUnused(shape, context, word, ['minLength', 'maxLength', 'pattern']);
    return { word, options };
  }
  if (least !== undefined && least !== '0') options.minimum = Number(least);
  const isSized = word === 'string' && most !== undefined && most !== '0' && Number(most) <= 1e9;
  if (most !== undefined && !isSized) options.maximum = Number(most);
  if (patterns.length > 0) options.pattern = patterns.length === 1 ? (patterns[0] as string) : patterns;
  return { word: isSized ? `string(${most})` : word, options };
}

/** A text with listed values: those that meet the other keywords, which then say nothing more. */
function listed(
  shape: Shape,
  context: SchemaContext,
  values: readonly Node[],
  { word, options }: ScalarRead,
  patterns: readonly string[],
  [least, most]: readonly [string | undefined, string | undefined],
): ScalarRead {
  const tests = patterns.map((pattern) => compilePattern(pattern));
  const texts = values.flatMap((node) => {
    const text = node.text ?? node.number ?? JSON.stringify(node.value);
    if (node.text === undefined)
      context.losses.add(`the value ${text} of a string is not a text`, `taken as "${text}"`, node.place);
    const size = [...text].length;
    const fits = size >= Number(least ?? 0) && size <= Number(most ?? size) && tests.every((each) => each.test(text));
    return fits ? [text] : [];
  });
  if (texts.length === 0)
    context.losses.add(
      'the values that are listed contradict the other keywords',
      'any text is accepted',
      shape.node.place,
    );
  const isTyped = texts.every((text) => isOf(word, text));
  return { word: isTyped ? word : 'string', options: { ...options, ...oneOrMore(texts) } };
}

/** `fixed` for one value, `enum` for several. */
function oneOrMore(values: readonly (string | number)[]): FieldOptions {
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return {};
  return distinct.length === 1 ? { fixed: distinct[0] as string | number } : { enum: distinct };
}

function isOf(word: string, text: string): boolean {
  if (!Object.hasOwn(LEXICAL, word)) return true;
  return LEXICAL[word as keyof typeof LEXICAL].read(text) === text;
}

function patternsOf(shape: Shape, { losses }: SchemaContext): string[] {
  const found = new Set<string>();
  for (const node of shape.all('pattern')) {
    if (node.text === undefined || node.text === '') continue;
    const translated = translatePattern(node.text);
    if ('pattern' in translated) found.add(translated.pattern);
    else losses.add(`the pattern ${node.text} ${translated.reason}`, 'not checked', node.place);
  }
  return [...found];
}

/** A number, or an integer. */
export function numberOf(
  shape: Shape,
  context: SchemaContext,
  types: ReadonlySet<JsonType>,
  values: readonly Node[] | undefined,
): ScalarRead {
  const format = shape.first('format')?.text ?? '';
  const isInteger = !types.has('number') || Object.hasOwn(INTEGER_FORMATS, format) || BIG_FORMAT.test(format);
  const step = isInteger ? undefined : fractionOf(shape.all('multipleOf'));
  if (!isInteger && !/^(?:|float|double|decimal|number|currency|money)$/.test(format))
    tellOnce(context, `the format "${format}"`, 'numbers of it are not checked', shape.first('format'));
  for (const node of shape.all('multipleOf'))
    if (!(isInteger ? Number(node.value) === 1 : fractionOf([node]) !== undefined))
      context.losses.add(`"multipleOf: ${node.number}"`, 'not checked', node.place);
  const word = isInteger ? 'integer' : step !== undefined || format === 'decimal' ? 'decimal' : 'number';
  const own = WIDTHS[`${word} ${format}`] ?? word;
  if (values !== undefined) {
    const numbers = numbersIn(values, isInteger, context);
    const isLong = numbers.every((each) => !isInteger || isWithinLong(String(each)));
    return { word: isLong ? own : BIG_INTEGER, options: oneOrMore(numbers) };
  }
  const options: FieldOptions = step === undefined ? {} : { fraction: step };
  const bounds = isInteger ? (INTEGER_FORMATS[format] ?? []) : [];
  Object.assign(options, boundsOf(shape, isInteger, bounds));
  if (!isInteger) return { word: own, options };
  if (isBig(shape, format, options)) return { word: BIG_INTEGER, options };
  const { minimum, maximum } = options;
  if (format === '' && (minimum === undefined || maximum === undefined))
    noteOnce(
      context,
      'integers without a format or bounds',
      'they have 64 bits; write big-integer at a field that may be longer, which the next import keeps',
      shape.node,
    );
  return { word: own, options: withoutOwn(options, SCALARS[own as ScalarKind].range) };
}

/** The types whose width is that of a format. */
const WIDTHS: Readonly<Record<string, ScalarKind | undefined>> = {
  'integer int32': 'int',
  'integer int64': 'long',
  'number float': 'float',
  'number double': 'double',
};

/**
 * Whether a contract says that an integer may exceed 64 bits: by its format, its bounds, or a value that it shows. Others have
 * 64 bits: JSON has no longer ones that all programs read (RFC 8259, section 6).
 */
function isBig(shape: Shape, format: string, { minimum, maximum }: FieldOptions): boolean {
  if (format === 'int64') return false;
  if (BIG_FORMAT.test(format)) return true;
  const shown = [shape.all('default'), shape.all('example'), shape.all('examples').flatMap((each) => each.items())];
  const texts = shown.flat().flatMap(({ number }) => (number === undefined ? [] : (toDecimal(number, true) ?? [])));
  return [minimum, maximum, ...texts].some((each) => each !== undefined && !isWithinLong(String(each)));
}

/** The listed values that are numbers, and whole ones of an integer. */
function numbersIn(values: readonly Node[], isInteger: boolean, { losses }: SchemaContext): (number | string)[] {
  return values.flatMap(({ value, number, place }): (number | string)[] => {
    if (typeof value === 'number' && (!isInteger || Number.isSafeInteger(value))) return [value];
    const digits = number === undefined ? undefined : toDecimal(number, true);
    if (digits !== undefined && !digits.includes('.')) return [digits];
    losses.add(`the listed value ${number ?? JSON.stringify(value)} of a number`, 'left out', place);
    return [];
  });
}

/** Digits after the point that a step of 1, 0.1, 0.01 … leaves. */
function fractionOf(steps: readonly Node[]): number | undefined {
  const digits = steps.flatMap(({ number }) => {
    const text = number === undefined ? undefined : toDecimal(number, true);
    const found = /^(?:1|0\.(0*)1)$/.exec(text ?? '');
    return found === null ? [] : [found[1] === undefined ? (text === '1' ? 0 : 1) : found[1].length + 1];
  });
  return digits.length === 0 ? undefined : Math.min(...digits);
}

function boundsOf(shape: Shape, isInteger: boolean, [low, high]: readonly string[]): FieldOptions {
  const least: string[] = low === undefined ? [] : [low];
  const most: string[] = high === undefined ? [] : [high];
  const above: string[] = [];
  const below: string[] = [];
  for (const part of shape.parts) {
    const exclude = (key: string): boolean => part.get(key)?.value === true;
    push(exclude('exclusiveMinimum') ? above : least, part.get('minimum'));
    push(exclude('exclusiveMaximum') ? below : most, part.get('maximum'));
    push(above, part.get('exclusiveMinimum'));
    push(below, part.get('exclusiveMaximum'));
  }
  const bounds = {
    minimum: extreme(least, 1),
    maximum: extreme(most, -1),
    above: extreme(above, 1),
    below: extreme(below, -1),
  };
  return isInteger ? integerBounds(bounds) : tight(bounds);
}

interface Bounds {
  readonly minimum: string | undefined;
  readonly maximum: string | undefined;
  readonly above: string | undefined;
  readonly below: string | undefined;
}

/** Whole bounds, both included: those of an integer. */
function integerBounds({ minimum, maximum, above, below }: Bounds): FieldOptions {
  const least = extreme(
    [ceiling(minimum), above === undefined ? undefined : plus(floor(above), 1n)].filter(isGiven),
    1,
  );
  const most = extreme(
    [floor(maximum), below === undefined ? undefined : plus(ceiling(below), -1n)].filter(isGiven),
    -1,
  );
  return {
    ...(least === undefined ? {} : { minimum: numeric(least) }),
    ...(most === undefined ? {} : { maximum: numeric(most) }),
  };
}

const isWithinLong = (text: string): boolean => compareDecimals(text, LEAST) >= 0 && compareDecimals(text, MOST) <= 0;

/** The options of an integer, without the bounds that its type has anyway. */
function withoutOwn(
  { minimum, maximum, ...others }: FieldOptions,
  own: { readonly minimum: string; readonly maximum: string } = { minimum: LEAST, maximum: MOST },
): FieldOptions {
  return {
    ...others,
    ...(minimum === undefined || compareDecimals(String(minimum), own.minimum) <= 0 ? {} : { minimum }),
    ...(maximum === undefined || compareDecimals(String(maximum), own.maximum) >= 0 ? {} : { maximum }),
  };
}

const isGiven = (text: string | undefined): text is string => text !== undefined;

function floor(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('.')) return text;
  const whole = text.replace(/\..*$/, '').replace(/^-?$/, '0');
  return text.startsWith('-') ? plus(whole, -1n) : whole;
}

function ceiling(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('.')) return text;
  return text.startsWith('-') ? text.replace(/\..*$/, '') : plus(text.replace(/\..*$/, ''), 1n);
}

function plus(text: string | undefined, step: bigint): string | undefined {
  return text === undefined ? undefined : String(BigInt(text === '-0' ? '0' : text) + step);
}

/** The tighter of an inclusive and an exclusive bound. */
function tight({ minimum, maximum, above, below }: Bounds): FieldOptions {
  const options: FieldOptions = {};
  const isAbove = above !== undefined && (minimum === undefined || compareDecimals(above, minimum) >= 0);
  const isBelow = below !== undefined && (maximum === undefined || compareDecimals(below, maximum) <= 0);
  if (isAbove) options.above = numeric(above);
  else if (minimum !== undefined) options.minimum = numeric(minimum);
  if (isBelow) options.below = numeric(below);
  else if (maximum !== undefined) options.maximum = numeric(maximum);
  return options;
}

function push(list: string[], node: Node | undefined): void {
  const text = node?.number === undefined ? undefined : toDecimal(node.number, true);
  if (text !== undefined) list.push(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** The greatest (1) or the least (-1) of decimals. */
function extreme(texts: readonly string[], sign: 1 | -1): string | undefined {
  return texts.toSorted((a, b) => -sign * compareDecimals(a, b))[0];
}

/** A number, or a text if a number would lose digits. */
function numeric(text: string): number | string {
  const value = Number(text);
  return toDecimal(String(value), true) === text ? value : text;
}

function highest(nodes: readonly Node[]): string | undefined {
  return extreme(countsOf(nodes), 1);
}

function lowest(nodes: readonly Node[]): string | undefined {
  return extreme(countsOf(nodes), -1);
}

function countsOf(nodes: readonly Node[]): string[] {
  const found: string[] = [];
  for (const node of nodes) push(found, node);
  return found;
}

/** Bounds of the number of entries. */
export function countsOfEntries(shape: Shape, least: string, most: string): FieldOptions {
  const [low, high] = [highest(shape.all(least)), lowest(shape.all(most))];
  return {
    ...(low === undefined || Number(low) === 0 ? {} : { minimum: Number(low) }),
    ...(high === undefined ? {} : { maximum: Number(high) }),
  };
}

/** Whether a value of the contract can be one of a field: a default or an example. */
export function fits(node: Node, word: string, options: FieldOptions): boolean {
  const { value } = node;
  if (options.fixed !== undefined) return value === options.fixed;
  if (options.enum !== undefined) return options.enum.includes(value as string | number);
  const kind = word.replace(/\(.*$/, '');
  const nature = natureOf(kind);
  if (typeof value === 'boolean') return nature === 'boolean';
  if (typeof value === 'number') return nature === 'number' && isWhole(node, kind) && fitsNumber(node, options);
  if (typeof value !== 'string' || nature !== 'text') return false;
  return isOf(kind, value) && fitsText(value, word, options);
}

/** A value of the contract in a definition: an integer that would lose digits is a text. */
export function givenValue({ value, number }: Node): string | number | boolean {
  const text = number === undefined || Number.isSafeInteger(value) ? undefined : wholeOf(number);
  return text ?? (value as string | number | boolean);
}

/** The digits of a number that is whole; 1.0 is (JSON Schema Validation, section 6.1.1). */
function wholeOf(number: string): string | undefined {
  const text = toDecimal(number, true)?.replace(/\.0+$/, '');
  return text?.includes('.') === true ? undefined : text;
}

/** What values of a type are in JSON, of those that defaults and examples may have. */
function natureOf(kind: string): 'boolean' | 'number' | 'text' | undefined {
  if (!Object.hasOwn(SCALARS, kind)) return undefined;
  const { type, contentEncoding } = SCALARS[kind as ScalarKind].json;
  if (type === undefined || contentEncoding !== undefined) return undefined;
  if (type === 'string') return 'text';
  return type === 'boolean' ? 'boolean' : 'number';
}

/** The types of whole numbers, with those that they hold. */
const WHOLE: ReadonlyMap<string, (digits: string) => boolean> = new Map([
  ['integer', isWithinLong],
  ['long', isWithinLong],
  ['int', isWithinLong],
  [BIG_INTEGER, () => true],
]);

/** Whether a number is one that a type of whole numbers holds. Any number for other types. */
function isWhole({ number }: Node, kind: string): boolean {
  const holds = WHOLE.get(kind);
  if (holds === undefined) return true;
  const digits = number === undefined ? undefined : wholeOf(number);
  return digits !== undefined && holds(digits);
}

function fitsNumber(node: Node, { minimum, maximum, above, below, fraction }: FieldOptions): boolean {
  const text = node.number === undefined ? undefined : toDecimal(node.number, true);
  if (text === undefined) return false;
  const against = (bound: number | string | undefined): number =>
    bound === undefined ? 0 : compareDecimals(text, toDecimal(String(bound), true) ?? '0');
  if (against(minimum) < 0 || against(maximum) > 0) return false;
  if ((above !== undefined && against(above) <= 0) || (below !== undefined && against(below) >= 0)) return false;
  return fraction === undefined || (text.split('.')[1] ?? '').length <= fraction;
}

function fitsText(text: string, word: string, { minimum, maximum, pattern }: FieldOptions): boolean {
  if (!text.isWellFormed() || text.includes('\0')) return false;
  const size = [...text].length;
  const most = /\((\d+)\)$/.exec(word)?.[1] ?? maximum;
  if (size < Number(minimum ?? 0) || size > Number(most ?? size)) return false;
  const patterns = pattern === undefined ? [] : typeof pattern === 'string' ? [pattern] : pattern;
  return patterns.every((each) => compilePattern(each).test(text));
}

function tellUnused(shape: Shape, context: SchemaContext, word: string, keywords: readonly string[]): void {
  for (const keyword of keywords)
    for (const node of shape.all(keyword))
      context.losses.add(`"${keyword}" of a ${word}`, 'not checked', node.place, contentText(node, context));
}
