import type { Registry } from '../../model/registry.ts';
import { type OpenDirectory, openDirectory } from '../../security/directory/directory.ts';
import type { Store } from '../../store/index.ts';
import type { Log } from '../log/log.ts';

export interface UserDirectoryOptions {
  readonly sampleUsers: boolean;
  readonly log: Log;
  readonly usersWithin?: number | undefined;
}

/** The users that may call this gateway. What an operator should know of them is in its log. */
export function openUserDirectory(
  registry: Registry,
  store: Store,
  options: UserDirectoryOptions,
): Promise<OpenDirectory> {
  const { sampleUsers, log, usersWithin } = options;
  return openDirectory({
    registry,
    sampleUsers,
    store,
    onError: (err, facts) => log.warn({ ...facts, err }, err.message),
    ...(usersWithin === undefined ? {} : { lookEvery: usersWithin }),
  });
}
