import type { ConfigText } from '../../model/definition.ts';
import { NODE_DEFAULTS, type Node, type NodeCredential } from '../../model/node.ts';
import type { JsonTree } from '../json-text.ts';
import { membersOf } from './tree.ts';

/** A node of `registry.json`: what it says beside the defaults. References to configuration stand as written. */
export function nodeTree(node: Node): JsonTree {
  const { caFile, certificate, circuit, redirects, retry } = node;
  return {
    description: node.description,
    base: node.base.map(({ source }) => source),
    credential: node.credential && credentialTree(node.credential),
    'ca-file': caFile?.source,
    certificate: certificate && {
      file: certificate.file.source,
      'key-file': certificate.keyFile.source,
      passphrase: certificate.passphrase?.source,
    },
    resolve: sources(node.resolve),
    timeouts: membersOf(Object.entries(node.timeouts)),
    retry: retry && { attempts: retry.attempts, on: [...retry.on] },
    circuit:
      circuit.failures === NODE_DEFAULTS.circuit.failures && circuit.reset === NODE_DEFAULTS.circuit.reset
        ? undefined
        : circuit,
    redirects: redirects === NODE_DEFAULTS.redirects ? undefined : redirects,
  };
}

function credentialTree(credential: NodeCredential): JsonTree {
  switch (credential.kind) {
    case 'basic':
      return { basic: { user: credential.user.source, password: credential.password.source } };
    case 'bearer':
      return { bearer: credential.token.source };
    case 'api-key':
      return { 'api-key': { header: credential.header, value: credential.value.source } };
    case 'client-credentials':
      return {
        'client-credentials': {
          'token-url': credential.tokenUrl.source,
          'client-id': credential.clientId.source,
          'client-secret': credential.clientSecret.source,
          scope: credential.scope?.source,
          parameters: sources(credential.parameters),
          authentication: credential.authentication === 'basic' ? undefined : credential.authentication,
        },
      };
  }
}

function sources(texts: ReadonlyMap<string, ConfigText>): JsonTree {
  return membersOf([...texts].map(([name, { source }]) => [name, source]));
}
