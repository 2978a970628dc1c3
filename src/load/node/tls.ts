import type { Node } from '../../model/node.ts';
import type { NodeDeclared } from '../declared.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { linkFile } from '../read/file-text.ts';
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
