import { entryType } from '../describe/entry.ts';
import type { Field } from '../model/field.ts';
import { typeWords } from './words.ts';

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

/** What the definitions say of a field beyond its TypeScript type, in one sentence; empty where that is nothing. */
export function facts(field: Field): string {
  const { type, minimum, maximum } = field;
  const item = entryType(field);
  const said: string[] = [];
  if (item.kind !== 'document' && (item.length !== undefined || !SELF_EVIDENT.has(item.kind))) {
    said.push(code(typeWords(type)) + (SHAPE[item.kind] ?? ''));
  }
  if (minimum !== undefined || maximum !== undefined) said.push(bounds(field));
  if (field.pattern !== undefined) said.push(`pattern ${code(field.pattern)}`);
  if (field.default !== undefined) said.push(`default ${code(String(field.default))}`);
  if (field.anyCase) said.push('letter case does not matter to callers');
  if (field.sensitive) said.push('sensitive: masked in logs');
  if (field.absent === 'blank') said.push('written as a blank where it is not given');
  if (field.example !== undefined && !field.sensitive) said.push(`example ${code(String(field.example))}`);
  const text = said.join(', ');
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** Words of the definitions inside a comment. */
export const code = (text: string): string => (text.includes('`') ? text : `\`${text}\``);

/** Kinds whose TypeScript type says it all. */
const SELF_EVIDENT: ReadonlySet<string> = new Set(['string', 'text', 'boolean', 'flag', 'integer', 'binary', 'json']);

/** The text form of kinds that are strings in memory. */
const SHAPE: Readonly<Record<string, string>> = {
  date: ' (yyyy-MM-dd)',
  time: ' (HH:mm:ss)',
  datetime: ' (yyyy-MM-ddTHH:mm:ss and an offset)',
  decimal: ' (every digit is kept)',
};

function bounds({ type, minimum, maximum }: Field): string {
  const [one, many] =
    type.kind === 'list' ? [' entry', ' entries'] : isNumeric(type.kind) ? ['', ''] : [' character', ' characters'];
  const counted = (count: number): string => `${count}${count === 1 ? one : many}`;
  if (minimum === undefined) return `at most ${counted(maximum ?? 0)}`;
  if (maximum === undefined) return `at least ${counted(minimum)}`;
  return `${minimum} to ${counted(maximum)}`;
}

const isNumeric = (kind: string): boolean => kind === 'integer' || kind === 'decimal';
