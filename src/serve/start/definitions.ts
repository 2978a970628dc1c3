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

/** The record of the definitions that a gateway has loaded. */
interface LoadedRecord {
  /** Writes it now, unless it is written. Never rejects. */
  write(): Promise<void>;
  /** Ends once what is being written is. A gateway that did not live for long leaves no record. */
  close(): Promise<void>;
}

/** Milliseconds after the start: hashing thousands of definitions takes time that the first calls need. */
const AFTER = 3_000;

/** Records in a while which definitions this gateway has loaded, and what has changed since those that were loaded last. */
export function recordLoaded(registry: Registry, { sources, store, log, clock }: RecordPorts): LoadedRecord {
  const facts = {
    hash: definitionsHash(sources),
    gateway: serverName(),
    loaded: new Date(clock.now()).toISOString(),
  };
  const parts = async () => (await import('../../load/fingerprint.ts')).fingerprintAll(registry, sources);
  let written: Promise<void> | undefined;
  const write = (): Promise<void> => {
    written ??= recordDefinitions(store, facts, parts).catch((err) =>
      log.warn({ err }, 'What has changed in the definitions could not be recorded.'),
    );
    return written;
  };
  const timer = setTimeout(write, AFTER);
  timer.unref();
  return {
    write,
    async close() {
      clearTimeout(timer);
      await written;
    },
  };
}
