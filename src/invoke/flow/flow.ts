import { replySecrets } from '../../codec/redact/declared.ts';
import type { Flow, FlowStep } from '../../model/flow.ts';
import type { FlowReply, InvokeReply, StepTrace } from '../../model/invoke-reply.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Calls } from '../calls.ts';
import { type Called, FlowError, InvokeError } from '../error.ts';
import { type Deadline, deadline } from '../limits.ts';
import type { CallOptions, FlowOptions } from '../options.ts';
import type { PreparedRequest } from '../outgoing.ts';
import { type Given, StepCache, StepKeys } from './cache.ts';
import {
  checkInput,
  type FlowPlan,
  keptOf,
  ownInput,
  type PlannedStep,
  pendingInput,
  planFlow,
  stepInput,
  type WatchedInput,
  watchContent,
} from './plan.ts';

export interface Flows {
  /** @throws FlowError naming the step; InvokeError before anything is sent */
  run(flow: Flow, input: DocumentValue, options: FlowOptions & { readonly requestId: string }): Promise<FlowReply>;
  /** The requests of all steps, with `<NAME>` for kept values. @throws InvokeError CONFIGURATION, BAD_INPUT */
  preview(flow: Flow, input: DocumentValue, options: { readonly requestId: string }): PreparedRequest[];
}

/**
 * Runs flows, and caches the values that their steps keep.
 * @param now a monotonic clock in milliseconds
 */
export function createFlows(calls: Calls, now: () => number = () => performance.now()): Flows {
  const cache = new StepCache(now);
  const keys = new StepKeys();
  const plans = new WeakMap<Flow, FlowPlan>();

  function planOf(flow: Flow): FlowPlan {
    const known = plans.get(flow) ?? planFlow(flow);
    plans.set(flow, known);
    return known;
  }

  /** Checks a run before its first request is sent. */
  function check({ flow, steps }: FlowPlan, input: DocumentValue, called: Called): PreparedRequest[] {
    checkInput(flow, input, called);
    const made = steps.map((planned) => ({ operation: planned.shown, input: pendingInput(planned, input) }));
    calls.configure(made, called);
    return made.map((each) => calls.preview(each.operation, each.input, {}, called));
  }

  return {
    async run(flow, given, options) {
      const { requestId, signal, timeout = Number.POSITIVE_INFINITY } = options;
      const called = { operation: flow.id, requestId };
      const plan = planOf(flow);
      const shown = check(plan, given, called);
      const input = watchContent(given);
      const time = deadline(signal, timeout, called);
      try {
        return await new FlowRun({ calls, cache, keys, plan, input, shown, options, time }).reply();
      } finally {
        time.clear();
      }
    },
    preview: (flow, input, { requestId }) => check(planOf(flow), input, { operation: flow.id, requestId }),
  };
}

interface RunPorts {
  readonly calls: Pick<Calls, 'call' | 'redactor'>;
  readonly cache: StepCache;
  readonly keys: StepKeys;
  readonly plan: FlowPlan;
  readonly input: WatchedInput;
  /** The requests of the steps, from the check before the first was sent. */
  readonly shown: readonly PreparedRequest[];
  readonly options: FlowOptions & { readonly requestId: string };
  /** The time limit of the whole run. */
  readonly time: Deadline;
}

/** One run of a flow: its steps in order, some of them repeated. */
class FlowRun {
  readonly #run: RunPorts;
  readonly #steps: readonly PlannedStep[];
  readonly #given: Given[] = [];
  readonly #trace: StepTrace[] = [];
  /** Steps with the statuses after which an earlier step was repeated. */
  readonly #renewed = new Set<string>();

  constructor(run: RunPorts) {
    this.#run = run;
    this.#steps = run.plan.steps;
  }

