import { isAttachment } from '../../codec/binary.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';

/** The input of a flow, watched for content that can be read once and has been. */
export interface WatchedInput {
  readonly input: DocumentValue;
  /** The name of a field of these that holds such content. */
  spent(names: readonly string[]): string | undefined;
}

/** Watches which content of an input is read, as far as that can happen only once. */
export function watchContent(input: DocumentValue): WatchedInput {
  const spent = new Set<string>();
  const watched = Object.entries(input).map(([name, value]): [string, Value] => {
    return [name, watch(value, () => spent.add(name))];
  });
  return { input: Object.fromEntries(watched), spent: (names) => names.find((name) => spent.has(name)) };
}

function watch(value: Value, onRead: () => void): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isAttachment(value)) return value.again === true ? value : watchedAttachment(value, onRead);
  if (Array.isArray(value)) return value.map((each: Value) => watch(each, onRead));
  const members = Object.entries(value as DocumentValue).map(([name, each]) => [name, watch(each, onRead)]);
  return Object.fromEntries(members) as DocumentValue;
}

function watchedAttachment(attachment: Attachment, onRead: () => void): Attachment {
  const { contentType, name, length } = attachment;
  return {
    contentType,
    name,
    length,
    stream() {
      onRead();
      return attachment.stream();
    },
  };
}
