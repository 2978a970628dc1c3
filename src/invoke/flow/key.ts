import { createHmac, randomBytes } from 'node:crypto';
import { attachmentsIn } from '../../codec/binary.ts';
import type { Flow } from '../../model/flow.ts';
import type { DocumentValue, Value } from '../../model/value.ts';

/** Names what a step of a flow gives for some input, so that nothing of the input can be read from the name. */
export class StepKeys {
  readonly #secret = randomBytes(32);
  readonly #flows = new WeakMap<Flow, number>();
  #count = 0;

  /**
   * @param index the step's, from 0
   * @param inputs what the caller gave to each step up to that one
   * @returns undefined where the input holds content, which is not to be read for a name
   */
  of(flow: Flow, index: number, inputs: readonly DocumentValue[]): string | undefined {
    for (const input of inputs) if (!attachmentsIn(input).next().done) return undefined;
    const number = this.#flows.get(flow) ?? ++this.#count;
    this.#flows.set(flow, number);
    const digest = createHmac('sha256', this.#secret)
      .update(JSON.stringify(inputs.map(ordered)))
      .digest('base64');
    return `${number}.${index}.${digest}`;
  }
}

/** A value so that JSON tells it from every other, whatever the order of its fields. */
function ordered(value: Value): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [0, ...value.map(ordered)];
  const members = Object.entries(value as DocumentValue).filter(([, each]) => each !== undefined);
  return [null, ...members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)])];
}
