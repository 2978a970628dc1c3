import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { duration } from '../../load/schema/json-schema.ts';
import { certificateName } from '../../load/security/users.ts';
import { milliseconds } from '../../load/value/units.ts';
import type { Registry } from '../../model/registry.ts';
import type { KeptCertificate, KeptKey } from '../../security/users/port.ts';
import { pemCertificates } from '../../wire/certificate.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { coloursOf, jsonText, note, print, renderTable } from '../terminal.ts';
import { changeUser, checkText, readUsers, refuseDeclared, withActor } from './access.ts';

/** As the definitions write one. */
const TIME = new RegExp(duration.pattern as string);
const SHORTEST = milliseconds('1 s');
/** A date must be one. */
const LONGEST = milliseconds('36500 d');

/** `signalbox user key add|list|revoke`. */
export function addUserKey(user: Command): void {
  const key = explain(user.command('key'), {
    examples: ["signalbox user key add ada --expires '90 d'", 'signalbox user key list ada'],
  }).description('manage the API keys of a user');
  addKeyAdd(key);
  addKeyList(key);
  addKeyRevoke(key);
}

function addKeyAdd(key: Command): void {
  const command = explain(key.command('add'), {
    examples: [
      "signalbox user key add ada --expires '90 d'",
      "signalbox user key add ada --description 'nightly export'",
    ],
  })
    .description('make a key, and print it once')
    .argument('<user>', 'its id')
    .option('--expires <time>', "how long it holds, as in '90 d' or '12 h' (default: for ever)", readTime)
    .option('--description <text>', 'what it is for');
  withActor(command).action(async (id: string, options: { expires?: number; description?: string }, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      const { expires, description } = options;
      checkText('--description', description);
      const until = expires === undefined ? undefined : new Date(Date.now() + expires);
      const made = await users.addKey(id, {
        ...(until === undefined ? {} : { expires: until }),
        ...(description === undefined ? {} : { description }),
      });
      const holds = until === undefined ? 'does not expire' : `expires at ${until.toISOString()}`;
      note(`Key ${made.id} of ${id} ${holds}. It is shown only now:`);
      await print(`${made.key}\n`);
    }),
  );
}

/** @returns milliseconds */
function readTime(text: string): number {
  const time = TIME.test(text) ? milliseconds(text) : Number.NaN;
  if (!(time >= SHORTEST && time <= LONGEST))
    throw new InvalidArgumentError(
      "It takes a time like '90 d', '12 h' or '30 min'. It is 1 s or longer, and 36500 d at most.",
    );
  return time;
}

function addKeyList(key: Command): void {
  explain(key.command('list'), { examples: ['signalbox user key list ada'] })
    .description('list the keys of a user, by the part that may be shown')
    .argument('<user>', 'its id')
    .option('--json', AS_JSON)
    .action(async (id: string, { json = false }: { json?: boolean }, run: Command) =>
      readUsers(run, async ({ registry, users }) => {
        refuseDeclared(registry, id);
        const keys = await users.keys(id);
        await print(json ? jsonText(keys) : renderKeys(keys));
      }),
    );
}

/** A table of keys. */
export function renderKeys(keys: readonly KeptKey[]): string {
  const now = new Date().toISOString();
  const rows = keys.map(({ id, created, expires, revoked, description }) => [
    id,
    revoked !== undefined ? 'revoked' : expires !== undefined && expires <= now ? 'expired' : 'holds',
    created,
    expires ?? '',
    revoked ?? '',
    description ?? '',
  ]);
  const heading = ['KEY', 'STATE', 'CREATED', 'EXPIRES', 'REVOKED', 'DESCRIPTION'];
  return renderTable(heading, rows, { colours: coloursOf(process.stdout) });
}

function addKeyRevoke(key: Command): void {
  const command = explain(key.command('revoke'), { examples: ['signalbox user key revoke ada k3yp4rt0'] })
    .description('let a key be refused, within 2 s and for ever')
    .argument('<user>', 'its id')
    .argument('<key>', 'the part of it that is listed');
  withActor(command).action(async (id: string, name: string, _: object, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      const changed = await users.revokeKey(id, name);
      await print(`Key ${name} of ${id} is revoked${changed ? '' : ' already'}.\n`);
    }),
  );
}

