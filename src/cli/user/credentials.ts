import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CERTIFICATES, keysView } from '../../operator/user.ts';
import { fingerprintIn, refuseDeclaredCertificate } from '../../security/users/certificate.ts';
import { type KeptKey, UserError } from '../../security/users/user-port.ts';
import { certificateName } from '../../wire/certificate.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain, readTime } from '../help.ts';
import { columnsOf } from '../operator.ts';
import { type Columns, note, print, printResult, tableOf } from '../terminal.ts';
import { changesUser, checkText, type ReadAccess, refuseDeclared, showsUsers, userCommand } from './access.ts';

/** `signalbox user key add|list|revoke`. */
export function addUserKey(user: Command): void {
  const key = explain(user.command('key'), {
    examples: ["signalbox user key add ada --expires '90 d'", 'signalbox user key list ada'],
  }).description('manage the API keys of a user');
  addKeyAdd(key);
  addList(key, 'list the keys of a user, by the part that is not secret', keyColumns(), (users, id) => users.keys(id));
  const revoke = userCommand(key, 'revoke', {
    description: 'revoke a key for good; it is refused within 2 s',
    examples: ['signalbox user key revoke ada k3yp4rt0'],
  }).argument('<key>', "the part of it that 'key list' shows");
  changesUser(revoke, async ({ users }, id, name: string) => {
    const changed = await users.revokeKey(id, name);
    await print(`Key ${name} of ${id} is ${changed ? '' : 'already '}revoked.\n`);
  });
}

interface KeyOptions {
  /** Milliseconds. */
  readonly expires?: number;
  readonly description?: string;
}

function addKeyAdd(key: Command): void {
  const command = userCommand(key, 'add', {
    description: 'create a key and print it once',
    examples: [
      "signalbox user key add ada --expires '90 d'",
      "signalbox user key add ada --description 'nightly export'",
    ],
  })
    .option('--expires <time>', "how long it is valid, as in '90 d' or '12 h' (default: for ever)", readTime)
    .option('--description <text>', 'what it is for');
  changesUser(command, async ({ users }, id, { expires, description }: KeyOptions) => {
    checkText('--description', description);
    const until = expires === undefined ? undefined : new Date(Date.now() + expires);
    const created = await users.addKey(id, {
      ...(until === undefined ? {} : { expires: until }),
      ...(description === undefined ? {} : { description }),
    });
    const expiry = until === undefined ? 'does not expire' : `expires at ${until.toISOString()}`;
    note(`Key ${created.id} of ${id} ${expiry}. It is shown only this once:`);
    await print(`${created.key}\n`);
  });
}

/** Adds the command that lists what belongs to a user. */
function addList<T>(
  group: Command,
  description: string,
  columns: Columns<T>,
  read: (users: ReadAccess['users'], id: string) => Promise<readonly T[]>,
): void {
  const examples = [`signalbox user ${group.name()} list ada`];
  showsUsers(userCommand(group, 'list', { description, examples }), async ({ registry, users }, json, [id = '']) => {
    refuseDeclared(registry, id);
    await printResult(await read(users, id), json, (entries) => tableOf(entries, columns));
  });
}

export const keyColumns = (): Columns<KeptKey> => columnsOf(keysView(Date.now()));

const WHICH = 'a file that contains it (PEM or DER), or its fingerprint: sha256: and 64 hex digits';

/** `signalbox user certificate add|list|remove`. */
export function addUserCertificate(user: Command): void {
  const certificate = explain(user.command('certificate'), {
    examples: ['signalbox user certificate add ada ada.pem', 'signalbox user certificate list ada'],
  }).description('manage the certificates that identify a user');
  const add = userCommand(certificate, 'add', {
    description: 'let a user call with a certificate; its fingerprint is stored',
    examples: ['signalbox user certificate add ada ada.pem'],
  })
    .argument('<certificate>', WHICH)
    .option('--description <text>', 'what it is for');
  changesUser(add, async ({ registry, users }, id, which: string, { description }: { description?: string }) => {
    checkText('--description', description);
    const fingerprint = fingerprintOf(which);
    refuseDeclaredCertificate(registry, fingerprint);
    const added = await users.addCertificate(id, fingerprint, description);
    await print(`The certificate ${fingerprint} ${added ? 'now' : 'already'} belongs to ${id}.\n`);
  });
  addList(certificate, 'list the certificates of a user, by fingerprint', columnsOf(CERTIFICATES), (users, id) =>
    users.certificates(id),
  );
  const remove = userCommand(certificate, 'remove', {
    description: 'remove a certificate; it is refused within 2 s',
    examples: ['signalbox user certificate remove ada ada.pem'],
  }).argument('<certificate>', WHICH);
  changesUser(remove, async ({ users }, id, which: string) => {
    const fingerprint = fingerprintOf(which);
    await users.removeCertificate(id, fingerprint);
    await print(`The certificate ${fingerprint} no longer belongs to ${id}.\n`);
  });
}

/** The fingerprint in the form in which it is stored; openssl writes it in capitals with colons. @throws CliFailure */
function fingerprintOf(which: string): string {
  if (!/^sha256:/i.test(which)) return readCertificate(which);
  const fingerprint = certificateName(which);
  if (typeof fingerprint === 'string') return fingerprint;
  throw wrongUsage(`${JSON.stringify(which)} is not a fingerprint`, 'Write sha256: and 64 hex digits.');
}

function readCertificate(path: string): string {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    throw new CliFailure(`${path} can't be read`, { hint: `The command takes ${WHICH}.`, cause });
  }
  try {
    return fingerprintIn(content);
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    throw new CliFailure(`${path} ${cause.message}`, { hint: cause.hint ?? `The command takes ${WHICH}.`, cause });
  }
}
