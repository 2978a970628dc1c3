/** Columns of generated files. */
export const LINE_WIDTH = 120;

/** Whether a name needs no quotes in TypeScript. */
export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** The name of a property, quoted unless it is an identifier. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

/** A string literal in single quotes. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** A type import with its names in order; empty when there are none. */
export function importLine(names: readonly string[], from: string): string {
  if (names.length === 0) return '';
  const listed = [...new Set(names)].sort();
  const line = `import type { ${listed.join(', ')} } from '${from}';\n`;
  return line.length <= LINE_WIDTH + 1
    ? line
    : `import type {\n${listed.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}

/** A documentation comment with the given paragraphs, wrapped; empty when they all are. */
export function comment(indent: string, paragraphs: readonly (string | undefined)[]): string {
  const lines = paragraphs
    .flatMap((each) => (each ?? '').split('\n').map((line) => line.trim().replaceAll('*/', '*\\/')))
    .filter((line) => line !== '')
    .flatMap((line) => wrapped(line, LINE_WIDTH - indent.length - ' * '.length));
  const [first] = lines;
  if (first === undefined) return '';
  const short = `${indent}/** ${first} */`;
  if (lines.length === 1 && short.length <= LINE_WIDTH) return `${short}\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** Wraps at spaces. A word that is longer than a line is kept whole. */
function wrapped(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/\s+/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = '';
    }
    current += current === '' ? word : ` ${word}`;
  }
  return [...lines, current];
}

/** An exported interface with these members; without members, a type that has no keys. */
export function interfaceOf(name: string, title: string, members: readonly string[]): string {
  const lead = comment('', [title]);
  if (members.length === 0) return `${lead}export type ${name} = Record<never, never>;\n`;
  return `${lead}export interface ${name} {\n${members.join('')}}\n`;
}

/** A description with a full stop at its end. */
export function sentence(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  return /[.!?:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Text of the definitions inside a comment, in backticks if it has none. */
export const code = (text: string): string => (text.includes('`') ? text : `\`${text}\``);
