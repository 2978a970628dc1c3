/** Whether TypeScript takes a name as it is. */
export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** A property's name as TypeScript writes it: quoted where it is no identifier. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

/** A string literal in single quotes. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** A type import, its names in order; nothing where there are none. */
export function importLine(names: readonly string[], from: string): string {
  if (names.length === 0) return '';
  const listed = [...new Set(names)].sort();
  const line = `import type { ${listed.join(', ')} } from '${from}';\n`;
  return line.length <= 121
    ? line
    : `import type {\n${listed.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}
