import type { Document } from '../../model/document.ts';
import type { Value } from '../../model/value.ts';
import { quote } from '../../wire/words.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { isAttachment } from '../binary.ts';
import { kindOf, refuse, within } from '../error.ts';
import { compileNamesItself } from '../kind.ts';
import { checkDepth, unknownField } from '../value.ts';
import { element, type Tag, tagOf } from './element.ts';
import { exactText } from './exact.ts';

/**
 * Compiles the writing of fields that a document doesn't declare: they are refused or, if the document is open, written as
 * elements without a namespace after the declared ones. A list repeats its element; an object has elements inside.
 */
export function compileUndeclaredXml(
  document: Document,
  scope: string,
): (source: Readonly<Record<string, unknown>>, depth: number) => string {
  const names = new Set(document.fields.map((field) => field.name));
  const xmlNames = new Set(document.fields.filter((field) => !field.attribute).map((field) => field.xmlName));
  const namesItself = compileNamesItself(document);
  return (source, depth) => {
    let written = '';
    for (const key of Object.keys(source)) {
      if (names.has(key) || source[key] === undefined || namesItself(key, source[key])) continue;
      if (!document.open || xmlNames.has(key)) throw unknownField(document, key, names);
      written += undeclared(key, source[key] as Value, scope, depth + 1);
    }
    return written;
  };
}

function undeclared(name: string, value: Value, scope: string, depth: number): string {
  if (!isXmlName(name)) return refuse(`holds ${quote(name)}, which can't be the name of an element`);
  const tag = tagOf(name, '', scope);
  try {
    checkDepth(depth);
    if (!Array.isArray(value)) return single(tag, value, depth);
    return (value as readonly Value[]).map((entry) => single(tag, entry, depth)).join('');
  } catch (error) {
    throw within(error, name);
  }
}

function single(tag: Tag, value: Value, depth: number): string {
  if (value === null) return element(tag, '', '');
  if (typeof value === 'object') {
    if (Array.isArray(value) || isAttachment(value)) refuse(`is ${kindOf(value)}, which has no form in XML here`);
    const members = Object.entries(value as Readonly<Record<string, Value>>).filter(
      ([, member]) => member !== undefined,
    );
    return element(tag, '', members.map(([name, member]) => undeclared(name, member, '', depth + 1)).join(''));
  }
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(`is ${value}, which a document does not allow`);
  if (typeof value === 'undefined' || typeof value === 'function') refuse(`is ${kindOf(value)}`);
  return element(tag, '', exactText(String(value)));
}