const WHICH = 'a file with it (PEM or DER), or its fingerprint: sha256: and 64 hex digits';

/** `signalbox user certificate add|list|remove`. */
export function addUserCertificate(user: Command): void {
  const certificate = explain(user.command('certificate'), {
    examples: ['signalbox user certificate add ada ada.pem', 'signalbox user certificate list ada'],
  }).description('manage the certificates that a user is known by');
  addCertificateAdd(certificate);
  addCertificateList(certificate);
  addCertificateRemove(certificate);
}

function addCertificateAdd(certificate: Command): void {
  const command = explain(certificate.command('add'), { examples: ['signalbox user certificate add ada ada.pem'] })
    .description('let a user call by a certificate; its fingerprint is kept')
    .argument('<user>', 'its id')
    .argument('<certificate>', WHICH)
    .option('--description <text>', 'what it is for');
  withActor(command).action(async (id: string, which: string, options: { description?: string }, run: Command) => {
    const { description } = options;
    checkText('--description', description);
    await changeUser(run, id, async ({ registry, users }) => {
      const fingerprint = fingerprintOf(which);
      refuseKnown(registry, fingerprint);
      const added = await users.addCertificate(id, fingerprint, description);
      await print(`The certificate ${fingerprint} is ${id}'s${added ? '' : ' already'}.\n`);
    });
  });
}

function addCertificateList(certificate: Command): void {
  explain(certificate.command('list'), { examples: ['signalbox user certificate list ada'] })
    .description('list the certificates of a user, by their fingerprints')
    .argument('<user>', 'its id')
    .option('--json', AS_JSON)
    .action(async (id: string, { json = false }: { json?: boolean }, run: Command) =>
      readUsers(run, async ({ registry, users }) => {
        refuseDeclared(registry, id);
        const found = await users.certificates(id);
        await print(json ? jsonText(found) : renderCertificates(found));
      }),
    );
}

function addCertificateRemove(certificate: Command): void {
  const command = explain(certificate.command('remove'), {
    examples: ['signalbox user certificate remove ada ada.pem'],
  })
    .description('let a certificate be refused, within 2 s')
    .argument('<user>', 'its id')
    .argument('<certificate>', WHICH);
  withActor(command).action(async (id: string, which: string, _: object, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      const fingerprint = fingerprintOf(which);
      await users.removeCertificate(id, fingerprint);
      await print(`The certificate ${fingerprint} is ${id}'s no more.\n`);
    }),
  );
}

/** A table of certificates. */
export function renderCertificates(certificates: readonly KeptCertificate[]): string {
  const rows = certificates.map(({ fingerprint, created, description }) => [fingerprint, created, description ?? '']);
  return renderTable(['CERTIFICATE', 'CREATED', 'DESCRIPTION'], rows, { colours: coloursOf(process.stdout) });
}

/** @throws CliFailure for one that a user of the definitions has, who would be found in its place */
function refuseKnown({ users }: Registry, fingerprint: string): void {
  const known = [...users.values()].find(({ certificates }) => certificates.includes(fingerprint));
  if (known !== undefined)
    throw new CliFailure(`${fingerprint} is the certificate of ${known.id}, a user of the definitions`);
}

/** The fingerprint as it is kept; openssl writes it with colons, in capitals. @throws CliFailure */
function fingerprintOf(which: string): string {
  const said = /^sha256:/i.test(which) ? which : `sha256:${readCertificate(which).fingerprint256}`;
  const fingerprint = certificateName(said);
  if (typeof fingerprint === 'string') return fingerprint;
  throw wrongUsage(`${JSON.stringify(which)} is no fingerprint`, 'It is sha256: and 64 hex digits.');
}

function readCertificate(path: string): X509Certificate {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    throw new CliFailure(`${path} can't be read`, { hint: `It takes ${WHICH}.`, cause });
  }
  if (pemCertificates(content.toString('latin1')).length > 1)
    throw new CliFailure(`${path} holds more than one certificate`, { hint: 'Write the one of the user to a file.' });
  try {
    return new X509Certificate(content);
  } catch (cause) {
    throw new CliFailure(`${path} is no certificate`, { hint: `It takes ${WHICH}.`, cause });
  }
}
