import type { Flow } from '../../model/flow.ts';
import type { FlowReply } from '../../model/invoke-reply.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Calls } from '../calls.ts';
import { deadline } from '../deadline.ts';
import type { Called } from '../error.ts';
import type { FlowOptions } from '../options.ts';
import type { PreparedRequest } from '../outgoing.ts';
import { StepCache } from './cache.ts';
import { watchContent } from './content.ts';
import { StepKeys } from './key.ts';
import { checkInput, type FlowPlan, pendingInput, planFlow } from './plan.ts';
import { FlowRun } from './run.ts';

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
        return await new FlowRun({ call: calls.call, cache, keys, plan, input, shown, options, time }).reply();
      } finally {
        time.clear();
      }
    },
    preview: (flow, input, { requestId }) => check(planOf(flow), input, { operation: flow.id, requestId }),
  };
}
