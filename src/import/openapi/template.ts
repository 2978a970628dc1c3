import type { Losses } from '../place.ts';
import type { Parameter } from './parameters.ts';
import type { Node } from './tree.ts';

/** A parameter with the name of its field. */
export interface NamedParameter extends Parameter {
  /** The name of the field, which is that of the variable in the template. */
  readonly variable: string;
}

/** Whether the name of the variable has to be that on the wire: `{?x}`, `{;x}`. */
export function isBound({ in: where, operator, required, explode, field }: Parameter): boolean {
  if (where === 'header') return false;
  if (where === 'path') return operator === ';';
  return !required || explode || field.type.kind === 'list';
}

/** The name of a variable that has a name on the wire: letters, digits, `_`, and others percent-encoded. */
export function wireVariable(name: string): string {
  return [...new TextEncoder().encode(name)]
    .map((byte) => {
      const c = String.fromCharCode(byte);
      return /[A-Za-z0-9_]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** A name of letters, digits and `_` for a variable that has none on the wire. */
export function plainVariable(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=[0-9])/, '_');
  return plain === '' || plain === '_' ? 'value' : plain;
}

/** The template (RFC 6570) of a path of OpenAPI with its query, without a slash at its start. */
export function templateOf(path: string, parameters: readonly NamedParameter[], node: Node, losses: Losses): string {
  const [text, fragment] = path.split(/#(.*)/s) as [string, string | undefined];
  if (fragment !== undefined) losses.add(`the fragment "#${fragment}" of the path`, 'left out', node.place);
  const inPath = new Map(parameters.flatMap((each) => (each.in === 'path' ? [[each.name, each] as const] : [])));
  const literal = text.replace(/^\/+/, '').replace(/\{([^{}]*)\}|[^{}]+|[{}]/g, (part, name?: string) => {
    const parameter = name === undefined ? undefined : inPath.get(name);
    if (parameter === undefined) return encodedLiteral(part);
    return `{${parameter.operator}${parameter.variable}${parameter.explode ? '*' : ''}}`;
  });
  return (
    literal +
    queryOf(
      literal.includes('?'),
      parameters.filter((each) => each.in === 'query'),
    )
  );
}

function queryOf(hasQuery: boolean, parameters: readonly NamedParameter[]): string {
  const fixed = parameters.filter((each) => !isBound(each));
  const pairs = fixed.map(({ name, operator, variable }) => `${encodedName(name)}={${operator}${variable}}`);
  const free = parameters.filter(isBound).map(({ variable, explode }) => `${variable}${explode ? '*' : ''}`);
  const start = pairs.length === 0 ? '' : `${hasQuery ? '&' : '?'}${pairs.join('&')}`;
  if (free.length === 0) return start;
  return `${start}{${hasQuery || start !== '' ? '&' : '?'}${free.join(',')}}`;
}

/** The names of the variables in a path. */
export function pathVariables(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Literal text of a template: RFC 6570, section 2.1. */
function encodedLiteral(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[\s"<>\\^`{|}]/g, (c) => encodeURIComponent(c));
}

function encodedName(name: string): string {
  return encodeURIComponent(name).replace(/%(?:5B|5D|24|40|3A)/g, (octet) => decodeURIComponent(octet));
}
