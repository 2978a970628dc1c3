import type { Command } from 'commander';
import { explain } from '../help.ts';
import { addUserCertificate } from './certificate.ts';
import { addUserAdd, addUserDisable, addUserPasswd, addUserRole } from './change.ts';
import { addUserHash } from './hash.ts';
import { addUserKey } from './key.ts';
import { addUserList, addUserLog, addUserShow } from './show.ts';

const help = {
  examples: [
    'signalbox user add ada --role SAMPLE_ALL',
    'signalbox user list',
    "signalbox user key add ada --expires '90 d'",
    'signalbox user disable ada',
    'signalbox user log ada',
  ],
  notes: [
    "They are kept in the configured database, while gateways run on it; each of a fleet notices a change within 2 s. A password has at least 8 characters, and is not the user's id. A user is disabled, never removed: what belongs to it stays its own, and nobody else gets its id. Users of the definitions are changed by an edit alone.",
  ],
} as const;

/** `signalbox user`: the users that the database keeps, their API keys, and the trail of what was done to them. */
export function addUser(program: Command): void {
  const user = explain(program.command('user'), help).description(
    'manage users, their API keys and their certificates',
  );
  for (const add of [addUserAdd, addUserPasswd, addUserDisable, addUserRole, addUserList, addUserShow]) add(user);
  for (const add of [addUserKey, addUserCertificate, addUserLog, addUserHash]) add(user);
}
