import { AssertionError } from 'node:assert';
import { readAttachment } from '../codec/binary.ts';
import { standInVariable } from '../invoke/stand-in.ts';
import type { PartnerCall, PartnerRefusal, PartnerReply } from '../mock/mock-port.ts';
import { startPartners } from '../mock/partners.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import { messageOf } from '../wire/error.ts';
import { counted } from '../wire/words.ts';

/** The other side of a node, made from the operations that the project calls there. */
export interface TestPartner {
  /** The calls that it got, the oldest first. */
  readonly asked: readonly PartnerCall[];
  /**
   * Decides what it replies to an operation: the value of the reply, a {@link Fault}, or a function of the call. Without it the
   * reply is made from the examples and types of the definition.
   */
  answers(
    operation: string,
    reply: PartnerReply | Fault | ((call: PartnerCall) => PartnerReply | Promise<PartnerReply>),
  ): void;
  /** Forgets the calls and the replies that were set. */
  reset(): void;
  /** @throws AssertionError when it has refused a request that does not fit its operations */
  verify(): void;
}

/** Bytes of content in a call that a partner keeps. */
const MOST_CONTENT = 64 * 1024 * 1024;

type PartnerAnswer = PartnerReply | Fault | ((call: PartnerCall) => PartnerReply | Promise<PartnerReply>);

/** The partners of a gateway, in place of every node that it calls. */
export class Partners {
  readonly #registry: Registry;
  readonly #asked: PartnerCall[] = [];
  readonly #refused: PartnerRefusal[] = [];
  readonly #answers = new Map<string, PartnerAnswer>();
  #close: () => Promise<void> = async () => {};

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** @returns the variables that lead the gateway here */
  async start(clock: { now(): Date }): Promise<Record<string, string>> {
    const nodes = [
      ...new Map([...this.#registry.consumers.values()].map(({ target }) => [target.id, target])).values(),
    ];
    if (nodes.length === 0) return {};
    const partners = await startPartners({
      ...{ registry: this.#registry, nodes, port: 0, log: { level: 'silent' }, now: () => clock.now().getTime() },
      answer: (call) => this.#answer(call),
      refused: (refusal) => this.#refused.push(refusal),
    });
    this.#close = partners.close;
    return Object.fromEntries(nodes.map(({ id }) => [standInVariable(id), partners.addressOf(id)]));
  }

  async #answer(call: PartnerCall): Promise<PartnerReply> {
    const kept = { ...call, input: await contentKept(call.input) };
    this.#asked.push(kept);
    const answer = this.#answers.get(call.operation);
    const reply = typeof answer === 'function' ? await answer(kept) : answer;
    if (reply instanceof Fault) throw reply;
    return reply;
  }

  of(node: string): TestPartner {
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
        return self.#asked.filter(own);
      },
      answers: (name, reply) => {
        const found = operations.find(({ id, name: short }) => id === name || short === name);
        if (found === undefined)
          throw new TypeError(`${node} has no operation ${name}; it has ${operations.map(({ id }) => id).join(', ')}`);
        this.#answers.set(found.id, reply);
      },
      reset: () => {
        forget(this.#asked);
        for (const { id } of operations) this.#answers.delete(id);
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
