import { type Field, singleType } from '../../model/field.ts';
import { code } from '../comment.ts';
import { typeWords } from '../words.ts';

/** What the definitions say of a field beyond its TypeScript type, in one sentence; empty where that is nothing. */
export function facts(field: Field): string {
  const { type, minimum, maximum } = field;
  const item = singleType(field.type);
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
