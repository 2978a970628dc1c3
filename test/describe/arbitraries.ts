import fc from 'fast-check';
import type { Document } from '../../src/model/document.ts';
import { type CompoundType, type Field, type FieldType, type ScalarType, singleType } from '../../src/model/field.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';
import type { DocumentValue, Value } from '../../src/model/value.ts';
import { document, type FieldOptions, field } from '../support/registry.ts';

/** Documents of every field type and option, each with values that it takes. */

export interface DocumentCase {
  readonly document: Document;
  readonly values: readonly DocumentValue[];
}

/** A field with values that it takes. */
interface FieldCase {
  readonly field: Field;
  readonly value: fc.Arbitrary<Value>;
}

/** The same of a document. */
interface DocumentItem {
  readonly type: CompoundType;
  readonly options: FieldOptions;
  readonly value: fc.Arbitrary<Value>;
}

/** A type of one value, the options that go with it, and the values. */
interface ScalarCase {
  readonly type: ScalarType;
  readonly options: FieldOptions;
  readonly value: fc.Arbitrary<Value>;
}

/** Letters that XML, JSON and Unicode each make special; no control characters, which XML replaces. */
const letter = fc.constantFrom(...'aZ0 <>&"\'\\/]-_.:é€', '\u{1F682}');
const texts = (least: number, most: number): fc.Arbitrary<string> =>
  fc.string({ unit: letter, minLength: least, maxLength: most });

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

const plain = (kind: ScalarKind, value: fc.Arbitrary<Value>): fc.Arbitrary<ScalarCase> =>
  fc.constant({ type: { kind }, options: {}, value });

