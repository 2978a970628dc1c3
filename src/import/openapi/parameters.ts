import { isOwnHeader } from '../../wire/request-headers.ts';
import type { DraftField, DraftScalar, DraftType, FieldOptions } from '../draft.ts';
import { addValues } from './document.ts';
import { prose, withDeprecation } from './prose.ts';
import type { SchemaReader } from './schema.ts';
import { type Schemas, shapeOf } from './shape.ts';
import type { Node } from './tree.ts';

/** A value of a request outside of its body. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  /** Its name on the wire. */
  readonly name: string;
  readonly field: DraftField;
  /** How a path or a query has it: `;`, `.`, `+` or nothing, as in RFC 6570. */
  readonly operator: '' | ';' | '.' | '+';
  readonly explode: boolean;
  readonly required: boolean;
}

/** A parameter as declared, after references. */
export interface DeclaredParameter {
  readonly node: Node;
  readonly name: string;
  readonly in: string;
}

/** The parameters of a path and an operation: those of the operation replace those of the path. */
export function declaredParameters(lists: readonly (Node | undefined)[], reader: SchemaReader): DeclaredParameter[] {
  const { references, losses } = reader.context;
  const found = new Map<string, DeclaredParameter>();
  for (const list of lists) {
    const own = new Map<string, Node>();
    for (const each of list?.items() ?? []) {
      const node = references.follow(each, 'parameters');
      const [name, where] = [node.get('name')?.text, node.get('in')?.text];
      if (name === undefined || where === undefined) continue;
      const before = own.get(`${where} ${name}`);
      if (before !== undefined && before.value !== node.value)
        losses.add(`a second ${where} parameter "${name}"`, 'the last one is taken', each.place);
      own.set(`${where} ${name}`, node);
      found.set(`${where} ${name}`, { node, name, in: where });
    }
  }
  return [...found.values()];
}

