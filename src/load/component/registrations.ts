import type { ComponentEventName, ComponentEventRegistration, RelatedContent } from '../../model/component.ts';
import { positionOf } from '../diagnostic/place.ts';
import { type Linking, resolveKey } from '../linking.ts';
import type { ComponentEventDeclared } from '../schema/component.ts';

/** When what runs at an event is said to be processed. */
const PROCESSING = { SavePreChange: 'Pre Process', SavePostChange: 'Post Process' } as const;

/** Links the classes that are registered at a component, those before the save first, in the order of their sequence numbers. */
export function linkRegistrations(
  linking: Linking,
  component: string,
  declared: readonly ComponentEventDeclared[],
  services: ReadonlyMap<string, RelatedContent>,
): ComponentEventRegistration[] {
  const { report, places } = linking;
  const taken: Record<ComponentEventName, Map<number, string>> = {
    SavePreChange: new Map(),
    SavePostChange: new Map(),
  };
  const found = declared.flatMap((each, index) => {
    const { event, sequence = 1, processing = PROCESSING[event], enabled = true } = each;
    if (processing !== PROCESSING[event]) {
      const reason = `${event} is ${PROCESSING[event]}, not ${processing}`;
      report.raise('bad-registration', { component, reason }, places.value(each, 'processing'));
    }
    const other = taken[event].get(sequence);
    if (other !== undefined) {
      const reason = `${other} has the sequence number ${sequence} at ${event} already`;
      const at = each.sequence === undefined ? places.value(declared, index) : places.value(each, 'sequence');
      report.raise('bad-registration', { component, reason }, at);
    }
    taken[event].set(sequence, each.service);
    const service = resolveKey(linking, 'related-content', services, each, 'service');
    const at = positionOf(places.value(declared, index));
    return service === undefined ? [] : { enabled, event, service, sequence, processing: PROCESSING[event], at };
  });
  const isAfter = ({ event }: ComponentEventRegistration): number => Number(event === 'SavePostChange');
  return found.sort((a, b) => isAfter(a) - isAfter(b) || a.sequence - b.sequence);
}
