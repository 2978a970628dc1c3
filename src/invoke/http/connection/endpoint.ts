import type { Environment } from '../../../load/value/config.ts';
import type { ResolveReference } from '../../../model/definition.ts';
import type { Node } from '../../../model/node.ts';
import { resolveText } from '../../configuration.ts';
import { type Called, InvokeError } from '../../error.ts';

/** The address that connections to a host name are made to, in place of the one that DNS gives. */
export interface Endpoint {
  readonly host: string;
  /** `undefined` for the port of the URL. */
  readonly port: string | undefined;
}

/** `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1`, `inner.example:8443`. */
const ENDPOINT =
  /^(?:\[(?<six>[\da-f:.]+)\]|(?<bare>[\da-f]*:[\da-f]*:[\da-f:.]*)|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i;

/**
 * The `resolve:` of a node, by host name. An entry that resolves to an empty text is left to DNS.
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
      const reason = `node ${node.id} resolves ${name} to something that is not an address (${text.source})`;
      const hint = 'Write an address as 192.0.2.1, 192.0.2.1:8443 or [2001:db8::1]:8443.';
      throw new InvokeError('CONFIGURATION', called, reason, { hint });
    }
    found.set(name.toLowerCase(), { host: named, port });
  }
  return found;
}

/**
 * The proxy that an origin is called through, if any. As curl reads them: `http_proxy` and `https_proxy` by the scheme of
 * the target, and `no_proxy`, each in capitals too.
 * @throws InvokeError CONFIGURATION for an invalid address of a proxy
 */
export type ProxyOf = (origin: string, called: Called) => string | undefined;

export function proxiesOf(env: Environment): ProxyOf {
  const spared = sparedBy(named(env, 'no_proxy')?.value ?? '');
  return (origin, called) => {
    const { protocol, hostname, port } = new URL(origin);
    const proxy = named(env, protocol === 'https:' ? 'https_proxy' : 'http_proxy');
    if (proxy === undefined || spared(hostname, port === '' ? PORTS[protocol] : port)) return undefined;
    const address = /^[a-z][a-z\d+.-]*:\/\//i.test(proxy.value) ? proxy.value : `http://${proxy.value}`;
    if (URL.canParse(address) && /^https?:\/\//i.test(address)) {
      const url = new URL(address);
      url.pathname = '';
      url.search = '';
      return url.href;
    }
    // The value is not quoted: it may hold a password.
    const hint = `Write it as ${proxy.name}=http://host:port.`;
    throw new InvokeError('CONFIGURATION', called, `${proxy.name} is not the address of an HTTP proxy`, { hint });
  };
}

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

function named(env: Environment, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const each of [name, name.toUpperCase()]) {
    const value = env[each];
    if (value !== undefined && value !== '') return { name: each, value };
  }
  return undefined;
}

/** Whether `no_proxy` names a host: itself, a domain that it is in, or all (`*`), for one port or all. */
function sparedBy(list: string): (hostname: string, port: string | undefined) => boolean {
  const entries = list
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map(entryOf);
  return (hostname, port) => {
    const host = normalHost(hostname);
    return entries.some(
      (entry) =>
        (entry.port === undefined || entry.port === port) &&
        (entry.host === '*' || host === entry.host || host.endsWith(`.${entry.host}`)),
    );
  };
}

function entryOf(text: string): { readonly host: string; readonly port: string | undefined } {
  // A text with more than one colon outside of brackets is an IPv6 address.
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { host: normalHost(host.replace(/^\*?\.(?=.)/, '')), port };
}

/** In lower case, without the brackets of an IPv6 address and the final dot of a name. */
const normalHost = (host: string): string =>
  host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase();
