import { AssertionError } from 'node:assert';
import { readAttachment } from '../codec/binary.ts';
import { CodecError } from '../codec/index.ts';
import { standInVariable } from '../invoke/stand-in.ts';
import type { PartnerCall, PartnerReply } from '../mock/answers.ts';
import { Answers } from '../mock/answers.ts';
import { compileWhen } from '../mock/condition.ts';
import { LONGEST_DELAY } from '../mock/delay.ts';
import type { PartnerRefusal } from '../mock/mock-port.ts';
import { startPartners } from '../mock/partners.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { Fault } from '../model/fault.ts';
import { operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import { messageOf } from '../wire/error.ts';
import { counted } from '../wire/words.ts';
import { readTime } from './time.ts';

/** The partners of a project by the ids of their nodes, each with its operations: `Partners` of `generated/client.ts`. */
export type PartnerTypes<P> = { [Node in keyof P]: OperationTypes<P[Node]> };

/** The operations of a partner by their names. */
export type OperationTypes<C> = { [Id in keyof C]: { request: object; reply: unknown } };

/** Partners without generated types. */
export type AnyPartners = Record<string, AnyPartner>;

/** A partner without generated types. */
export type AnyPartner = Record<string, { request: DocumentValue; reply: Exclude<PartnerReply, undefined> }>;

/** What a partner replies to an operation: the value of its reply, or its content alone. `undefined` is one made from the definition. */
export type ReplyOfPartner<Call extends { reply: unknown }> =
  | Call['reply']
  | (Call['reply'] extends { content: infer Content } ? ContentOf<Content> : never)
  | undefined;

type ContentOf<Content> = Attachment extends Content ? Content | Uint8Array : Content;

/** A call that a partner got, with the types of its operation. */
export type CallOfPartner<C, Id extends keyof C> = Id extends string
  ? Omit<PartnerCall, 'operation' | 'input'> & { readonly operation: Id; readonly input: RequestIn<C[Id]> }
  : never;

type RequestIn<Call> = Call extends { request: infer Request } ? Request : never;

/** A part of an input: the members that are compared. */
export type PartOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** To which calls an answer is given, and when. */
export interface AnswerOptions<Request = DocumentValue> {
  /** Only calls whose input has these values. */
  readonly when?: PartOf<Request>;
  /** Only so many calls: the next ones get what was set before. All by default. */
  readonly times?: number;
  /** Time before the reply: `2 s`, `500 ms`, or milliseconds. */
  readonly delay?: string | number;
}

/** The other side of a node, made from the operations that the project calls there. */
export interface TestPartner<C extends OperationTypes<C> = AnyPartner> {
  /** The calls that it got, the oldest first. */
  readonly asked: readonly CallOfPartner<C, keyof C>[];
  /**
   * Decides what it replies to an operation: a {@link Fault}, the value of the reply, or a function of the call that returns
   * either, or throws the fault. What was set last decides, as far as its `when` and `times` go; without any the files in
   * `mocks/` do, or else the reply is made from the examples and types of the definition.
   */
  answers<Id extends keyof C & string>(
    operation: Id,
    reply: ReplyOfPartner<C[Id]> | Fault | ReplyFunction<C, Id>,
    options?: AnswerOptions<C[Id]['request']>,
  ): void;
  /** Forgets the calls and the replies that were set. */
  reset(): void;
  /** @throws AssertionError when it has refused a request that does not fit its operations */
  verify(): void;
}

/** A reply that depends on the call. */
export type ReplyFunction<C extends OperationTypes<C>, Id extends keyof C> = (
  call: CallOfPartner<C, Id>,
) => ReplyOfPartner<C[Id]> | Fault | Promise<ReplyOfPartner<C[Id]> | Fault>;

/** Bytes of content in a call that a partner keeps. */
const MOST_CONTENT = 64 * 1024 * 1024;

const LONGEST = { ms: LONGEST_DELAY, words: '1 h' };

type Given = PartnerReply | Fault | ((call: PartnerCall) => PartnerReply | Fault | Promise<PartnerReply | Fault>);

/** The partners of a gateway, in place of every node that it calls. */
export class Partners {
  readonly #registry: Registry;
  readonly #asked: PartnerCall[] = [];
  readonly #refused: PartnerRefusal[] = [];
  readonly #answers = new Answers();
  readonly #mocks: Answers;
  #close: () => Promise<void> = async () => {};

  /** @param mocks the answers of the files in `mocks/` */
  constructor(registry: Registry, mocks: Answers) {
    this.#registry = registry;
    this.#mocks = mocks;
  }

  /** @returns the variables that lead the gateway here */
  async start(clock: { now(): Date }): Promise<Record<string, string>> {
    const nodes = [
      ...new Map([...this.#registry.consumers.values()].map(({ target }) => [target.id, target])).values(),
    ];
    if (nodes.length === 0) return {};
    const partners = await startPartners({
      ...{ registry: this.#registry, nodes, port: 0, log: { level: 'silent' }, now: () => clock.now().getTime() },
      answers: [this.#answers, this.#mocks],
      heard: async (call) => {
        const kept = { ...call, input: await contentKept(call.input) };
        this.#asked.push(kept);
        return kept;
      },
      refused: (refusal) => this.#refused.push(refusal),
    });
    this.#close = partners.close;
    return Object.fromEntries(nodes.map(({ id }) => [standInVariable(id), partners.addressOf(id)]));
  }

  of<C extends OperationTypes<C>>(node: string): TestPartner<C> {
    const operations = [...this.#registry.consumers.values()].filter(({ target }) => target.id === node);
    if (operations.length === 0) {
      const called = new Set([...this.#registry.consumers.values()].map(({ target }) => target.id));
      const others = called.size === 0 ? 'at no node' : `only at ${[...called].join(', ')}`;
      throw new TypeError(`the project calls no operation at a node ${node}; it calls operations ${others}`);
    }
    const own = ({ node: id }: { readonly node: string }): boolean => id === node;
    const forget = (from: { readonly node: string }[]): void => {
      from.splice(0, from.length, ...from.filter((each) => !own(each)));
    };
    const self = this;
    return {
      get asked() {
        return self.#asked.filter(own) as unknown as TestPartner<C>['asked'];
      },
      answers: (name: string, reply: unknown, { when, times, delay }: AnswerOptions<DocumentValue> = {}) => {
        const named = [...(operationsByName(this.#registry).get(name) ?? [])];
        const found = operations.find((each) => named.includes(each) || each.name === name);
        if (found === undefined)
          throw new TypeError(`${node} has no operation ${name}; it has ${operations.map(({ id }) => id).join(', ')}`);
        this.#answers.add(found.id, {
          ...(times === undefined ? {} : { times }),
          ...(delay === undefined ? {} : { delay: readTime(delay, LONGEST, 'an answer can be delayed') }),
          ...(when === undefined ? {} : { fits: fitsOf(found, when) }),
          reply: replyOf(reply as Given),
        });
      },
      reset: () => {
        forget(this.#asked);
        for (const { id } of operations) this.#answers.forget(id);
      },
      verify: () => {
        const refused = this.#refused.filter(own);
        forget(this.#refused);
        complain(refused);
      },
    };
  }

  verify(): void {
    complain(this.#refused.splice(0));
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** @throws TypeError for a value that no input has */
function fitsOf(operation: ConsumerOperation, when: object): (input: DocumentValue) => boolean {
  try {
    return compileWhen(operation, when as DocumentValue);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new TypeError(`no input of ${operation.id} is as in \`when\`: ${error.message}`, { cause: error });
  }
}

/** A reply as a function of the call. */
function replyOf(given: Given): (call: PartnerCall) => Promise<PartnerReply> {
  return async (call) => {
    const reply = typeof given === 'function' ? await given(call) : given;
    if (reply instanceof Fault) throw reply;
    return reply;
  };
}

function complain(refused: readonly PartnerRefusal[]): void {
  if (refused.length === 0) return;
  const lines = refused.map(({ node, request, fault }) => {
    // What the test itself got wrong is the cause of an internal error: a reply that does not fit, or a function that threw.
    const reason = fault.reason ?? (fault.cause === undefined ? '' : messageOf(fault.cause));
    return `  ${node}: ${request}: ${fault.message} ${reason}`;
  });
  const message = `partners refused ${counted(refused.length, 'request')}\n${lines.map((line) => line.trimEnd()).join('\n')}`;
  throw new AssertionError({ message });
}

/** Content in memory: a stream could be read by the partner only. */
async function contentKept(input: PartnerCall['input']): Promise<PartnerCall['input']> {
  const entries = Object.entries(input).map(async ([name, value]) => {
    const isStream = typeof value === 'object' && value !== null && 'stream' in value;
    return [name, isStream ? await readAttachment(value as never, MOST_CONTENT) : value] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
