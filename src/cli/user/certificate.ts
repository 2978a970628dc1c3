import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { certificateName } from '../../load/security/certificate-names.ts';
import type { Registry } from '../../model/registry.ts';
import type { KeptCertificate } from '../../security/users/port.ts';
import { pemCertificates } from '../../wire/pem.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { renderTable } from '../table.ts';
import { coloursOf, print } from '../terminal.ts';
import { checkText, refuseDeclared, withActor, withUsers } from './access.ts';

const WHICH = 'a file with it (PEM or DER), or its fingerprint: sha256: and 64 hex digits';

/** `signalbox user certificate add|list|remove`. */
export function addUserCertificate(user: Command): void {
  const certificate = user.command('certificate').description('certificates that a user is known by');
  addCertificateAdd(certificate);
  addCertificateList(certificate);
  addCertificateRemove(certificate);
}

function addCertificateAdd(certificate: Command): void {
  const command = certificate
    .command('add')
    .description('let a user call by a certificate; its fingerprint is kept')
    .argument('<id>', 'the user')
    .argument('<certificate>', WHICH)
    .option('--description <text>', 'what it is for');
  withActor(command).action(async (id: string, which: string, options: { description?: string }, run: Command) => {
    const { description } = options;
    checkText('--description', description);
    await withUsers(run, async ({ registry, users }) => {
      refuseDeclared(registry, id);
      const fingerprint = fingerprintOf(which);
      refuseKnown(registry, fingerprint);
      const added = await users.addCertificate(id, fingerprint, description);
      await print(`The certificate ${fingerprint} is ${id}'s${added ? '' : ' already'}.\n`);
    });
  });
}

function addCertificateList(certificate: Command): void {
  certificate
    .command('list')
    .description('list the certificates of a user, by their fingerprints')
    .argument('<id>', 'the user')
    .option('--json', 'as JSON')
    .action(async (id: string, { json = false }: { json?: boolean }, run: Command) =>
      withUsers(run, async ({ registry, users }) => {
        refuseDeclared(registry, id);
        const found = await users.certificates(id);
        await print(json ? `${JSON.stringify(found, null, 2)}\n` : renderCertificates(found));
      }),
    );
}

function addCertificateRemove(certificate: Command): void {
  const command = certificate
    .command('remove')
    .description('let a certificate be refused, within 2 s')
    .argument('<id>', 'the user')
    .argument('<certificate>', WHICH);
  withActor(command).action(async (id: string, which: string, _: object, run: Command) =>
    withUsers(run, async ({ registry, users }) => {
      refuseDeclared(registry, id);
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