/** Reads parameters that are not part of the body. */
export class ParameterReader {
  readonly #reader: SchemaReader;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
  }

  read(declared: DeclaredParameter): Parameter[] {
    const { losses } = this.#reader.context;
    const { node, name } = declared;
    switch (declared.in) {
      case 'path':
      case 'query':
        return this.#inUri(declared, declared.in);
      case 'header':
        if (isOwnHeader(name.toLowerCase())) {
          losses.add(
            `the header ${name} as a parameter`,
            'it is written by the protocol or for credentials',
            node.place,
          );
          return [];
        }
        if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
          losses.add(`the header "${name}", which is not a valid name`, 'not sent', node.place);
          return [];
        }
        return [this.#parameter(declared, 'header', '', false)];
      default:
        losses.add(`the ${declared.in} parameter "${name}"`, 'not sent', node.place);
        return [];
    }
  }

  #inUri(declared: DeclaredParameter, where: 'path' | 'query'): Parameter[] {
    const { node, name } = declared;
    const { losses, version } = this.#reader.context;
    const style = node.get('style')?.text ?? (where === 'path' ? 'simple' : 'form');
    const explode = version === '2.0' ? node.get('collectionFormat')?.text === 'multi' : explodes(node, style);
    const flat = where === 'query' ? this.#flattened(declared, style, explode) : undefined;
    if (flat !== undefined) return flat;
    const reserved = node.get('allowReserved');
    const isRequired = where === 'path' || node.get('required')?.flag === true;
    const isReserved = reserved?.flag === true && isRequired;
    if (reserved?.flag && !isReserved)
      losses.add(
        `"allowReserved" of the optional parameter "${name}"`,
        'reserved characters are percent-encoded',
        reserved.place,
      );
    const operator = style === 'matrix' ? ';' : style === 'label' ? '.' : isReserved ? '+' : '';
    return [this.#parameter(declared, where, operator, explode)];
  }

  #parameter(
    { node, name }: DeclaredParameter,
    where: Parameter['in'],
    operator: Parameter['operator'],
    explode: boolean,
  ): Parameter {
    const required = where === 'path' || node.get('required')?.flag === true;
    const field = this.#field(node, name, required);
    return { in: where, name, field, operator, explode: explode && field.type.kind === 'list', required };
  }

  /** The members of an object as parameters of their own, which is how `form` and `deepObject` write them. */
  #flattened({ node, name }: DeclaredParameter, style: string, explode: boolean): Parameter[] | undefined {
    const schema = node.get('schema');
    if (schema === undefined || !((style === 'form' && explode) || style === 'deepObject')) return undefined;
    const { context } = this.#reader;
    const shape = shapeOf([schema], context);
    const properties = [...shape.properties()];
    if (properties.length === 0 || shape.has('oneOf', 'anyOf')) return undefined;
    const reads = properties.map(([member, nodes]) => ({ member, nodes, type: this.#reader.read(nodes, member).type }));
    if (reads.some(({ type }) => type.kind === 'document' || type.kind === 'map')) return undefined;
    const needed = shape.required();
    const isRequired = node.get('required')?.flag === true;
    return reads.map(({ member, nodes }) => {
      const wire = style === 'deepObject' ? `${name}[${member}]` : member;
      const required = isRequired && needed.has(member);
      const field = this.#typed(nodes, wire, required, nodes[0] as Node);
      return { in: 'query', name: wire, field, operator: '', explode: field.type.kind === 'list', required };
    });
  }

  #field(node: Node, name: string, required: boolean): DraftField {
    const { losses, version } = this.#reader.context;
    if (version === '2.0') return this.#typed([node], name, required, node);
    const schema = node.get('schema');
    if (schema !== undefined) return this.#typed([schema], name, required, node);
    const [mediaType, media] = node.get('content')?.entries()[0] ?? [];
    const content = media?.get('schema');
    if (mediaType === undefined || content === undefined)
      return { name, place: node.place, type: { kind: 'scalar', word: 'string' }, options: described(node, required) };
    if (/json/i.test(mediaType)) {
      losses.add(
        `the schema of the parameter "${name}", a text in ${mediaType}`,
        'any JSON is accepted',
        media?.place ?? node.place,
      );
      return { name, place: node.place, type: { kind: 'scalar', word: 'json' }, options: described(node, required) };
    }
    losses.add(`the parameter "${name}" in ${mediaType}`, 'a text that the caller writes', media?.place ?? node.place);
    return { name, place: node.place, type: { kind: 'scalar', word: 'string' }, options: described(node, required) };
  }

  #typed(schemas: Schemas, name: string, required: boolean, node: Node): DraftField {
    const { type, options } = this.#reader.read(schemas, name);
    const written = this.#writable(type, name, node);
    const shape = shapeOf(schemas, this.#reader.context);
    const own: FieldOptions = described(node, required, shape.first('description'));
    if (written === type) {
      const { nullable: _, ...facets } = options;
      Object.assign(own, facets);
      addValues(this.#reader, own, { type, options }, shape);
    }
    const empty = node.get('allowEmptyValue');
    if (empty?.flag && !(written.kind === 'scalar' && /^string\b/.test(written.word)))
      this.#reader.context.losses.add(`"allowEmptyValue" of the parameter "${name}"`, 'it has a value', empty.place);
    return { name, place: node.place, type: written, options: own };
  }

  /** The type, if its values have a text form and a style that RFC 6570 has; else a text. */
  #writable(type: DraftType, name: string, node: Node): DraftType {
    const { losses } = this.#reader.context;
    const text: DraftScalar = { kind: 'scalar', word: 'string' };
    if (type.kind === 'scalar') return type.word === 'json' || type.word === 'binary' ? text : type;
    if (type.kind === 'list' && type.item.kind === 'scalar') {
      const style = node.get('style')?.text ?? node.get('collectionFormat')?.text ?? '';
      const mark = JOINED[style];
      if (node.get('in')?.text === 'header') {
        losses.add(`the list in the header ${name}`, 'a text, in which the caller writes commas', node.place);
        return text;
      }
      if (mark === undefined) return type.item.word === 'json' ? { kind: 'list', item: text } : type;
      losses.add(
        `the style ${style} of the parameter "${name}"`,
        `a text, in which the caller writes ${mark} between entries`,
        node.place,
      );
      return text;
    }
    const what = type.kind === 'list' ? 'a list of objects' : 'an object';
    losses.add(`the parameter "${name}", which is ${what}`, 'a text that the caller writes', node.place);
    return text;
  }
}

/** What is between entries in the styles that RFC 6570 lacks. */
const JOINED: Readonly<Record<string, string | undefined>> = {
  spaceDelimited: 'a space',
  pipeDelimited: '|',
  ssv: 'a space',
  tsv: 'a tab',
  pipes: '|',
};

function explodes(node: Node, style: string): boolean {
  const said = node.get('explode');
  return said === undefined ? style === 'form' || style === 'cookie' : said.flag;
}

function described(node: Node, required: boolean, other?: Node): FieldOptions {
  const words = withDeprecation([prose(undefined, node.get('description') ?? other)], node.get('deprecated'));
  return { ...(words === undefined ? {} : { description: words }), ...(required ? { required: true } : {}) };
}
