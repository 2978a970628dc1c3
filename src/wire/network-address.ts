import { isIPv4, isIPv6 } from 'node:net';

// The address of a socket: an IPv4 address, or an IPv6 address in brackets without a zone (RFC 3986 section 3.2.2),
// optionally followed by a colon and a port (section 3.2.3).

interface SocketAddress {
  /** Without brackets. */
  readonly address: string;
  readonly family: 4 | 6;
  readonly port?: number;
}

/** Reads `192.0.2.1`, `[2001:db8::1]:8443`; `undefined` for another text. */
export function parseSocketAddress(text: string): SocketAddress | undefined {
  const [, four, six, digits] = /^(?:([0-9.]+)|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const given = port === undefined ? {} : { port };
  if (four !== undefined && isIPv4(four)) return { address: four, family: 4, ...given };
  return six !== undefined && isIPv6(six) ? { address: six, family: 6, ...given } : undefined;
}

/**
 * Whether the host name of a URL means this machine, so that requests never leave it (RFC 6890). Names below
 * `localhost` are not included: not every resolver keeps them local, as RFC 6761 section 6.3 requires.
 */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
