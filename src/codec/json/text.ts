import type { JsonValue, Value } from '../../model/value.ts';
import { CodecError } from '../error.ts';
import { readJson, readPlain, writePlain } from './plain.ts';

/**
 * Reads JSON without a document. Integers beyond 2^53 - 1 are bigints.
 * @throws CodecError whose path is empty
 */
export function readJsonText(text: string): JsonValue {
  return readJson(text, false, readWhole);
}

const readWhole = (raw: unknown): JsonValue => readPlain(raw, 1);

/** Writes JSON without a document. @throws CodecError for what JSON can't hold */
export function writeJsonText(value: Value): string {
  if (value === undefined) throw new CodecError('', 'is nothing, which JSON can not hold');
  return JSON.stringify(writePlain(value, 1));
}
