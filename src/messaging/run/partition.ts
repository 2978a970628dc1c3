import { compileSameText } from '../../codec/conditions.ts';
import { CodecError, compileText } from '../../codec/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { MessageQueue } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation } from '../../model/service.ts';
import { messageFields } from './payload.ts';
import { ALL_IN_ORDER, writePartition } from './publish.ts';

/** A partition of a queue, as an operator names it. */
export interface PartitionGiven {
  readonly queue: string;
  /**
   * The texts of the fields of the queue's order, in its order; any form of a value counts: `1.50` for `1.5`. A single text may
   * also be the whole partition as messages show it: `["NYC01","N"]`. Empty, or `*`, for `order: all`.
   */
  readonly values: readonly string[];
}

/**
 * The partition of each operation of a queue: a field may have another type in each.
 * @returns by operation; without those whose types do not have the values
 * @throws Fault NOT_FOUND for an unknown queue; BAD_PARAMETER for values that do not fit any operation
 */
export function partitionsGiven(
  { messageQueues, operations }: Registry,
  { queue: id, values }: PartitionGiven,
): ReadonlyMap<Operation, string> {
  const queue = messageQueues.get(id);
  if (queue === undefined) throw Fault.of('NOT_FOUND', { what: `queue ${id}` });
  const texts = textsGiven(queue, values);
  const found = new Map<Operation, string>();
  let refusal: Fault | undefined;
  for (const operation of operations.values()) {
    if (operation.answer.kind !== 'queue' || operation.answer.queue.id !== id) continue;
    try {
      found.set(operation, typeof texts === 'string' ? texts : partitionOf(operation, texts));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refusal ??= error;
    }
  }
  if (found.size === 0 && refusal !== undefined) throw refusal;
  return found;
}

/** Texts by field; `null` for a field without a value. Or the whole partition, when it has only one form. */
function textsGiven(
  { id, order }: MessageQueue,
  values: readonly string[],
): ReadonlyMap<string, string | null> | string {
  if (order === undefined) throw refused(`can't be of ${id}: the queue keeps no order`);
  const [first = ''] = values;
  if (order === 'all') {
    if (values.length === 0 || (values.length === 1 && first === ALL_IN_ORDER)) return ALL_IN_ORDER;
    throw refused(`takes no value here: ${id} has "order: all"`);
  }
  const shown = values.length === 1 ? readShown(first, order.length) : undefined;
  const texts = shown ?? values;
  if (texts.length === order.length) return new Map(order.map((name, n) => [name, texts[n] ?? null]));
  // A long partition is shown as its hash.
  if (values.length === 1 && HASH.test(first)) return first;
  const last = order.at(-1);
  throw refused(
    order.length === 1
      ? `takes one value, of ${last}`
      : `takes ${order.length} values, of ${order.slice(0, -1).join(', ')} and ${last}, in this order`,
  );
}

const HASH = /^[\w-]{43}$/;

/** The texts of a partition as it is shown; `undefined` for any other text. */
function readShown(text: string, length: number): readonly (string | null)[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const shown: unknown = JSON.parse(text);
    const isShown =
      Array.isArray(shown) &&
      shown.length === length &&
      shown.every((each) => each === null || typeof each === 'string');
    return isShown ? (shown as (string | null)[]) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Fault BAD_PARAMETER */
function partitionOf(operation: Operation, texts: ReadonlyMap<string, string | null>): string {
  const fields = new Map(messageFields(operation).map((field) => [field.name, field]));
  return writePartition(
    [...texts].map(([name, text]) => {
      const field = fields.get(name);
      return text === null || field === undefined ? text : sameText(field, text);
    }),
  );
}

function sameText(field: Field, text: string): string {
  try {
    return compileSameText(field)(compileText(field)(text));
  } catch (error) {
    if (error instanceof CodecError) throw refused(`${field.name} ${error.reason}`);
    throw error;
  }
}

function refused(reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name: 'Partition', reason });
}
