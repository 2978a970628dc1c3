import type { DocumentOptions, FieldOptions } from '../draft.ts';
import { type SchemaContext, type Shape, shapeOf } from './shape.ts';
import type { TypeRead } from './type-read.ts';

/** The `xml` of the schema of a document, where a message is XML. Without one, its elements have no namespace. */
export function xmlDocumentOptions(shape: Shape, { hasXml }: SchemaContext): DocumentOptions {
  const xml = shape.first('xml');
  if (!hasXml) return {};
  const name = xml?.get('name')?.text;
  const namespace = xml?.get('namespace')?.text ?? '';
  return name === undefined ? { namespace } : { xml: name, namespace };
}

/** The `xml` of the schema of a property, where a message is XML. OpenAPI writes lists without an element around. */
export function xmlFieldOptions(name: string, shape: Shape, read: TypeRead, context: SchemaContext): FieldOptions {
  if (!context.hasXml) return {};
  const own = shape.first('xml');
  const options: FieldOptions = {};
  const namespace = own?.get('namespace')?.text;
  if (namespace !== undefined) options.namespace = namespace;
  const { type } = read;
  if (type.kind === 'list') return { ...options, ...listOptions(name, shape, read, context) };
  const said = own?.get('name')?.text;
  if (said !== undefined && type.kind === 'scalar') options.xml = said;
  const isAttribute = own?.get('attribute')?.flag || own?.get('nodeType')?.text === 'attribute';
  if (isAttribute && type.kind === 'scalar') options.attribute = true;
  return options;
}

/** A list is flat, with the element of an entry; or it is wrapped, with one of its own. */
function listOptions(name: string, shape: Shape, { type, options }: TypeRead, context: SchemaContext): FieldOptions {
  const own = shape.first('xml');
  const items = shape.first('items');
  const entry = items === undefined ? undefined : shapeOf([items], context).first('xml')?.get('name')?.text;
  const isWrapped = own?.get('wrapped')?.flag === true || own?.get('nodeType')?.text === 'element';
  if (!isWrapped) {
    const flat: FieldOptions = options.nullable ? {} : { flat: true };
    if (type.kind === 'list' && type.item.kind === 'scalar') return { ...flat, xml: entry ?? name };
    return { ...flat, ...(entry === undefined ? {} : { xml: entry }) };
  }
  const wrapper = own?.get('name')?.text ?? name;
  const element = entry ?? name;
  const isItem = type.kind === 'list' && type.item.kind === 'scalar';
  if (isItem && element !== 'item')
    context.losses.add(
      `the XML element "${element}" of an entry`,
      'in XML it is called "item"',
      (own ?? shape.node).place,
    );
  return { xml: wrapper };
}
