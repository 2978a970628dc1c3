// Attributes of any name, as a map (`any`).
import type { Document } from '../../model/document.ts';
import { type Field, type ScalarType, singleType } from '../../model/field.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { ANY_NAMESPACE, expandedName, namePartsOf, takesNamespace } from '../../model/wildcard.ts';
import { XML_NAMESPACE, XMLNS_NAMESPACE, XSI } from '../../wire/xml/namespaces.ts';
import { escapeAttribute, isXmlName } from '../../wire/xml/text.ts';
import type { XmlAttribute } from '../../wire/xml/tree.ts';
import { refuse, stepOf, within } from '../error.ts';
import { compileScalar } from '../scalar.ts';
import { compileEntryCount, mapEntries, setMember } from '../value.ts';
import { exactAttribute } from './exact.ts';

/** Reads attributes as a map of their values by `{namespace}name`. */
export function attributesReader(
  field: Field,
  read: (text: string) => Value,
): (given: readonly XmlAttribute[]) => Value {
  const checkCount = compileEntryCount(field);
  return (given) => {
    checkCount(given.length);
    const map: Record<string, unknown> = {};
    for (const { namespace, local, value } of given) {
      const key = expandedName(namespace, local);
      try {
        setMember(map, key, read(value));
      } catch (error) {
        throw within(error, stepOf(key));
      }
    }
    return map as DocumentValue;
  };
}

/** Writes attributes of any name: a map of their values by `{namespace}name`. @param target namespace of the document */
export function attributesWriter(field: Field, { fields }: Document, target: string): (value: Value) => string {
  const { any = ANY_NAMESPACE } = field;
  const { toText } = compileScalar(field, singleType(field.type) as ScalarType);
  const checkCount = compileEntryCount(field);
  const declared = new Map(
    fields.flatMap(({ attribute, any: rest, namespace = '', xmlName, name }) =>
      attribute && rest === undefined ? [[expandedName(namespace, xmlName), name] as const] : [],
    ),
  );
  const start = (key: string, index: number): string => {
    const { namespace, local } = namePartsOf(key);
    const own = declared.get(key);
    if (own !== undefined) refuse(`is an attribute that has a field of its own, ${own}`);
    const isReserved = RESERVED.has(namespace) || (namespace === '' && local === 'xmlns');
    if (!isXmlName(local) || isReserved || expandedName(namespace, local) !== key)
      refuse('is not the name of an attribute: write name, or {namespace}name');
    if (!takesNamespace(any, namespace, target)) refuse(`is not in a namespace that is taken: ${any}`);
    if (namespace === '') return ` ${local}="`;
    return namespace === XML_NAMESPACE
      ? ` xml:${local}="`
      : ` xmlns:b${index}="${escapeAttribute(namespace)}" b${index}:${local}="`;
  };
  return (value) => {
    const entries = mapEntries(value);
    checkCount(entries.length);
    let written = '';
    for (const [index, [key, each]] of entries.entries()) {
      try {
        written += `${start(key, index)}${exactAttribute(toText(each))}"`;
      } catch (error) {
        throw within(error, stepOf(key));
      }
    }
    return written;
  };
}

/** Namespaces whose attributes have a meaning in XML itself or in its schemas. */
const RESERVED: ReadonlySet<string> = new Set([XMLNS_NAMESPACE, XSI]);
