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
