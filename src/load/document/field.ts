import type { Field } from '../../model/field.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import type { FieldDeclared } from '../schema/field.ts';
import type { DerivedName } from './derived-name.ts';
import { type DocumentSource, type FieldSpot, linkType } from './field-type.ts';
import { linkValues } from './field-values.ts';

/** Links one field of a document, a prompt or a column. Undefined where its type can't be told. */
export function linkField(
  source: DocumentSource,
  container: object,
  name: string,
  owner: DerivedName,
): Field | undefined {
  const { report, places } = source.linking;
  const at = places.key(container, name);
  if (name === '__proto__') {
    report.raise('reserved-name', { name, why: 'JavaScript gives it another meaning' }, at);
    return undefined;
  }
  const value = (container as Readonly<Record<string, string | FieldDeclared>>)[name] as string | FieldDeclared;
  const declared: FieldDeclared = typeof value === 'string' ? { type: value } : value;
  const position = positionOf(at);
  const spot: FieldSpot = { name, declared, container, owner };
  const xmlName = declared.xml ?? name;
  if (!isXmlName(xmlName)) {
    const place = declared.xml === undefined ? at : places.value(declared, 'xml');
    report.raise('xml-name', { name: xmlName }, place);
  }
  const type = linkType(source, spot);
  if (type === undefined) return undefined;
  const values = typeof value === 'string' ? {} : linkValues(source, spot, type, position);
  return {
    name,
    jsonName: declared.json ?? name,
    xmlName,
    type,
    required: declared.required ?? false,
    anyCase: declared['any-case'] ?? false,
    sensitive: declared.sensitive ?? false,
    attribute: declared.attribute ?? false,
    absent: declared.absent ?? 'omit',
    url: declared.url ?? 'segment',
    ...given({
      description: declared.description,
      pattern: declared.pattern,
      minimum: declared.minimum,
      maximum: declared.maximum,
      namespace: declared.namespace,
    }),
    ...values,
    at: position,
  };
}
