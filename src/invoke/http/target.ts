import type { ConfigText } from '../../model/config.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Node } from '../../model/node.ts';
import type { Credential } from '../credential/credential.ts';

/** Where a call goes, and what it shows there. */
export interface Target {
  readonly operation: ConsumerOperation;
  /** The operation's own target, or the one that the caller put in its place; then PRIMARYURL does not count. */
  readonly node: Node;
  /** `PRIMARYURL`: takes the place of the node's addresses. */
  readonly primaryUrl?: ConfigText | undefined;
  /** Takes the place of the node's own, and of one inside an address. */
  readonly credential?: Credential | undefined;
}

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
