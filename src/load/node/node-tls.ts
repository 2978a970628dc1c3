import type { ConfigText } from '../../model/config.ts';
import type { Node } from '../../model/node.ts';
import { parseConfigText } from '../config-text.ts';
import type { NodeDeclared } from '../declared.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { linkSecret } from '../secrets.ts';

/** What a node is known by in TLS, and what is shown to it there. */
export function linkTls(linking: Linking, value: NodeDeclared): Pick<Node, 'caFile' | 'certificate'> {
  const { certificate } = value;
  return given({
    caFile: value['ca-file'] === undefined ? undefined : linkFile(linking, value, 'ca-file'),
    certificate: certificate && {
      file: linkFile(linking, certificate, 'file'),
      keyFile: linkFile(linking, certificate, 'key-file'),
      ...given({
        passphrase:
          certificate.passphrase === undefined
            ? undefined
            : linkSecret(linking, certificate, 'passphrase', 'A passphrase'),
      }),
    },
  });
}

/** The path of a file; the key itself in its place is a secret in clear. */
function linkFile({ report, places }: Linking, container: object, key: string): ConfigText {
  const { text } = parseConfigText((container as Readonly<Record<string, string>>)[key] ?? '');
  if (text.parts.some((part) => part.kind === 'literal' && part.text.includes('PRIVATE KEY-----'))) {
    const instead = 'Keep it in a file, and write the path of the file in its place.';
    report.raise('secret-in-clear', { what: 'A private key', instead }, places.value(container, key));
  }
  return text;
}