const scalars: fc.Arbitrary<ScalarCase> = fc.oneof(
  plain('text', texts(0, 12)),
  fc
    .integer({ min: 1, max: 12 })
    .map((length) => ({ type: { kind: 'string', length }, options: {}, value: texts(0, length) })),
  fc.integer({ min: 1, max: 5 }).map((minimum) => ({
    type: { kind: 'string' },
    options: { minimum, maximum: minimum + 3 },
    value: texts(minimum, minimum + 3),
  })),
  fc.constant({
    type: { kind: 'string' },
    options: { enum: ['N', 'SOUTH WEST', '<&>'] },
    value: fc.constantFrom('N', '<&>'),
  }),
  fc.constant({ type: { kind: 'string' }, options: { fixed: 'failure' }, value: fc.constant('failure') }),
  fc.constant({ type: { kind: 'string' }, options: { assumed: '<&> {X}' }, value: texts(1, 5) }),
  fc.constant({ type: { kind: 'string' }, options: { enum: ['N'], assumed: 'N' }, value: fc.constant('N') }),
  fc.constant({ type: { kind: 'boolean' }, options: { enum: [true] }, value: fc.constant(true) }),
  fc.constant({ type: { kind: 'boolean' }, options: { enum: [false], assumed: false }, value: fc.constant(false) }),
  fc.constant({ type: { kind: 'boolean' }, options: { assumed: false }, value: fc.boolean() }),
  fc.constant({
    type: { kind: 'string' },
    options: { patterns: ['[A-Z]{2}-\\d+|none'] },
    value: fc.oneof(fc.constant('none'), fc.stringMatching(/^[A-Z]{2}-[0-9]{1,5}$/)),
  }),
  plain('integer', fc.oneof(fc.integer(), fc.constant(9007199254740993n))),
  fc.constant({
    type: { kind: 'integer' },
    options: { minimum: -5, maximum: 7 },
    value: fc.integer({ min: -5, max: 7 }),
  }),
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 3 })).map(([whole, scale]) => ({
    type: { kind: 'decimal', length: whole + scale, scale },
    options: {},
    value: fc
      .tuple(fc.constantFrom('', '-'), fc.integer({ min: 1, max: 9 }), digits(scale))
      .map(([sign, first, rest]) => (rest === '' ? `${sign}${first}` : `${sign}${first}.${rest}`)),
  })),
  plain(
    'number',
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  ),
  plain(
    'xs-double',
    fc.double().map((value) => (value === 0 ? 0 : value)),
  ),
  fc.constant({
    type: { kind: 'number' },
    options: { minimum: -0.5 },
    value: fc.oneof(
      fc.double({ min: -0.5, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    ),
  }),
  plain('duration', fc.constantFrom('P1Y', '-PT0.5S', 'P1Y2M3DT4H5M6.7S')),
  fc.constant({
    type: { kind: 'hex' },
    options: { minimum: 1, maximum: 2, patterns: ['[0-9a-f]+'] },
    value: fc.constantFrom('00', '0f1e'),
  }),
  plain('hex', fc.constantFrom('', '0F', '0f1e')),
  plain('boolean', fc.boolean()),
  plain('flag', fc.constantFrom('Y', 'N')),
  plain('date', fc.constantFrom('2026-01-31', '0001-01-01', '2024-02-29')),
  plain('time', fc.constantFrom('00:00:00', '23:59:59.125')),
  plain('datetime', fc.constantFrom('2026-01-31T08:30:00Z', '2026-01-31T08:30:00.5+02:00')),
  plain('uuid', fc.constantFrom('0f8fad5b-d9cb-469f-a165-70867728950e', '00000000-0000-0000-0000-000000000000')),
  plain('uri', fc.constantFrom('https://example.com/a?b=c&d#e', 'urn:isbn:0451450523', 'x://[::1]:80')),
  fc.constant({
    type: { kind: 'uri' },
    options: { patterns: ['https://.+'], maximum: 30 },
    value: fc.constantFrom('https://example.com', 'https://example.com/%20'),
  }),
  plain('json', fc.constantFrom({ a: [1, 'x'] }, 'text', 5, true)),
  plain('xml', fc.constantFrom('<a b="1">c</a>', 'text')),
) as fc.Arbitrary<ScalarCase>;

const common = fc.record({
  required: fc.boolean(),
  absent: fc.constantFrom('omit', 'omit', 'blank'),
  sensitive: fc.boolean(),
  namespace: fc.constantFrom(undefined, undefined, undefined, '', 'urn:y'),
}) as fc.Arbitrary<FieldOptions>;

function scalarField(name: string, attributes: boolean): fc.Arbitrary<FieldCase> {
  return fc.tuple(scalars, common, fc.boolean()).map(([{ type, options, value }, more, attribute]) => {
    const isAttribute = attributes && attribute && type.kind !== 'xml' && type.kind !== 'json';
    // What is written blank is never absent.
    const absent = options.assumed === undefined ? {} : { absent: 'omit' as const };
    return { field: field(name, type, { ...options, ...more, ...absent, attribute: isAttribute }), value };
  });
}

function listField(name: string): fc.Arbitrary<FieldCase> {
  return fc.tuple(scalars, common, fc.boolean()).map(([{ type, options, value }, more, flat]) => {
    const { minimum: _, maximum: __, fixed: ___, assumed: ____, ...rest } = options;
    const item = options.maximum === undefined ? type : { ...type, length: options.maximum };
    const list: FieldType = { kind: 'list', item, flat };
    return { field: field(name, list, { ...rest, ...more }), value: fc.array(value, { maxLength: 3 }) };
  });
}

function mapField(name: string): fc.Arbitrary<FieldCase> {
  const documentCase = fc
    .oneof(documents(`${name}_DOC`, 0), choiceDocuments(`${name}_DOC`, 0))
    .map(({ document: of, values }) => ({
      type: { kind: 'document', document: of } as const,
      options: {} as FieldOptions,
      value: fc.constantFrom(...values) as fc.Arbitrary<Value>,
    }));
  const scalar = scalars.filter(({ type }) => type.kind !== 'xml');
  return fc
    .tuple(
      fc.oneof<[fc.Arbitrary<ScalarCase | DocumentItem>, fc.Arbitrary<ScalarCase | DocumentItem>]>(
        scalar,
        documentCase,
      ),
      common,
    )
    .map(([{ type, options, value }, { absent: _, ...more }]) => {
      const { minimum: __, maximum: ___, fixed: ____, assumed: _____, ...rest } = options;
      const item =
        options.maximum === undefined || type.kind === 'document' ? type : { ...type, length: options.maximum };
      const entries = fc.array(fc.tuple(fc.constantFrom('a', '__proto__', '<&">', 'b c'), value), { maxLength: 3 });
      return {
        field: field(name, { kind: 'map', item }, { ...rest, ...more }),
        value: entries.map((each) => Object.fromEntries(each)),
      };
    });
}

function documentField(name: string, depth: number): fc.Arbitrary<FieldCase> {
  return fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: documents(`${name}_DOC`, depth - 1) },
        choiceDocuments(`${name}_DOC`, depth - 1),
        namedChoices(`${name}_DOC`, depth - 1),
        families(`${name}_DOC`, depth - 1),
      ),
      common,
      fc.constantFrom('one', 'list', 'flat'),
      fc.boolean(),
      fc.constantFrom(undefined, '', 'urn:x'),
    )
    .map(([inner, rest, form, inPlace, namespace]) => {
      const { choice, abstract, kinds } = inner.document;
      const more: FieldOptions = choice === undefined && !abstract ? rest : { ...rest, absent: 'omit' };
      const place = { inPlace, ...(namespace === undefined ? {} : { namespace }) };
      // Only documents with an id of their own derive from others.
      const doc = kinds === undefined ? { ...inner.document, ...place } : inner.document;
      const one: FieldType = { kind: 'document', document: doc };
      const value = fc.constantFrom(...inner.values);
      if (form === 'one') return { field: field(name, one, more), value };
      const list: FieldType = { kind: 'list', item: { kind: 'document', document: doc }, flat: form === 'flat' };
      return { field: field(name, list, more), value: fc.array(value, { maxLength: 2 }) };
    });
}

