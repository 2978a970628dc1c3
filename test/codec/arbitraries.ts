import fc from 'fast-check';
import { MemoryAttachment } from '../../src/codec/binary.ts';
import type { Document } from '../../src/model/document.ts';
import { type Field, type FieldType, isCollection, type ListType, type ScalarType } from '../../src/model/field.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';
import type { Value } from '../../src/model/value.ts';
import { document, field } from './support.ts';

// Documents of any shape, and values of them.

const text = (options: fc.StringConstraints = {}) =>
  fc.string({ unit: 'binary', ...options }).filter((s) => s.isWellFormed() && !s.includes('\0'));
const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
const pad = (n: number, length: number) => String(n).padStart(length, '0');
const date = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((d) => d.toISOString().slice(0, 10));
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.option(digits(1, 6), { nil: '' }))
  .map(([h, m, s, f]) => `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}${f === '' ? '' : `.${f}`}`);
const offset = fc.oneof(
  fc.constantFrom('', 'Z', '+14:00', '-00:00'),
  fc.tuple(fc.constantFrom('+', '-'), fc.nat(13), fc.nat(59)).map(([s, h, m]) => `${s}${pad(h, 2)}:${pad(m, 2)}`),
);
export const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.option(digits(1, 30), { nil: '' }))
  .map(([negative, whole, fraction]) => {
    const plain = fraction === '' ? String(whole) : `${whole}.${fraction}`;
    return negative && /[1-9]/.test(plain) ? `-${plain}` : plain;
  });
export const integer = fc
  .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger().map(BigInt))
  .map(narrowed);

/** An integer as it is in memory. */
function narrowed(n: bigint): number | bigint {
  return n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;
}

/** A JSON value as the codec reads it: bigints where a number does not surely keep its digits; JSON writes -0 as 0. */
function exact(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))) return BigInt(value);
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(exact);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, exact(member)]));
}

const json = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => {
    const written = JSON.stringify(value);
    return !written.includes('__proto__') && !written.includes('\\u');
  })
  .map(exact);

/** The value, without a sign of zero. */
const plus = (value: number): number => (value === 0 ? 0 : value);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map(plus);

const values: Readonly<Record<ScalarKind, fc.Arbitrary<unknown>>> = {
  string: text(),
  text: text(),
  integer,
  long: integer,
  int: fc.integer(),
  'big-integer': fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(narrowed),
  decimal,
  number: finite,
  double: finite,
  float: fc.float({ noNaN: true, noDefaultInfinity: true }).map(plus),
  'xs-double': fc.double().map(plus),
  'xs-float': fc.float().map(plus),
  boolean: fc.boolean(),
  flag: fc.constantFrom('Y', 'N'),
  date,
  time,
  datetime: fc.tuple(date, time, offset).map(([d, t, o]) => `${d}T${t}${o}`),
  duration: fc
    .tuple(fc.constantFrom('', '-'), fc.nat(), fc.nat(), fc.nat(), fc.nat())
    .map(([sign, year, day, hour, second]) => `${sign}P${year}Y${day}DT${hour}H${second}.5S`),
  hex: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  uuid: fc.uuid(),
  uri: fc.webUrl({ withFragments: true, withQueryParameters: true }),
  json,
  xml: text(),
  binary: fc.uint8Array({ maxLength: 40 }).map((bytes) => new MemoryAttachment(Buffer.from(bytes))),
};
const allKinds = Object.keys(values) as ScalarKind[];
/** Those whose values have a form as text. */
export const kinds = allKinds.filter((kind) => kind !== 'binary');

/** A type, and values of it. */
interface Sample {
  readonly type: FieldType;
  readonly value: fc.Arbitrary<unknown>;
  /** Of a list or a map. */
  readonly entry?: NonNullable<Field['entry']>;
}

export const scalar = (of: readonly ScalarKind[] = kinds): fc.Arbitrary<Sample & { readonly type: ScalarType }> =>
  fc.constantFrom(...of).map((kind) => ({ type: { kind }, value: values[kind] }));

/** Keys of maps, among them those that objects inherit; XML can carry each as it is. */
const keys = fc.oneof(
  fc.constantFrom('constructor', '__proto__', 'toJSON', 'key', '', ' a ', '<&"\'>', 'é\u{1F682}', 'a.b/c~d'),
  fc.stringMatching(/^[A-Za-z0-9_ .-]{1,8}$/),
);

/** What may be an entry, and whether null is one beside it. */
type Entry = { readonly type: ListType['item']; readonly value: fc.Arbitrary<unknown> };

const listOf = ({ type: item, value }: Entry, flat: boolean): Sample => ({
  type: { kind: 'list', item, flat },
  value: fc.array(value, { maxLength: 3 }),
});

