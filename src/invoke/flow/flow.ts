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
  /** The requests of all steps; what earlier ones keep stands as `<NAME>`. @throws InvokeError CONFIGURATION, BAD_INPUT */
  preview(flow: Flow, input: DocumentValue, options: { readonly requestId: string }): PreparedRequest[];
}

/**
 * Runs flows, and remembers what their steps give.
 * @param now a clock that only goes forward, in milliseconds
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

  /** Everything that can be said of a run before the first of its requests is sent. */
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

/** What a run of a flow stands on. */
interface RunPorts {
  readonly calls: Pick<Calls, 'call' | 'redactor'>;
  readonly cache: StepCache;
  readonly keys: StepKeys;
  readonly plan: FlowPlan;
  readonly input: WatchedInput;
  /** The steps as they were checked before the first was made. */
  readonly shown: readonly PreparedRequest[];
  readonly options: FlowOptions & { readonly requestId: string };
  /** What the whole of the run has. */
  readonly time: Deadline;
}

/** One run of a flow: its steps in order, each made once more where it has to be. */
class FlowRun {
  readonly #run: RunPorts;
  readonly #steps: readonly PlannedStep[];
  readonly #given: Given[] = [];
  readonly #trace: StepTrace[] = [];
  /** Steps and statuses that something was renewed after. */
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
      this.#tell(last);
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

  /** Has a step give what later ones need. */
  async #give(index: number): Promise<void> {
    const given = await this.#renewing(index, () => this.#obtain(index));
    this.#given[index] = given;
    this.#trace.push(given.trace);
  }

  async #obtain(index: number): Promise<Given> {
    this.#tell(index);
    const { cache, time } = this.#run;
    const key = this.#keyOf(index);
    if (key === undefined) return this.#keep(index, this.#own(index));
    const held = cache.get(key);
    if (held !== undefined) return this.#notSent(held);
    const called = this.#called(index);
    const make = (shared: AbortSignal): Promise<Given> => this.#keep(index, this.#sharing(index, shared));
    const { given, own } = await cache.share(key, make, { signal: time.signal, called });
    if (own) return given;
    // What does not hold is for the run alone that it was made for.
    return cache.holds(given) ? this.#notSent(given) : this.#keep(index, this.#own(index));
  }

  /** The same of a run that sent nothing for it. */
  #notSent(given: Given): Given {
    const trace = { operation: given.trace.operation, kept: true, httpResponseCode: undefined, attempts: 0 };
    return { ...given, trace: { ...trace, timings: undefined } };
  }

  /** The name of what a step gives for its input and those before it; undefined where it is for this run alone. */
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
    return calls.call(this.#step(index).operation, values, options, this.#called(index));
  }

  #tell(index: number): void {
    this.#run.options.onStep?.({ index: index + 1, operation: this.#step(index).operation });
  }

  #called(index: number): Called {
    return { operation: this.#step(index).operation.id, requestId: this.#run.options.requestId };
  }

  /** Options of a call for this run alone. */
  #own(index: number): CallOptions {
    const { options, time } = this.#run;
    const { requestId, onSent, heads } = options;
    return { requestId, timeout: this.#step(index).timeout, signal: time.signal, onSent, heads };
  }

  /** Options of a call for every run that waits for it: this one may be over before it is. */
  #sharing(index: number, shared: AbortSignal): CallOptions {
    const { signal } = this.#run.time;
    const { onSent, ...options } = this.#own(index);
    if (onSent === undefined) return { ...options, signal: shared };
    return {
      ...options,
      signal: shared,
      onSent: (sent, total) => {
        if (signal?.aborted !== true) onSent(sent, total);
      },
    };
  }

  /** Makes a step, and once more for each status after which an earlier one is to be run anew. */
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

  /** An attempt at a step that came to nothing is a part of what happened. */
  #note(index: number, error: unknown): void {
    if (!(error instanceof InvokeError)) return;
    const { httpResponseCode, attempts } = error;
    const operation = this.#step(index).operation.id;
    this.#trace.push({ operation, kept: false, httpResponseCode, attempts, timings: undefined });
  }

  /** The step to run anew after an error of a later one: the latest that names its status, once for each of both. */
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
    const error = time.told(thrown);
    if (!(error instanceof InvokeError) || error instanceof FlowError) return error;
    error.sent ??= shown[index];
    const { id: operation } = this.#step(index).operation;
    const step = { index: index + 1, of: this.#steps.length, operation };
    return new FlowError(plan.flow.id, step, error, { steps: [...this.#trace], hint });
  }
}

function unrepeatable(name: string): string {
  return (
    `The step was not made once more, since the content of ${name} can be read only once. What it needs is fetched anew by ` +
    'the next run; content that says that it can be read again is sent again at once.'
  );
}