/** The same, or a nullable field where that is permitted. */
function orNull(cases: fc.Arbitrary<FieldCase>): fc.Arbitrary<FieldCase> {
  return fc.tuple(cases, fc.boolean()).map(([each, nullable]) => {
    const { type, absent, attribute, fixed } = each.field;
    const isFlat = type.kind === 'list' && type.flat;
    const needed = type.kind === 'document' && type.document.fields.some((of) => of.attribute && of.required);
    if (needed || !nullable || absent === 'blank' || attribute || fixed !== undefined || isFlat || type.kind === 'json')
      return each;
    return { field: { ...each.field, nullable: true }, value: fc.option(each.value, { nil: null, freq: 2 }) };
  });
}

/** A document of a few fields and three values of it: with all fields, with those that are required, with some. */
export function documents(id: string, depth = 2): fc.Arbitrary<DocumentCase> {
  const one = (name: string): fc.Arbitrary<FieldCase> =>
    depth === 0
      ? fc.oneof(scalarField(name, true), listField(name))
      : fc.oneof(
          { weight: 3, arbitrary: scalarField(name, true) },
          listField(name),
          mapField(name),
          documentField(name, depth),
        );
  const fields = fc.integer({ min: 1, max: 4 }).chain((count) => {
    return fc.tuple(...Array.from({ length: count }, (_, index) => orNull(one(`${id}_${index}`))));
  });
  return fc.tuple(fields, fc.constantFrom(true, false, false)).chain(([cases, open]) => {
    const doc = document(
      id,
      cases.map((each) => each.field),
      { open },
    );
    const all = fc.record(Object.fromEntries(cases.map((each) => [each.field.name, each.value])));
    return fc.tuple(all, all, fc.nat(1)).map(([first, second, seed]) => ({
      document: doc,
      values: [
        open ? { ...first, ...undeclared } : first,
        keeping(cases, second, () => false),
        keeping(cases, second, (index) => index % 2 === seed),
      ],
    }));
  });
}

/** One of two documents, which are told apart by a tag, or by a field that only one of them has. */
export function choiceDocuments(id: string, depth = 1): fc.Arbitrary<DocumentCase> {
  const branch = (name: string): fc.Arbitrary<DocumentCase> =>
    documents(`${id}_${name}`, depth).filter(({ document: { open } }) => !open);
  return fc.tuple(branch('A'), branch('B'), fc.constantFrom(undefined, 'kind')).map(([a, b, tag]) => {
    const mark = field(`${id}_MARK`, 'string', { required: true });
    const marked = {
      document: tag === undefined ? { ...a.document, fields: [...a.document.fields, mark] } : a.document,
      values: tag === undefined ? a.values.map((value) => ({ ...value, [mark.name]: 'x' })) : a.values,
    };
    const branches = { first: marked, second: b };
    const fields = Object.entries(branches).map(([name, each]) =>
      field(name, { kind: 'document', document: each.document }),
    );
    return {
      document: document(id, fields, { choice: tag === undefined ? {} : { tag } }),
      values: Object.entries(branches).flatMap(([name, { values }]) => values.map((value) => ({ [name]: value }))),
    };
  });
}

