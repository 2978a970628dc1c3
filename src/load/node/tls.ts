import type { Node } from '../../model/node.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { NodeDeclared } from '../schema/node.ts';
import { linkFile } from '../value/file.ts';
import { linkSecret } from '../value/secrets.ts';

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
