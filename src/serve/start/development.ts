import type { MigrationError, ProjectFiles, Store } from '../../store/index.ts';
import { counted } from '../../wire/words.ts';

/** How `signalbox dev` brings a database up: migrations wait until they are asked for, and may change until they are released. */
export interface Development {
  /** Those that wait were asked for. */
  readonly migrate: boolean;
  /** It has just been started: on a database without any migration all of them run. */
  readonly first: boolean;
  /** How to ask for them, as a sentence. */
  readonly how: string;
}

type Files = Required<Pick<ProjectFiles, 'migrations' | 'sampleData'>>;

/**
 * Brings a database up to this version of the package, and to that of the project if it is asked for.
 * @returns what waits, in sentences; `undefined` if nothing does
 * @throws StoreError, MigrationError
 */
export async function bringUpInDevelopment(
  store: Store,
  { migrations, sampleData }: Files,
  { migrate, first, how }: Development,
  onMigration?: (file: string) => void,
): Promise<string | undefined> {
  await store.migrate();
  const refused: MigrationError[] = [];
  const pending = await store.pending({ migrations, onRefused: (error) => void refused.push(error) });
  const waiting = pending.flatMap(({ of, name }) => (of === 'project' ? name : []));
  if (waiting.length > 0) {
    const provenance = await store.provenance();
    const [changed] = refused;
    if (changed !== undefined && provenance !== 'dev') throw changed;
    if (!migrate && !(first && provenance === 'none')) return waitingText(waiting, refused, how);
    if (changed !== undefined) await store.rebuild({ everything: false });
    await store.migrateProject(migrations, onMigration, 'dev');
  }
  await store.loadSampleData(sampleData);
  return undefined;
}

function waitingText(waiting: readonly string[], refused: readonly MigrationError[], how: string): string {
  const wait = `${counted(waiting.length, 'migration')} ${waiting.length === 1 ? 'waits' : 'wait'}: ${waiting.join(', ')}.`;
  const [changed] = refused;
  const again =
    changed === undefined
      ? ''
      : ` ${changed.at.file}: ${changed.reason}; all run again from the first, and the rows of the project's tables go (users and keys stay).`;
  return `${wait}${again} ${how}`;
}
