import { inspect } from 'node:util';
import { consumerNamed, flowNamed } from '../../invoke/find.ts';
import { didYouMean } from '../../load/diagnostic/suggest.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { Fault } from '../../model/fault.ts';
import { type Flow, flowNames } from '../../model/flow.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation } from '../../model/service.ts';

/**
 * Code of the project uses a name that the definitions lack: an error in the code, and never one of the caller, who gets
 * INTERNAL. The log has the file and the name.
 */
class UndeclaredName extends Error {
  override readonly name = 'UndeclaredName';
  /** With a code, the message stays out of the message log of a process, which callers read: it lists what is declared. */
  readonly code = 'UNDECLARED_NAME';
}

function inactive(kind: string, id: string): Fault {
  const cause = new Error(`${kind} ${id}: \`active: false\``);
  return Fault.of('UNAVAILABLE', { reason: `${kind} ${id} is not active` }, { cause });
}

/** The code that uses names. */
interface User {
  /** The first member says what it is: `{ operation: 'LOCATIONS_GET' }`. */
  readonly named: Readonly<Record<string, unknown>>;
  /** Its file in the handlers folder, without the extension; `undefined` for code of the package. */
  readonly file?: string | undefined;
}

/** Finds definitions by the names that code uses. All methods throw {@link UndeclaredName}. */
export class Names {
  readonly #registry: Registry;
  readonly #user: User;

  constructor(registry: Registry, user: User) {
    this.#registry = registry;
    this.#user = user;
  }

  declared<T>(kind: string, id: string, known: ReadonlyMap<string, T>): T {
    this.#requireText(kind, id);
    const found = known.get(id);
    if (found === undefined) throw this.#undeclared(kind, id, known.keys());
    return found;
  }

  /** An operation that publishes messages. @throws Fault UNAVAILABLE for one that is not active */
  published(id: string): Operation {
    const { operations } = this.#registry;
    const found = this.declared('operation', id, operations);
    if (found.answer.kind !== 'queue') {
      const known = [...operations.values()].flatMap((each) => (each.answer.kind === 'queue' ? [each.id] : []));
      throw this.#undeclared('operation', id, known, 'it has no `queue`, so it publishes nothing');
    }
    if (!found.active) throw inactive('operation', id);
    return found;
  }

  /** Also refuses a name that several services share, and an operation that calls no other system. */
  consumer(id: string): ConsumerOperation {
    this.#requireText('operation of another system', id);
    const found = consumerNamed(this.#registry, id);
    if (typeof found !== 'string') return found;
    throw this.#undeclared('operation of another system', id, this.#registry.consumers.keys(), found);
  }

  /** @throws Fault UNAVAILABLE for what the definitions have switched off: an operator's decision, not the caller's mistake */
  active(kind: 'operation', id: string): ConsumerOperation;
  active(kind: 'flow', id: string): Flow;
  active(kind: 'operation' | 'flow', id: string): ConsumerOperation | Flow {
    const found = kind === 'operation' ? this.consumer(id) : this.#flow(id);
    if (found.active) return found;
    throw inactive(kind, id);
  }

  #flow(id: string): Flow {
    this.#requireText('flow', id);
    const known = [...this.#registry.flows.values()];
    const found = flowNamed(this.#registry, id);
    if (found === undefined) throw this.#undeclared('flow', id, known.flatMap(flowNames));
    return found;
  }

  /** Code that is not compiled may pass anything. */
  #requireText(kind: string, id: unknown): void {
    if (typeof id !== 'string')
      throw new UndeclaredName(`${this.#where()} uses the ${kind} ${inspect(id, { depth: 0 })}, but a name is a text.`);
  }

  #where(): string {
    const { file, named } = this.#user;
    const where = file === undefined ? 'The code' : `${this.#registry.gateway.handlers}/${file}.ts`;
    const [what, name] = Object.entries(named)[0] ?? [];
    return `${where} of ${what} ${String(name)}`;
  }

  /** @param why what is wrong with the name, if something like it is declared */
  #undeclared(kind: string, id: string, known: Iterable<string>, why = 'no definition declares it'): UndeclaredName {
    const fact = `${this.#where()} uses the ${kind} ${JSON.stringify(id)}, but ${why}.`;
    return new UndeclaredName([fact, didYouMean(id, known, 'Declared:') ?? []].flat().join(' '));
  }
}
