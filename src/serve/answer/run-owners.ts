import type { RunOwners } from '../../query/index.ts';
import { may } from '../../security/authorise.ts';
import type { Owners } from '../../security/directory/port.ts';

/** In whose names runs of queries are worked at: under the grants that they have when a run begins. */
export function runOwners(directory: Owners): RunOwners {
  return {
    keep: (user) => directory.keep(user),
    async mayRun(owner, queries) {
      const user = owner === '' ? undefined : await directory.findOwner(owner);
      if (owner !== '' && user === undefined) return false;
      return queries.every((query) => (query.owner === undefined ? may(user, query) : query.owner === user?.id));
    },
  };
}