const mapOf = ({ type: item, value }: Entry): Sample => ({
  type: { kind: 'map', item },
  value: fc.array(fc.tuple(keys, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
});

/** A list or a map whose entries may be null. */
function withNulls(entry: Entry, nulls: boolean, of: (entry: Entry) => Sample): Sample {
  if (!nulls || entry.type.kind === 'json') return of(entry);
  return { ...of({ ...entry, value: fc.option(entry.value, { nil: null }) }), entry: { nullable: true } };
}

const names = fc.uniqueArray(
  fc.oneof(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,7}$/),
    fc.constantFrom('constructor', 'toString', '__proto__', 'toJSON', 'valueOf', 'length'),
  ),
  { minLength: 1, maxLength: 6 },
);

/** A document, and values of it. */
export function documents(depth: number): fc.Arbitrary<{ of: Document; value: fc.Arbitrary<Record<string, unknown>> }> {
  const compound = () =>
    fc
      .oneof(
        { weight: 3, arbitrary: documents(depth - 1) },
        { weight: 1, arbitrary: choices(depth - 1) },
        { weight: 1, arbitrary: namedChoices(depth - 1) },
        { weight: 1, arbitrary: families(depth - 1) },
      )
      .map(({ of, value }) => ({ type: { kind: 'document', document: of } as const, value }));
  const single = (): fc.Arbitrary<{ type: ListType['item']; value: fc.Arbitrary<unknown> }> =>
    depth === 0
      ? scalar(allKinds)
      : fc.oneof({ weight: 3, arbitrary: scalar(allKinds) }, { weight: 1, arbitrary: compound() });
  const type: fc.Arbitrary<Sample> = fc.oneof(
    { weight: 3, arbitrary: single() },
    {
      weight: 1,
      arbitrary: fc
        .tuple(single(), fc.boolean(), fc.boolean())
        .map(([item, flat, nulls]) => withNulls(item, nulls, (entry) => listOf(entry, flat))),
    },
    { weight: 1, arbitrary: fc.tuple(single(), fc.boolean()).map(([item, nulls]) => withNulls(item, nulls, mapOf)) },
  );
  const namespace = fc.option(fc.constantFrom('', 'urn:a', 'urn:b'), { nil: undefined });
  const options = fc.record({
    required: fc.boolean(),
    nullable: fc.boolean(),
    rename: fc.boolean(),
    attribute: fc.boolean(),
    namespace,
  });
  const own = fc.record({ root: fc.boolean(), inPlace: fc.boolean(), namespace });
  return fc
    .tuple(names, fc.array(fc.tuple(type, options), { minLength: 6, maxLength: 6 }), own)
    .map(([chosen, types, { root, inPlace, namespace }]) => {
      const parts = chosen.map((name, i) => {
        const [{ type, value, entry }, { attribute, nullable, ...option }] = types[i]!;
        const isSingle = type.kind !== 'document' && !isCollection(type);
        const takesNull = nullable && type.kind !== 'json' && !(type.kind === 'list' && type.flat);
        const sample = { type, entry, value: takesNull ? fc.option(value, { nil: null }) : value };
        return {
          name,
          sample,
          option: { ...option, nullable: takesNull, attribute: attribute && isSingle && !takesNull },
          i,
        };
      });
      const fields: Field[] = parts.map(({ name, sample, option, i }) =>
        field(name, sample.type, {
          required: option.required,
          jsonName: option.rename ? `json:${i}` : name,
          xmlName: `x${i}`,
          attribute: option.attribute,
          ...(option.nullable ? { nullable: true } : {}),
          ...(sample.entry === undefined ? {} : { entry: sample.entry }),
          ...(option.namespace === undefined ? {} : { namespace: option.namespace }),
        }),
      );
      const value = fc
        .tuple(
          ...parts.map(({ sample, option }) =>
            option.required ? sample.value : fc.option(sample.value, { nil: undefined }),
          ),
        )
        .map((given) =>
          Object.fromEntries(parts.map(({ name }, i) => [name, given[i]] as const).filter(([, v]) => v !== undefined)),
        );
      return {
        of: document('DOC', fields, { root, inPlace, ...(namespace === undefined ? {} : { namespace }) }),
        value,
      };
    });
}

/** A choice of documents, and values of it. Without a tag each of them has a member that it needs, and the others do not have. */
function choices(depth: number): ReturnType<typeof documents> {
  const branches = fc.array(documents(depth), { minLength: 2, maxLength: 3 });
  const tags = fc.option(fc.constantFrom('the kind', 'constructor', '@type'), { nil: undefined });
  const own = fc.record({
    root: fc.boolean(),
    names: fc.shuffledSubarray(['a', 'toString', 'b.c-d'], { minLength: 3 }),
  });
  return fc.tuple(branches, tags, own).map(([found, wanted, { root, names: given }]) => {
    const isTaken = found.some(({ of }) => of.fields.some(({ jsonName }) => jsonName === wanted));
    const tag = isTaken ? undefined : wanted;
    const parts = found.map(({ of, value }, index) => {
      if (tag !== undefined) return { of, value };
      const mark = field(`mark ${index}`, 'string', { xmlName: 'mark', required: true });
      return {
        of: { ...of, fields: [...of.fields, mark] },
        value: value.map((members) => ({ ...members, [mark.name]: '' })),
      };
    });
    const fields = parts.map(({ of }, index) => field(given[index]!, { kind: 'document', document: of }));
    const values = parts.map(({ value }, index) => value.map((each) => ({ [given[index]!]: each })));
    return {
      of: document('CHOICE', fields, { root, choice: tag === undefined ? {} : { tag } }),
      value: fc.oneof(...(values as [fc.Arbitrary<Record<string, unknown>>])),
    };
  });
}

