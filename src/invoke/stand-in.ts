import type { Environment } from '../load/value/config.ts';
import type { ConfigText } from '../model/definition.ts';
import type { Node, NodeCredential } from '../model/node.ts';

/** Below the address of a stand-in: its token endpoint for nodes with `client-credentials`. */
export const TOKEN_PATH = '.signalbox/token';

/** In place of configuration that is not set, and of every credential: secrets of a node are never sent to its stand-in. */
export const PLACEHOLDER = 'stand-in';

/** The same in the form of a secret of webhooks. */
export const PLACEHOLDER_KEY = `whsec_${Buffer.from(PLACEHOLDER.repeat(3)).toString('base64')}`;

/**
 * The environment variable with the address of a program that stands in for a node: `SIGNALBOX_NODE_ERP` for `ERP`. It
 * replaces the node's addresses and `PRIMARYURL`; characters other than letters and digits are `_` in its name.
 */
export function standInVariable(node: string): string {
  return `SIGNALBOX_NODE_${node.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** By node, as each call asks for it. */
const variables = new WeakMap<Pick<Node, 'id'>, string>();

/** The address that stands in for a node; `undefined` if none does. */
export function standInAddress(node: Pick<Node, 'id'>, env: Environment): string | undefined {
  const variable = variables.get(node) ?? standInVariable(node.id);
  variables.set(node, variable);
  return env[variable] || undefined;
}

/**
 * The node with the address of its stand-in: it is reached without TLS settings or addresses of its own, with placeholders as
 * credentials, and its tokens come from the stand-in too.
 */
export function standInFor(node: Node, address: string): Node {
  const { caFile: _ca, certificate: _certificate, credential, ...rest } = node;
  const replaced = credential === undefined ? {} : { credential: placeholders(credential, address) };
  return { ...rest, ...replaced, base: [literal(address)], resolve: new Map() };
}

function placeholders(credential: NodeCredential, address: string): NodeCredential {
  const text = literal(PLACEHOLDER);
  switch (credential.kind) {
    case 'basic':
      return { ...credential, user: text, password: text };
    case 'bearer':
      return { ...credential, token: text };
    case 'api-key':
      return { ...credential, value: text };
    case 'webhook':
      return { ...credential, secrets: [literal(PLACEHOLDER_KEY)] };
    case 'hmac':
      return { ...credential, encoding: 'text', secrets: [text] };
    case 'ws-security': {
      // Keys are not used for a stand-in, which has no certificates to trust.
      const { usernameToken, signature: _signature, replySignature: _reply, ...others } = credential;
      const password = usernameToken?.password === undefined ? {} : { password: text };
      return { ...others, ...(usernameToken && { usernameToken: { ...usernameToken, user: text, ...password } }) };
    }
    case 'client-credentials': {
      const parameters = new Map([...credential.parameters.keys()].map((name) => [name, text]));
      const scope = credential.scope === undefined ? {} : { scope: text };
      const tokenUrl = literal(`${address.replace(/\/+$/, '')}/${TOKEN_PATH}`);
      return { ...credential, ...scope, tokenUrl, clientId: text, clientSecret: text, parameters };
    }
  }
}

function literal(text: string): ConfigText {
  return { source: text, parts: [{ kind: 'literal', text }] };
}
