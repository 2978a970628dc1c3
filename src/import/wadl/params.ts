import { isOwnHeader } from '../../wire/request-headers.ts';
import { attributeOf } from '../../wire/xml/tree.ts';
import type { DraftField } from '../draft.ts';
import type { Losses } from '../place.ts';
import { attribute, readQName } from '../xml.ts';
import type { SchemaDrafts } from '../xsd/drafts.ts';
import { valueFrom } from '../xsd/facets.ts';
import { XSD } from '../xsd/sources.ts';
import { documentationOf, type Node, placeIn, type WadlTree } from './tree.ts';

/** How a parameter is sent (WADL, section 2.12). */
type Style = 'template' | 'query' | 'matrix' | 'header' | 'plain';

export interface Param {
  readonly style: Style;
  /** Its name on the wire. */
  readonly name: string;
  readonly field: DraftField;
  readonly repeating: boolean;
}

/** What readers of WADL share. */
export interface WadlContext {
  readonly tree: WadlTree;
  readonly schemas: SchemaDrafts;
  readonly losses: Losses;
}

/** The parameters of a resource, a request or a representation. Those that only describe a body are left out. */
export function readParams(context: WadlContext, parent: Node): readonly Param[] {
  return context.tree.children(parent, 'param').flatMap((each) => {
    const style = (attribute(each.element, 'style') ?? DEFAULT_STYLES[parent.element.local] ?? 'query') as Style;
    const name = attribute(each.element, 'name');
    if (style === 'plain' || name === undefined || name === '') return [];
    if (style === 'header' && !HEADER_NAME.test(name)) {
      context.losses.add(`the header ${JSON.stringify(name)}, which is not a name of one`, 'left out', placeIn(each));
      return [];
    }
    if (style === 'header' && isOwnHeader(name.toLowerCase())) {
      context.losses.add(`the header ${name}, which belongs to the protocol`, 'left out', placeIn(each));
      return [];
    }
    return [readParam(context, each, name, style)];
  });
}

/** Names of headers (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const TEXT = { kind: 'scalar', word: 'string' } as const;

/** Styles of parameters that name none, by what they belong to. */
const DEFAULT_STYLES: Readonly<Record<string, Style>> = {
  resource: 'template',
  representation: 'plain',
  response: 'header',
};

function readParam({ schemas, losses, tree }: WadlContext, node: Node, name: string, style: Style): Param {
  const { element, location } = node;
  const said = attributeOf(element, 'type') ?? 'string';
  // Without a prefix it is a type of XML Schema to all tools, whatever the default namespace is.
  const type = said.includes(':') ? readQName(said, element, location, losses) : { namespace: XSD, local: said.trim() };
  const field = schemas.field(name, type, placeIn(node));
  // A type that is not known; a URL and a header take texts alone.
  if (field.type.kind !== 'scalar') Object.assign(field, { type: TEXT, options: {} });
  const listed = tree.children(node, 'option').flatMap((each) => {
    const value = attribute(each.element, 'value');
    return value === undefined ? [] : [{ value, label: documentationOf(each) }];
  });
  const options = listed.map(({ value }) => value);
  const description = documentationOf(node);
  const repeating = attribute(element, 'repeating') === 'true';
  const fixed = attribute(element, 'fixed');
  const preset = attribute(element, 'default');
  const isRequired = style === 'template' || attribute(element, 'required') === 'true';
  if (description !== undefined) field.options.description = description;
  const read = (text: string): string | number | boolean | undefined => valueIn(text, field);
  const values = [...new Set(options)].map(read);
  if (values.length > 0 && values.every((each) => each !== undefined)) {
    field.options.enum = values;
    const labels = listed.flatMap(({ value, label }) => (label === undefined ? [] : [[String(read(value)), label]]));
    if (labels.length > 0) field.options.labels = Object.fromEntries(labels);
  }
  if (fixed !== undefined) {
    const value = read(fixed);
    if (value === undefined)
      losses.add(`the fixed value ${JSON.stringify(fixed)} of "${name}"`, 'any value of its type', placeIn(node));
    else if (repeating) field.options.enum = [value];
    else {
      delete field.options.enum;
      field.options.fixed = value;
    }
  } else if (preset !== undefined) {
    const value = read(preset);
    const isListed = options.length === 0 || options.includes(preset);
    if (value !== undefined && !repeating && isListed) field.options.assumed = value;
    else losses.add(`the default ${JSON.stringify(preset)} of "${name}"`, 'left out', placeIn(node));
  }
  if (isRequired) field.options.required = true;
  else delete field.options.required;
  if (repeating && field.type.kind === 'scalar') field.type = { kind: 'list', item: field.type };
  return { style, name, field, repeating };
}

/** A text as a value of a field; `undefined` when it is none. */
function valueIn(text: string, { type, options }: DraftField): string | number | boolean | undefined {
  return type.kind === 'scalar' ? valueFrom(type.word.replace(/\(.*$/, ''), text, options) : undefined;
}