const own = ({ root, inPlace, namespace }: Document): Parameters<typeof document>[2] => ({
  root,
  inPlace,
  ...(namespace === undefined ? {} : { namespace }),
});

/** A choice of values of any type, which JSON has by the names of the branches. */
function namedChoices(depth: number): ReturnType<typeof documents> {
  return documents(depth).map(({ of, value }) => {
    const fields = of.fields.map((each) => {
      const isFlat = each.type.kind === 'list' && each.type.flat;
      return { ...each, required: false, attribute: false, ...(isFlat ? { minimum: 1 } : {}) };
    });
    const chosen = fc.tuple(value, fc.nat(5)).map(([given, index]) => {
      const entries = Object.entries(given).filter(([, each]) => !Array.isArray(each) || each.length > 0);
      return Object.fromEntries(entries.slice(index % (entries.length || 1), (index % (entries.length || 1)) + 1));
    });
    return {
      of: document('NAMED', fields, { ...own(of), choice: { named: true } }),
      value: chosen.filter((given) => Object.keys(given).length === 1),
    };
  });
}

/** A document that others derive from, and values of each. */
function families(depth: number): ReturnType<typeof documents> {
  const own = fc.record({ isAbstract: fc.boolean(), namespace: fc.constantFrom('', 'urn:a', 'urn:c') });
  return fc.tuple(documents(depth), documents(depth), own).map(([base, more, { isAbstract, namespace }]) => {
    const renamed = new Map(more.of.fields.map(({ name }, index) => [name, `ext ${index}`]));
    const others = more.of.fields.map((each, index) => {
      return { ...each, name: `ext ${index}`, jsonName: `ext:${index}`, xmlName: `y${index}` };
    });
    const { namespace: around, root } = base.of;
    const inherited = base.of.fields.map((each) =>
      each.attribute || around === undefined ? each : { ...each, namespace: each.namespace ?? around },
    );
    const place = around === undefined ? {} : { namespace };
    const extension = document('EXT', [...inherited, ...others], place);
    const restriction = document('NARROW', base.of.fields, around === undefined ? {} : { namespace: around });
    const by = field('the kind', 'string');
    const of = document('BASE', base.of.fields, {
      root,
      ...(around === undefined ? {} : { namespace: around }),
      ...(isAbstract ? { abstract: true } : {}),
      kinds: { by, derived: [extension, restriction] },
    });
    const named = (name: string, value: fc.Arbitrary<Record<string, unknown>>) =>
      value.map((members) => ({ [by.name]: name, ...members }));
    const extended = fc.tuple(base.value, more.value).map(([inner, outer]) => ({
      ...inner,
      ...Object.fromEntries(Object.entries(outer).map(([name, each]) => [renamed.get(name), each])),
    }));
    const value = fc.oneof(
      named('EXT', extended),
      named('NARROW', base.value),
      ...(isAbstract ? [] : [named('BASE', base.value)]),
    );
    return { of, value };
  });
}

/** A message that is a list or a single value. */
const bare = fc
  .oneof(
    scalar(allKinds),
    documents(1).map(({ of, value }) => ({ type: { kind: 'document', document: of } as const, value })),
  )
  .chain(({ type, value }) => {
    const list = { type: { kind: 'list', item: type, flat: true } as const, value: fc.array(value, { maxLength: 3 }) };
    return fc.constantFrom<Sample>(list, type.kind === 'document' ? list : { type, value });
  })
  .map(({ type, value }) => ({
    of: document('BARE', [field('content', type, { required: true })], { bare: true }),
    value: value.map((content) => ({ content })),
  }));

/** A document with one of its values. */
export const cases = fc
  .oneof(
    { weight: 4, arbitrary: documents(2) },
    { weight: 1, arbitrary: bare },
    { weight: 1, arbitrary: choices(1) },
    { weight: 1, arbitrary: namedChoices(1) },
    { weight: 1, arbitrary: families(1) },
  )
  .chain(({ of, value }) => value.map((v) => ({ of, value: v as Record<string, Value> })));

/** A value whose texts XML can carry. */
export function carried(value: unknown): Value {
  if (typeof value === 'string') return value.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?');
  if (typeof value !== 'object' || value === null || value instanceof MemoryAttachment) return value as Value;
  if (Array.isArray(value)) return value.map(carried);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [carried(key), carried(member)]));
}

/** The same whose texts XML can carry. */
export const xmlCases = cases.map(({ of, value }) => ({ of, value: carried(value) as Record<string, Value> }));
