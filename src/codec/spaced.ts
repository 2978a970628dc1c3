import type { Field, ListType, ScalarType } from '../model/field.ts';
import type { Value } from '../model/value.ts';
import { wordsOf } from '../wire/white-space.ts';
import { addError, type CodecError, kindOf, refuse, within } from './error.ts';

import { compileScalar } from './scalar.ts';
import { compileEntryCount, type Foreign } from './value.ts';

/** Reads and writes a list whose entries have spaces between them in XML. */
interface Spaced {
  read(text: string): Value;
  write(value: Value): string;
}

/** Compiles the text of a list with spaces between its entries. Both functions throw a {@link CodecError} whose path is the index. */
export function compileSpaced(field: Field, type: ListType, foreign: Foreign): Spaced {
  const { fromText, toText } = compileScalar(field, type.item as ScalarType, foreign);
  const checkCount = compileEntryCount(field);
  return {
    read(text) {
      const words = wordsOf(text);
      checkCount(words.length);
      return eachEntry(words, fromText);
    },
    write(value) {
      if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
      checkCount(value.length);
      return eachEntry(value as readonly Value[], toText).join(' ');
    },
  };
}

function eachEntry<A, B>(entries: readonly A[], convert: (entry: A) => B): B[] {
  let errors: CodecError | undefined;
  const converted: B[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      converted.push(convert(entry));
    } catch (error) {
      errors = addError(errors, within(error, index));
    }
  }
  if (errors !== undefined) throw errors;
  return converted;
}
