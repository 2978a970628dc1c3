import type { User } from '../../model/security.ts';
import { readPasswordHash } from '../../wire/password-hash.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { UserDeclared } from '../schema/security.ts';
import { linkSecret } from '../value/secrets.ts';
import { linkCertificates } from './certificate-names.ts';

/** What a user may show: hashes and names of it, and one reference. */
export function linkCredentials(
  linking: Linking,
  value: UserDeclared,
): Pick<User, 'password' | 'apiKeys' | 'certificates' | 'sharedSecret'> {
  checkPassword(linking, value);
  const secret = value['shared-secret'];
  return {
    apiKeys: linkApiKeys(linking, value['api-keys'] ?? []),
    certificates: linkCertificates(linking, value.certificates ?? []),
    ...given({
      password: value.password,
      sharedSecret: secret === undefined ? undefined : linkSecret(linking, value, 'shared-secret', 'A shared secret'),
    }),
  };
}

function checkPassword({ report, places }: Linking, value: UserDeclared): void {
  const { password } = value;
  // A reference has been reported as one that stands in the wrong place.
  if (password === undefined || password.startsWith('${')) return;
  const at = places.value(value, 'password');
  if (!password.startsWith('$scrypt$')) {
    const instead = 'Store its hash: $scrypt$ln=14,r=8,p=1$<salt>$<hash>, both in base64 without padding.';
    report.raise('secret-in-clear', { what: 'A password', instead }, at);
    return;
  }
  const reason = readPasswordHash(password);
  if (typeof reason === 'string') report.raise('password-hash', { reason }, at);
}

/** What is no hash may be the key itself, which is not shown. */
function linkApiKeys({ report, places }: Linking, said: readonly string[]): string[] {
  return said.flatMap((key, index) => {
    if (/^sha256:[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
    if (!key.startsWith('${')) {
      const instead = 'Store its hash: sha256: and the SHA-256 of the key in 64 hexadecimal digits.';
      report.raise('secret-in-clear', { what: 'An API key', instead }, places.value(said, index));
    }
    return [];
  });
}
