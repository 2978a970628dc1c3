import type { LoadedProject } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { recordDefinitions, type Store } from '../../store/index.ts';
import type { Clock } from '../../wire/waiting.ts';
import type { Log } from '../log/log.ts';
import { definitionsHash } from '../log/readings.ts';
import { serverName } from './services.ts';

interface RecordPorts {
  readonly sources: LoadedProject['sources'];
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Records which definitions this gateway has loaded, and what has changed since those that were loaded last. The gateway serves
 * meanwhile. @returns when that is done; it never rejects
 */
export async function recordLoaded(registry: Registry, { sources, store, log, clock }: RecordPorts): Promise<void> {
  const facts = {
    hash: definitionsHash(sources),
    gateway: serverName(),
    loaded: new Date(clock.now()).toISOString(),
  };
  const parts = async () => (await import('../../load/fingerprint.ts')).fingerprintAll(registry, sources);
  await recordDefinitions(store, facts, parts).catch((err) =>
    log.warn({ err }, 'What has changed in the definitions could not be recorded.'),
  );
}
