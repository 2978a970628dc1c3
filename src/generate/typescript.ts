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

const WIDTH = 120;

/** A documentation comment of the given paragraphs, wrapped; nothing where all are empty. */
export function comment(indent: string, paragraphs: readonly (string | undefined)[]): string {
  const lines = paragraphs
    .flatMap((each) => (each ?? '').split('\n').map((line) => line.trim().replaceAll('*/', '*\\/')))
    .filter((line) => line !== '')
    .flatMap((line) => wrapped(line, WIDTH - indent.length - ' * '.length));
  const [first] = lines;
  if (first === undefined) return '';
  const short = `${indent}/** ${first} */`;
  if (lines.length === 1 && short.length <= WIDTH) return `${short}\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** Cuts at spaces; a word that is longer than a line keeps its length. */
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

/** A description as a sentence of its own. */
export function sentence(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  return /[.!?:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Words of the definitions inside a comment. */
export const code = (text: string): string => (text.includes('`') ? text : `\`${text}\``);
