import type { HmacSignature } from '../../model/security.ts';
import { WireError } from '../../wire/error.ts';
import { hasVariable, readHeaderForm, readSignedForm } from '../../wire/hmac.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { HmacDeclared } from '../schema/hmac.ts';
import { defaultsOf } from '../schema/json-schema.ts';
import { hmac } from '../schema/scheme.ts';
import { linkSecrets } from '../value/address.ts';

const DEFAULTS = defaultsOf(hmac);

/** What a signature is, and what it signs. @param within the key that holds it */
export function linkHmac(linking: Linking, declared: HmacDeclared, within: string): HmacSignature {
  const { report, places } = linking;
  const { form, signed, timestamp, id, algorithm, 'secret-encoding': encoding } = { ...DEFAULTS, ...declared };
  const bad = (key: keyof HmacDeclared, reason: string, ...examples: readonly string[]): void => {
    const at = declared[key] === undefined ? places.start(declared) : places.value(declared, key);
    report.raise('bad-value', { name: `${within}.${key}`, reason, examples }, at);
  };
  const read = <T>(key: 'form' | 'signed', reader: () => T, ...examples: readonly string[]): T | undefined => {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      bad(key, error.message, ...examples);
      return undefined;
    }
  };
  const header = read('form', () => readHeaderForm(form), 'sha256={hex}', '{base64}');
  const parts = read('signed', () => readSignedForm(signed), '{timestamp}.{body}');
  if (header !== undefined && parts !== undefined) {
    const hasTime = header.timestamp !== undefined;
    const signsTime = hasVariable(parts, 'timestamp');
    const signsId = hasVariable(parts, 'id');
    if (hasTime && timestamp !== undefined)
      bad('timestamp', 'is in place of {timestamp} in `form`, and both are there');
    else if ((hasTime || timestamp !== undefined) && !signsTime)
      bad(hasTime ? 'form' : 'timestamp', 'has a time that `signed` does not contain, so anyone could replace it');
    if (signsTime && !hasTime && timestamp === undefined)
      bad(
        'signed',
        'has {timestamp}, but no place of it: name its header in `timestamp`, or write {timestamp} in `form`',
      );
    if (id !== undefined && !signsId)
      bad('id', 'is a header that `signed` does not contain, so anyone could replace it');
    if (signsId && id === undefined) bad('signed', 'has {id}, but no place of it: name its header in `id`');
  }
  const headers = (['header', 'timestamp', 'id'] as const).map((key) => declared[key]?.toLowerCase());
  if (timestamp !== undefined && headers[1] === headers[0]) bad('timestamp', 'is the header of the signature');
  if (id !== undefined && headers.indexOf(headers[2]) < 2) bad('id', 'is another header of the signature');
  return {
    secrets: linkSecrets(linking, declared, 'secrets', 'A secret of webhooks'),
    ...{ encoding, header: declared.header, algorithm, form, signed },
    ...given({ timestamp, webhookId: id }),
  };
}