  /** @throws FlowError naming the step that failed */
  async reply(): Promise<FlowReply> {
    const last = this.#steps.length - 1;
    for (let index = 0; index < last; index++) await this.#give(index);
    const reply = await this.#renewing(last, () => {
      this.#report(last);
      return this.#call(last, this.#own(last));
    });
    const { httpResponseCode, attempts, timings } = reply;
    const operation = this.#step(last).operation.id;
    return { ...reply, steps: [...this.#trace, { operation, kept: false, httpResponseCode, attempts, timings }] };
  }

  #planned(index: number): PlannedStep {
    return this.#steps[index] as PlannedStep;
  }

  #step(index: number): FlowStep {
    return this.#planned(index).step;
  }

  /** Gets the values of a step that later ones need. */
  async #give(index: number): Promise<void> {
    const given = await this.#renewing(index, () => this.#obtain(index));
    this.#given[index] = given;
    this.#trace.push(given.trace);
  }

  async #obtain(index: number): Promise<Given> {
    this.#report(index);
    const { cache, time } = this.#run;
    const key = this.#keyOf(index);
    if (key === undefined) return this.#keep(index, this.#own(index));
    const held = cache.get(key);
    if (held !== undefined) return this.#notSent(held);
    const called = this.#called(index);
    const make = (shared: AbortSignal): Promise<Given> => this.#keep(index, this.#sharing(index, shared));
    const { given, own } = await cache.share(key, make, { signal: time.signal, called });
    if (own) return given;
    // Values that are not valid for other runs belong to the run that started the step.
    return cache.holds(given) ? this.#notSent(given) : this.#keep(index, this.#own(index));
  }

  /** The same values for a run that sent nothing for them. */
  #notSent(given: Given): Given {
    const trace = { operation: given.trace.operation, kept: true, httpResponseCode: undefined, attempts: 0 };
    return { ...given, trace: { ...trace, timings: undefined } };
  }

  /** The cache key of a step's values; `undefined` if they are for this run only. */
  #keyOf(index: number): string | undefined {
    if (!this.#planned(index).shared) return undefined;
    const { keys, plan, input } = this.#run;
    return keys.of(
      plan.flow,
      index,
      this.#steps.slice(0, index + 1).map((planned) => ownInput(planned, input.input)),
    );
  }

  async #keep(index: number, options: CallOptions): Promise<Given> {
    const start = this.#run.cache.now();
    const reply = await this.#call(index, options);
    try {
      this.#run.calls.redactor.learn(replySecrets(this.#step(index).operation, reply.value));
      return keptOf(this.#step(index), reply, start, this.#called(index));
    } finally {
      reply.close();
    }
  }

  #call(index: number, options: CallOptions): Promise<InvokeReply> {
    const { calls, input } = this.#run;
    const valuesOf = (source: number) => (this.#given[source] as Given).values;
    const values = stepInput(this.#planned(index), input.input, valuesOf);
    return calls.call(this.#step(index).operation, values, options, {
      ...this.#called(index),
      messageId: options.messageId,
    });
  }

  #report(index: number): void {
    this.#run.options.onStep?.({ index: index + 1, operation: this.#step(index).operation });
  }

  #called(index: number): Called {
    return { operation: this.#step(index).operation.id, requestId: this.#run.options.requestId };
  }

  /** Options of a call for this run only. */
  #own(index: number): CallOptions {
    const { options, time } = this.#run;
    const { requestId, onSent, heads } = options;
    // Each step is a message of its own to a receiver that two of them call.
    const messageId = options.messageId === undefined ? undefined : `${options.messageId}_${index + 1}`;
    return { requestId, messageId, timeout: this.#step(index).timeout, signal: time.signal, onSent, heads };
  }

  /** Options of a call for all runs that wait for it: this one may end before the call does. */
  #sharing(index: number, shared: AbortSignal): CallOptions {
    const { signal } = this.#run.time;
    const { onSent, messageId: _, ...options } = this.#own(index);
    if (onSent === undefined) return { ...options, signal: shared };
    return {
      ...options,
      signal: shared,
      onSent: (sent, total) => {
        if (signal?.aborted !== true) onSent(sent, total);
      },
    };
  }

  /** Makes a step, and repeats it once for each status after which an earlier step has to be repeated. */
  async #renewing<T>(index: number, make: () => Promise<T>): Promise<T> {
    while (true) {
      try {
        return await make();
      } catch (error) {
        this.#note(index, error);
        const source = this.#sourceOf(index, error);
        if (source === undefined) throw this.#failed(index, error);
        this.#drop(source);
        const names = this.#planned(index).own.map(({ name }) => name);
        const spent = this.#run.input.spent(names);
        if (spent !== undefined) throw this.#failed(index, error, unrepeatable(spent));
        await this.#give(source);
      }
    }
  }

  /** Adds a failed attempt at a step to the trace. */
  #note(index: number, error: unknown): void {
    if (!(error instanceof InvokeError)) return;
    const { httpResponseCode, attempts } = error;
    const operation = this.#step(index).operation.id;
    this.#trace.push({ operation, kept: false, httpResponseCode, attempts, timings: undefined });
  }

  /** The step to repeat after an error of a later one: the last that names its status, once for each step and status. */
  #sourceOf(index: number, error: unknown): number | undefined {
    const status = error instanceof InvokeError ? error.httpResponseCode : undefined;
    const once = `${index} ${status}`;
    if (status === undefined || this.#renewed.has(once)) return undefined;
    const found = this.#steps.slice(0, index).findLastIndex(({ step }) => step.renewOn.includes(status));
    if (found < 0) return undefined;
    this.#renewed.add(once);
    return found;
  }

  #drop(index: number): void {
    const key = this.#keyOf(index);
    if (key !== undefined) this.#run.cache.drop(key, this.#given[index] as Given);
  }

  #failed(index: number, thrown: unknown, hint?: string): unknown {
    const { plan, time, shown } = this.#run;
    const error = time.errorOf(thrown);
    if (!(error instanceof InvokeError) || error instanceof FlowError) return error;
    error.sent ??= shown[index];
    const { id: operation } = this.#step(index).operation;
    const step = { index: index + 1, of: this.#steps.length, operation };
    return new FlowError(plan.flow.id, step, error, { steps: [...this.#trace], hint });
  }
}

function unrepeatable(name: string): string {
  return (
    `The step was not repeated, because the content of ${name} can be read only once. Run the flow again: it fetches new ` +
    'values first. Content with again: true is sent again at once.'
  );
}
