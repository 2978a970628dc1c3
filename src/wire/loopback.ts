/**
 * Whether the host name of a URL means this machine: what goes there leaves it on no wire (RFC 6890). Names below `localhost`
 * count as others: not every resolver keeps them here, as RFC 6761 section 6.3 asks.
 */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
