import type { Environment } from '../../../load/value/config.ts';
import type { ResolveReference } from '../../../model/definition.ts';
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

/**
 * The proxy that an origin is called by way of, where there is one. As curl reads it: `http_proxy` and `https_proxy` by the
 * scheme of the target, and `no_proxy`, all of them in capitals too.
 * @throws InvokeError CONFIGURATION, where what is named is none
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
    // What it says may hold a password.
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

/** Whether `no_proxy` names a host: itself, a domain that it is in, or all (`*`), with a port or for every one. */
function sparedBy(list: string): (hostname: string, port: string | undefined) => boolean {
  const entries = list
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map(entryOf);
  return (hostname, port) => {
    const host = plain(hostname);
    return entries.some(
      (entry) =>
        (entry.port === undefined || entry.port === port) &&
        (entry.host === '*' || host === entry.host || host.endsWith(`.${entry.host}`)),
    );
  };
}

function entryOf(text: string): { readonly host: string; readonly port: string | undefined } {
  // More than one colon outside of brackets is an IPv6 address.
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { host: plain(host.replace(/^\*?\.(?=.)/, '')), port };
}

/** In small letters, without the brackets of an IPv6 address and the dot of a full name. */
const plain = (host: string): string =>
  host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase();
