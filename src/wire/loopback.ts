/** Whether the host name of a URL means this machine: what goes there leaves it on no wire (RFC 6761 section 6.3, RFC 6890). */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
