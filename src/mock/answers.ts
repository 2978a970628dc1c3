import type { ReplyValue } from '../model/handler.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';

/** A call that a partner got, and that fits its operation. */
export interface PartnerCall {
  /** The id of the node. */
  readonly node: string;
  /** The id of the operation. */
  readonly operation: string;
  /** The input of the call, as far as it is sent: values by the names of fields; `content` when it has no document. */
  readonly input: DocumentValue;
  /** The headers of the request, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a partner replies: the value of the reply, or its content. `undefined` is a value made from the definition. */
export type PartnerReply = ReplyValue | Attachment | Uint8Array | undefined;

/** An answer that was asked for, in place of one made from the definition. */
export interface AskedAnswer {
  /** Whether it is for this input: for every one by default. */
  readonly fits?: (input: DocumentValue) => boolean;
  /** Number of calls that it answers; all by default. */
  readonly times?: number;
  /** Milliseconds before the reply. */
  readonly delay?: number;
  /** Status of the reply, from 200 to 299. */
  readonly status?: number;
  /** Headers of the reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The reply; `undefined` is a value made from the definition. Absent, the next means decides, or else the definition.
   * @throws Fault which is the reply then
   */
  readonly reply?: (call: PartnerCall) => PartnerReply | Promise<PartnerReply>;
}

/** Answers that were asked for by one means: a test, the command line, or the files of a project. */
export class Answers {
  readonly #byOperation = new Map<string, { readonly answer: AskedAnswer; used: number }[]>();

  /** Puts an answer before those that an operation has. @param operation its id, or {@link EVERY_OPERATION} */
  add(operation: string, answer: AskedAnswer): void {
    this.#byOperation.set(operation, [{ answer, used: 0 }, ...(this.#byOperation.get(operation) ?? [])]);
  }

  /** Replaces all answers of an operation, the first first; their counts begin anew. */
  set(operation: string, answers: readonly AskedAnswer[]): void {
    const entries = answers.map((answer) => ({ answer, used: 0 }));
    this.#byOperation.set(operation, entries);
  }

  forget(operation: string): void {
    this.#byOperation.delete(operation);
  }

  clear(): void {
    this.#byOperation.clear();
  }

  /** The answer to a call: the first that fits and is not used up. It is used once more. */
  take(operation: string, input: DocumentValue): AskedAnswer | undefined {
    const all = [operation, EVERY_OPERATION].flatMap((name) => this.#byOperation.get(name) ?? []);
    const found = all.find(({ answer: { times = Number.POSITIVE_INFINITY, fits }, used }) => {
      return used < times && fits?.(input) !== false;
    });
    if (found !== undefined) found.used += 1;
    return found?.answer;
  }
}

/** Stands for all operations. No operation has this name. */
export const EVERY_OPERATION = '*';

/**
 * The answer to a call by several means, the one that decides first. What says nothing of the reply itself, as a delay alone,
 * leaves that to the next.
 */
export function takeAnswer(means: readonly Answers[], operation: string, input: DocumentValue): AskedAnswer {
  let found: AskedAnswer = {};
  for (const each of means) {
    found = { ...each.take(operation, input), ...found };
    if (found.reply !== undefined) break;
  }
  return found;
}
