import type { Command } from 'commander';
import { addUserCertificate } from './certificate.ts';
import { addUserAdd, addUserDisable, addUserPasswd, addUserRole } from './change.ts';
import { addUserHash } from './hash.ts';
import { addUserKey } from './key.ts';
import { addUserList, addUserLog, addUserShow } from './show.ts';

const examples = `
Examples:
  signalbox user add ada --role SAMPLE_ALL
  signalbox user add nightly --no-password --role SAMPLE_ALL
  signalbox user key add nightly --expires '90 d'
  signalbox user certificate add nightly nightly.pem
  signalbox user disable ada
  signalbox user log ada
  pass show gateway/ada | signalbox user passwd ada --password-stdin
  signalbox user hash demo              for a user of the definitions

They are kept in the configured database, while gateways run on it; each of a fleet notices a change within 2 s. A password
has at least 8 characters, and is not the user's id. A user is disabled, never removed: what belongs to it stays its own, and
nobody else gets its id. Users of the definitions are changed by an edit alone.`;

/** `signalbox user`: the users that the database keeps, their API keys, and the trail of what was done to them. */
export function addUser(program: Command): void {
  const user = program
    .command('user')
    .description('manage the users of the database, and their API keys')
    .addHelpText('after', examples);
  for (const add of [addUserAdd, addUserPasswd, addUserDisable, addUserRole, addUserList, addUserShow]) add(user);
  for (const add of [addUserKey, addUserCertificate, addUserLog, addUserHash]) add(user);
}
