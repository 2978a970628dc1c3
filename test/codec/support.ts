import type { Document } from '../../src/model/document.ts';
import type { Field, FieldType, ScalarKind } from '../../src/model/field.ts';

const at = { file: 'definitions/test.yaml', line: 1, column: 1 };

/** `string(10)`, `decimal(10.2)`, `integer` as YAML has them. */
function typeOf(word: string): FieldType {
  const found = /^(\w+)(?:\((\d+)(?:\.(\d+))?\))?$/.exec(word)!;
  const [, kind, length, scale] = found;
  return {
    kind: kind as ScalarKind,
    ...(length === undefined ? {} : { length: Number(length) }),
    ...(scale === undefined ? {} : { scale: Number(scale) }),
  };
}

/** A field as the loader makes it. */
export function field(name: string, type: string | FieldType, options: Partial<Field> = {}): Field {
  return {
    name,
    jsonName: name,
    xmlName: name,
    type: typeof type === 'string' ? typeOf(type) : type,
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    at,
    ...options,
  };
}

/** A document as the loader makes it. */
export function document(id: string, fields: readonly Field[], options: Partial<Document> = {}): Document {
  return { id, xmlName: id, root: false, open: false, inPlace: false, at, fields, ...options };
}

export function compound(of: Document): FieldType {
  return { kind: 'document', document: of };
}

export function list(of: string | Document, flat = false): FieldType {
  const item = typeof of === 'string' ? (typeOf(of) as FieldType & { kind: ScalarKind }) : compound(of);
  return { kind: 'list', item: item as Extract<FieldType, { kind: 'list' }>['item'], flat };
}

/** The words of what a function throws; fails where it throws nothing. */
export function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Error && error.name === 'CodecError') return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const LOC_DTL_VW = document('LOC_DTL_VW', [field('LOCATION', 'string(10)'), field('EFFDT', 'date')]);
const EE_LIST_VW = document('EE_LIST_VW', [field('DEPTNAME', 'string'), field('NAME', 'string')]);

/** The lookup's response, with two fields an entry. */
export const LOC_RESPONSE = document(
  'LOC_RESPONSE',
  [field('LOC_DATA', list(LOC_DTL_VW)), field('EMP_DATA', list(EE_LIST_VW), { absent: 'blank' })],
  { root: true },
);

/** The failure shape, a fault document with a compound written in place. */
export const FAILURE = document(
  'FAILURE',
  [
    field('status', 'string', { fixed: 'failure' }),
    field(
      'error',
      compound(
        document(
          'FAILURE_error',
          [
            field('message', 'text', { default: '{fault.message}' }),
            field('detail', 'text', { default: '{fault.detail}' }),
          ],
          { inPlace: true },
        ),
      ),
    ),
  ],
  { namespace: '' },
);
