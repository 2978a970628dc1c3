import type { ConfigText } from '../../model/config.ts';
import type { Node } from '../../model/node.ts';
import type { Target } from './transport.ts';

/** Configuration that a call to a target refers to: what stands in for something of the node leaves that out. */
export function references({ node, primaryUrl, credential }: Target): readonly ConfigText[] {
  const { caFile, certificate } = node;
  return [
    ...(primaryUrl === undefined ? node.base : [primaryUrl]),
    ...(credential === undefined ? credentialTexts(node) : []),
    ...(caFile === undefined ? [] : [caFile]),
    ...(certificate === undefined ? [] : [certificate.file, certificate.keyFile]),
    ...(certificate?.passphrase === undefined ? [] : [certificate.passphrase]),
    ...node.resolve.values(),
  ];
}

function credentialTexts({ credential }: Node): readonly ConfigText[] {
  switch (credential?.kind) {
    case undefined:
      return [];
    case 'basic':
      return [credential.user, credential.password];
    case 'bearer':
      return [credential.token];
    case 'api-key':
      return [credential.value];
    case 'client-credentials': {
      const { tokenUrl, clientId, clientSecret, scope, parameters } = credential;
      return [tokenUrl, clientId, clientSecret, ...(scope === undefined ? [] : [scope]), ...parameters.values()];
    }
  }
}
