import type { Flow, FlowStep } from '../../model/flow.ts';
import { flowNames } from '../../model/flow-names.ts';
import type { Service } from '../../model/service.ts';
import { type Place, positionOf } from '../diagnostic/place.ts';
import type { Documents } from '../document/documents.ts';
import { given } from '../given.ts';
import { type Linking, mayHaveMeant } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { FlowDeclared } from '../schema/flow.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import type { CallSources, Calls, StepSources } from './calls.ts';
import { linkFlowInput } from './input.ts';
import { checkKept } from './keep.ts';
import { linkStep } from './step.ts';

/** A service and what its definition says. */
interface FlowService {
  readonly service: Service;
  readonly declaration: Declaration<ServiceDeclared>;
}

/** Links the flows of every service: what a `call:` may name from then on. */
export function linkFlows(documents: Documents, services: readonly FlowService[], sources: CallSources): Calls {
  const { linking } = documents;
  const flows = new Map<string, Flow>();
  const named = new Map<string, Flow>();
  const lost = new Set<string>();
  const spots = services.flatMap(({ service, declaration }) => flowSpots(linking, service, declaration.value.flows));
  const known: StepSources = { ...sources, flowNames: new Set(spots.flatMap(flowNames)) };
  for (const spot of spots) {
    const { id } = spot;
    const names = flowNames(spot);
    const flow = linkFlow(documents, spot, known);
    if (flow === undefined) for (const each of names) lost.add(each);
    else {
      flows.set(id, flow);
      for (const each of names) named.set(each, flow);
    }
  }
  const whole =
    !linking.declared.anySetAside('service') &&
    services.every(({ declaration }) => !mayHaveMeant(linking, declaration.value, ['flows']));
  return { ...sources, flows, named, isLostFlow: (name) => !whole || lost.has(name) };
}

interface FlowSpot {
  readonly id: string;
  readonly name: string;
  readonly service: Service;
  readonly declared: FlowDeclared;
  readonly at: Place;
}

function flowSpots({ places }: Linking, service: Service, declared: ServiceDeclared['flows'] = {}): FlowSpot[] {
  return Object.entries(declared).map(([name, flow]) => {
    return { id: `${service.id}.${name}`, name, service, declared: flow, at: places.key(declared, name) };
  });
}

/** Undefined where a step of it can't be used, which has been reported. */
function linkFlow(
  documents: Documents,
  { id, name, service, declared, at }: FlowSpot,
  sources: StepSources,
): Flow | undefined {
  const { linking } = documents;
  const { description, steps: said } = 'steps' in declared ? declared : { description: undefined, steps: declared };
  const linked = said.map((each) => linkStep(linking, each, sources));
  const steps = linked.filter((step): step is FlowStep => step !== undefined);
  if (steps.length < linked.length) return undefined;
  const spots = steps.map((step, index) => ({ step, declared: said[index] as (typeof said)[number] }));
  checkKept(linking, spots);
  return {
    id,
    name,
    service,
    steps,
    input: linkFlowInput(documents, id, spots, at),
    active: service.active && steps.every(({ operation }) => operation.active),
    ...given({ description }),
    at: positionOf(at),
  };
}
