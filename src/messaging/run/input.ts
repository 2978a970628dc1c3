import { isAttachment } from '../../codec/binary.ts';
import { compileTextWriter } from '../../codec/index.ts';
import { carryNumber } from '../../codec/json/digits.ts';
import { setMember } from '../../codec/value.ts';
import { fitted } from '../../invoke/options.ts';
import type { CallPart, CallText } from '../../model/consumer.ts';
import type { InputMap, InputSource } from '../../model/message.ts';
import type { DocumentValue, Value } from '../../model/value.ts';

/** Reads what fills a field; `undefined` when the message lacks it. */
type Read<T = Value> = (message: DocumentValue) => T | undefined;

/** Compiles how a message fills the input of a call. A text field takes numbers and booleans as text. */
export function compileInput(map: InputMap): (message: DocumentValue) => DocumentValue {
  const fillers = map.map(({ field, from }) => ({ field, from, read: readerOf(from) }));
  return (message) => {
    const input: Record<string, Value> = {};
    for (const { field, from, read } of fillers) {
      const value = read(message);
      if (value === undefined) continue;
      setMember(input, field.name, fitted(value, field.type));
      if (from.kind === 'field') carryNumber(message, from.field.name, input, field.name);
    }
    return input;
  };
}

function readerOf(from: InputSource): Read {
  if (from.kind === 'value') return () => from.value;
  return from.kind === 'field' ? ownValue(from.field.name) : textOf(from.text);
}

function ownValue(name: string): Read {
  return (message) => (Object.hasOwn(message, name) ? message[name] : undefined);
}

/** A text is absent when one of its values is. */
function textOf({ parts }: CallText): Read<string> {
  const readers = parts.map(partOf);
  return (message) => {
    let text = '';
    for (const read of readers) {
      const part = read(message);
      if (part === undefined) return undefined;
      text += part;
    }
    return text;
  };
}

function partOf(part: CallPart): Read<string> {
  if (part.kind === 'literal') return () => part.text;
  if (part.kind !== 'value') throw new TypeError(`the text of a map refers to ${part.kind}:${part.name}`);
  const { field, of } = part;
  const read = ownValue(field.name);
  const write = of === undefined ? compileTextWriter(field) : undefined;
  return (message) => {
    const value = read(message);
    if (value === undefined || value === null) return undefined;
    if (write !== undefined) return write(value).join(',');
    const fact = isAttachment(value) && of !== undefined ? value[of] : undefined;
    return fact === undefined ? undefined : String(fact);
  };
}
