import type { DraftField } from './draft.ts';

// Names of the variables of URI templates (RFC 6570, section 2.3), for parameters of any name.

/**
 * The name of a variable that has a name on the wire: letters, digits, `_`, and others percent-encoded. Where a field has it
 * already, another spelling of the same name.
 */
export function wireVariable(name: string, taken: ReadonlySet<string>): string {
  const wire = encoded(name);
  return taken.has(wire) ? `%${wire.charCodeAt(0).toString(16).toUpperCase()}${wire.slice(1)}` : wire;
}

function encoded(name: string): string {
  return [...new TextEncoder().encode(name)]
    .map((byte) => {
      const c = String.fromCharCode(byte);
      return /[A-Za-z0-9_]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** A name of letters, digits and `_` for a variable that has none on the wire. */
export function plainVariable(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/(?<=[A-Za-z0-9])_+$/, '')
    .replace(/^(?=[0-9])/, '_');
  return plain === '' || plain === '_' ? 'value' : plain;
}

/** A field by the name of its variable. A name of a query that no XML element can have is written in XML by a plain one. */
export function renamed(field: DraftField, variable: string): DraftField {
  if (!variable.includes('%')) return { ...field, name: variable };
  const plain = plainVariable(field.name);
  return { ...field, name: variable, options: { ...field.options, json: field.name, xml: plain } };
}
