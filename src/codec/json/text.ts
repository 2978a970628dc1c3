import type { JsonValue, Value } from '../../model/value.ts';
import { CodecError } from '../error.ts';
import type { Foreign } from '../names.ts';
import { readJson, readPlain, writePlain } from './plain.ts';

/**
 * Reads JSON without a document. Integers beyond 2^53 - 1 are bigints.
 * @param foreign `pass` for the text of a partner, in which the last value of a repeated name counts
 * @throws CodecError whose path is empty
 */
export function readJsonText(text: string, foreign: Foreign = 'refuse'): JsonValue {
  return readJson(text, foreign, false, readWhole);
}

const readWhole = (raw: unknown): JsonValue => readPlain(raw, 1);

/** Writes JSON without a document. @throws CodecError for what JSON can't hold */
export function writeJsonText(value: Value): string {
  if (value === undefined) throw new CodecError('', 'is nothing, which JSON can not hold');
  return JSON.stringify(writePlain(value, 1));
}
