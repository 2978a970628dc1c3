import { reachedBy } from '../../model/reached.ts';
import type { Answer } from '../../model/service.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from './spot.ts';

const CODES = { query: 'bad-query-answer', component: 'bad-save', consumer: 'bad-call-answer' } as const;

/** Operation and what answers it are granted each by itself: who shows no credentials holds no list for that. */
export function checkReachedPublic({ report, places }: Linking, { id, declared }: OperationSpot, answer: Answer): void {
  const key = answer.kind !== 'component' ? 'query' : answer.action === 'read' ? 'read' : 'save';
  for (const { kind, thing } of reachedBy(answer) ?? []) {
    if (thing.public || thing.permissions.length === 0) continue;
    const reason = `${id} is public and ${thing.id} is not, so that nobody could call it`;
    const at = kind === 'consumer' ? places.value(declared, 'call') : places.key(declared, key);
    report.raise(CODES[kind], { reason }, at);
  }
}

/** Whom the classes of a component would not run for, though the operation saves for all. */
export function checkGuardedClasses(
  { report, places }: Linking,
  { id, declared }: OperationSpot,
  answer: Answer,
): void {
  if (answer.kind !== 'component' || answer.action === 'read') return;
  for (const { service, enabled } of answer.component.events) {
    if (!enabled || service.public || service.permissions.length === 0) continue;
    const reason = `${id} is public and ${service.id} is not, so that it would never run after what ${id} saves`;
    report.raise('bad-save', { reason }, places.key(declared, 'save'));
  }
}
