import type { Pick } from '../../src/mock/instance.ts';

/** A declaration, as YAML would have it. */
export interface Declaration {
  [key: string]: unknown;
}

/** A document DOC with fields of random types and options; most can be loaded. */
export function randomDocument(pick: Pick): Declaration {
  return {
    fields: randomFields(pick, 2),
    ...(pick(6) === 0 ? { open: true } : {}),
    ...(pick(8) === 0 ? { root: true } : {}),
  };
}

function randomFields(pick: Pick, depth: number): Declaration {
  const count = 1 + pick(4);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`F${index + 1}`, randomField(pick, depth)]));
}

/** Types, with the options that each may have and values of these. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'string(5)': {
    minimum: [1, 2],
    enum: [['A', 'B'], ['A', 'B', 'C'], ['A']],
    default: ['A', 'B'],
    assumed: ['A', 'B'],
    fixed: ['A', 'B'],
    pattern: ['[A-Z]+', '[A-Z0-9]*', '.{1,3}'],
    'any-case': [true],
    space: ['collapse', 'replace'],
    attribute: [true],
  },
  text: {
    minimum: [1, 2],
    maximum: [3, 8],
    pattern: ['[A-Z]+', '[A-Za-z ]*'],
    space: ['collapse', 'replace'],
    sensitive: [true],
  },
  integer: {
    ...{ minimum: [0, 1, 5], maximum: [5, 9, 100], above: [0], below: [10], digits: [1, 3] },
    ...{
      default: [1, 5],
      enum: [
        [1, 5],
        [1, 5, 9],
      ],
      fixed: [5],
      attribute: [true],
    },
  },
  'decimal(6.2)': { minimum: [0, 1], maximum: [100], default: [1] },
  decimal: { digits: [4, 6], fraction: [1, 2], above: ['0.5'], maximum: ['99.50'] },
  number: { minimum: [0], below: [10] },
  boolean: { default: [true, false], assumed: [true, false], enum: [[true], [false]], attribute: [true] },
  flag: { default: [true] },
  date: { minimum: ['2026-01-01'], maximum: ['2026-12-31'] },
  datetime: {},
  uuid: {},
  'list of integer': {
    minimum: [1],
    maximum: [2, 3],
    flat: [true],
    spaced: [true],
    entry: [{ maximum: 5 }, { minimum: 1 }],
  },
  'list of string(5)': {
    minimum: [1],
    maximum: [2],
    flat: [true],
    entry: [{ minimum: 2 }, { enum: ['A', 'B'] }, { pattern: '[A-Z]+' }],
  },
  'map of string(5)': { maximum: [2], entry: [{ enum: ['A', 'B'] }] },
  json: {},
};

const COMMON: Readonly<Record<string, readonly unknown[]>> = {
  required: [true],
  nullable: [true],
  json: ['other'],
  xml: ['other'],
  namespace: ['urn:other'],
  absent: ['blank'],
};

const TYPES = Object.keys(OPTIONS);

const oneOf = <T>(pick: Pick, all: readonly T[]): T => all[pick(all.length)] as T;

function randomField(pick: Pick, depth: number): Declaration {
  if (depth > 0 && pick(5) === 0) {
    const fields = { fields: randomFields(pick, depth - 1) };
    return pick(2) === 0 ? { list: fields } : fields;
  }
  if (depth > 0 && pick(12) === 0)
    return { 'one-of': { a: randomField(pick, 0), b: randomField(pick, 0) }, named: true };
  const field: Declaration = { type: oneOf(pick, TYPES) };
  for (let options = pick(3); options > 0; options--) setOption(pick, field);
  return field;
}

function setOption(pick: Pick, field: Declaration): void {
  const own = OPTIONS[String(field.type)] ?? {};
  const options = { ...COMMON, ...own };
  const name = oneOf(pick, [...Object.keys(own), ...Object.keys(own), ...Object.keys(COMMON)]);
  field[name] = oneOf(pick, options[name] ?? [true]);
}

/** The document with one random change, somewhere in it. */
export function mutated(pick: Pick, document: Declaration): Declaration {
  const copy = structuredClone(document);
  const holders = holdersIn(copy);
  const holder = oneOf(pick, holders);
  const fields = (holder.fields ?? holder['one-of']) as Declaration;
  const names = Object.keys(fields);
  const name = oneOf(pick, names);
  const field = fields[name] as Declaration;
  switch (pick(10)) {
    case 0:
      fields[`F${names.length + 1}X`] = randomField(pick, 1);
      break;
    case 1:
      if (names.length > 1) delete fields[name];
      break;
    case 2:
      holder[holder.fields === undefined ? 'one-of' : 'fields'] = Object.fromEntries(Object.entries(fields).reverse());
      break;
    case 3:
      if (pick(2) === 0) copy.open = copy.open === undefined ? true : undefined;
      // In an open document a member with the name of its label is one that it does not declare.
      else if (copy.open === undefined) copy.root = copy.root === undefined ? true : undefined;
      break;
    case 4:
      fields[name] = randomField(pick, 1);
      break;
    case 5:
      if (typeof field.type === 'string') field.type = oneOf(pick, TYPES);
      break;
    case 6:
    case 7: {
      const options = Object.keys(field).filter(
        (each) => !['type', 'fields', 'list', 'one-of', 'named'].includes(each),
      );
      if (options.length > 0) delete field[oneOf(pick, options)];
      else setOption(pick, field);
      break;
    }
    default:
      if (field.type === undefined) field.required = field.required === undefined ? true : undefined;
      else setOption(pick, field);
  }
  return JSON.parse(JSON.stringify(copy)) as Declaration;
}

/** All that has fields or branches. */
function holdersIn(declaration: Declaration): Declaration[] {
  const own = declaration.fields ?? declaration['one-of'];
  const inner = [...Object.values((own ?? {}) as Declaration), declaration.list].filter(
    (each): each is Declaration => typeof each === 'object' && each !== null,
  );
  return [...(own === undefined ? [] : [declaration]), ...inner.flatMap(holdersIn)];
}
