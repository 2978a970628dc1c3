import { type Document, documentName } from '../model/document.ts';
import { boundsOf, type Field, isSpaced, typeWords } from '../model/field.ts';
import type { Registry } from '../model/registry.ts';
import type { JsonTree } from './json-text.ts';
import { shape, tree } from './registry-walk.ts';

/** The options of a field, by their keys in definitions. */
const FIELD = shape<Field>()(
  'type named description required nullable default! assumed! enum! labels any-case pattern space minimum above maximum below digits fraction fixed! sensitive example! json xml header attribute content inline any namespace flat spaced entry absent=omit url=segment',
  {
    type: ({ type }) => typeWords(type),
    named: ({ named }) => named?.id,
    json: ({ name, jsonName }) => (jsonName === name ? undefined : jsonName),
    xml: ({ name, xmlName }) => (xmlName === name ? undefined : xmlName),
    pattern: ({ patterns = [] }) => (patterns.length > 1 ? patterns : patterns[0]),
    minimum: (field) => boundsOf(field).minimum,
    above: ({ range }) => range?.above,
    maximum: (field) => boundsOf(field).maximum,
    below: ({ range }) => range?.below,
    flat: ({ type }) => type.kind === 'list' && type.flat,
    spaced: ({ type }) => isSpaced(type),
    entry: ({ entry }) => entry && tree(entry),
  },
  {
    asFound: 'columns of queries only',
    attachment: '`content`',
    jsonName: '`json`',
    optional: '`required`',
    patterns: '`pattern`',
    range: 'its four bounds',
    xmlName: '`xml`',
  },
);

/** Fields by their names, in their order. */
export function fieldsTree(fields: readonly Field[], registry: Registry): JsonTree {
  return new Map(fields.map((field) => [field.name, FIELD(field, registry)]));
}

/** How a document is written to `registry.json`. */
export const DOCUMENT = shape<Document>()(
  'description xml xml-type namespace! root open bare patch choice derivation kinds by-value abstract in-place fields!',
  {
    xml: (document) => document.xmlName !== documentName(document) && document.xmlName,
    patch: ({ patch }) => patch !== undefined,
    choice: ({ choice }) => choice && (choice.named ? { named: true } : (choice.tag ?? true)),
    derivation: ({ derivation }) => derivation && { [derivation.by]: derivation.base.id },
    kinds: ({ kinds }) => kinds?.by.name,
    'by-value': ({ byValue }) => byValue,
    fields: ({ fields }, registry) => fieldsTree(fields, registry),
  },
  { xmlName: '`xml`' },
);