/** One of a few values of any type, by the names of the branches. */
export function namedChoices(id: string, depth = 1): fc.Arbitrary<DocumentCase> {
  return documents(id, depth).map(({ document: { fields, ...rest }, values: [all = {}] }) => {
    const branches = fields.map(({ fixed: _, ...each }) => {
      const isFlat = each.type.kind === 'list' && each.type.flat;
      const least = isFlat ? { minimum: 1 } : {};
      return { ...each, required: false, attribute: false, absent: 'omit' as const, ...least };
    });
    // What was blank before may be empty; a flat list needs an entry.
    const usable = branches.filter(({ name, type }) => {
      return type.kind !== 'list' || !type.flat || (all[name] as readonly Value[]).length > 0;
    });
    const spare = field(`${id}_SPARE`, 'boolean');
    return {
      document: { ...rest, open: false, fields: [...branches, spare], choice: { named: true } },
      values: [...usable.map(({ name }) => ({ [name]: all[name] })), { [spare.name]: true }],
    };
  });
}

/** A document that one extends and one restricts, and values of all three. */
export function families(id: string, depth = 1): fc.Arbitrary<DocumentCase> {
  return fc
    .tuple(documents(id, depth), documents(`${id}_EXT`, depth), fc.constantFrom(undefined, 'urn:x'), fc.boolean())
    .map(([base, more, wanted, isAbstract]) => {
      // A document in place has the namespace of its base, which the loader writes down.
      const isPlaced = base.document.fields.some(({ type }) => {
        const single = singleType(type);
        return single.kind === 'document' && single.document.inPlace;
      });
      const namespace = isPlaced ? undefined : wanted;
      const place = namespace === undefined ? {} : { namespace };
      const { fields } = base.document;
      const by = field('kind', 'string', { enum: [...(isAbstract ? [] : [id]), `${id}_EXT`, `${id}_NARROW`] });
      const derived: Document[] = [];
      const of = document(id, fields, {
        ...place,
        ...(isAbstract ? { abstract: true as const } : {}),
        kinds: { by, derived },
      });
      const inherited = fields.map((each) =>
        each.attribute || namespace === undefined ? each : { ...each, namespace: each.namespace ?? namespace },
      );
      derived.push(
        document(`${id}_EXT`, [...inherited, ...more.document.fields], {
          ...(namespace === undefined ? {} : { namespace: 'urn:z' }),
          derivation: { base: of, by: 'extension' },
        }),
        document(`${id}_NARROW`, fields, { ...place, derivation: { base: of, by: 'restriction' } }),
      );
      const named = (name: string, values: readonly DocumentValue[]): DocumentValue[] =>
        values.map(({ EXTRA: _, MORE: __, ...value }) => ({ kind: name, ...value }));
      const extended = base.values.map((value, index) => ({ ...value, ...more.values[index] }));
      return {
        document: of,
        values: [
          ...named(`${id}_EXT`, extended),
          ...named(`${id}_NARROW`, base.values),
          ...(isAbstract ? [] : named(id, base.values)),
        ],
      };
    });
}

/** A message that is a list or a single value. */
export function bareDocuments(id: string): fc.Arbitrary<DocumentCase> {
  const options = { required: true, absent: 'omit', attribute: false, sensitive: false } as const;
  const any = fc.oneof(scalarField('content', false), listField('content'), documentField('content', 1));
  return (
    any
      .filter(({ field: { type } }) => type.kind !== 'document')
      // Documents of bare messages have the same ids, and xsi:type has one for each type.
      .filter(({ field: { type } }) => {
        const single = singleType(type);
        return single.kind !== 'document' || single.document.kinds === undefined;
      })
      .map(({ field: content, value }) => {
        const { namespace: _, ...rest } = content;
        const type = rest.type.kind === 'list' ? { ...rest.type, flat: true } : rest.type;
        return { content: { ...rest, ...options, type }, value };
      })
      .chain(({ content, value }) =>
        fc.tuple(value, value).map((values) => ({
          document: document(id, [content], { bare: true }),
          values: values.map((each) => ({ content: each })),
        })),
      )
  );
}

/** What an open document may hold beside its fields. */
const undeclared: DocumentValue = { EXTRA: 'x', MORE: [{ a: 'b' }, { a: 'c' }] };

/** A value with the fields that are required, and those that are kept by their place. */
function keeping(cases: readonly FieldCase[], value: DocumentValue, keep: (index: number) => boolean): DocumentValue {
  // Required and `absent: blank` together mean that the blank is written.
  const kept = cases.filter(({ field }, index) => (field.required && field.absent !== 'blank') || keep(index));
  return Object.fromEntries(kept.map(({ field }) => [field.name, value[field.name]]));
}
