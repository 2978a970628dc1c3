import type { ResolveReference } from '../../../model/config.ts';
import type { Node } from '../../../model/node.ts';
import { resolveText } from '../../configuration.ts';
import { type Called, InvokeError } from '../../error.ts';

/** Where a connection goes, rather than to what the name stands for. */
export interface Endpoint {
  readonly host: string;
  /** That of the address in the URL where undefined. */
  readonly port: string | undefined;
}

/** `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1`, `inner.example:8443`. */
const ENDPOINT =
  /^(?:\[(?<six>[\da-f:.]+)\]|(?<bare>[\da-f]*:[\da-f]*:[\da-f:.]*)|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i;

/**
 * What a node says under `resolve:`, by host name; one that resolves to nothing is left to DNS.
 * @throws InvokeError CONFIGURATION
 */
export function endpointsOf(node: Node, resolve: ResolveReference, called: Called): ReadonlyMap<string, Endpoint> {
  const found = new Map<string, Endpoint>();
  for (const [name, text] of node.resolve) {
    const address = resolveText(text, resolve).trim();
    if (address === '') continue;
    const { six, bare, name: host, port } = ENDPOINT.exec(address)?.groups ?? {};
    const named = six ?? bare ?? host;
    if (named === undefined || Number(port ?? 1) > 65_535) {
      const reason = `node ${node.id} resolves ${name} to what is no address (${text.source})`;
      const hint = 'An address is written as 192.0.2.1, 192.0.2.1:8443 or [2001:db8::1]:8443.';
      throw new InvokeError('CONFIGURATION', called, reason, { hint });
    }
    found.set(name.toLowerCase(), { host: named, port });
  }
  return found;
}
