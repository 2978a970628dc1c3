import { isIPv6 } from 'node:net';

/**
 * What an address is counted as. Of IPv6 its first 64 bits: whoever has one address there has all of them (RFC 4291,
 * section 2.5.4), and would be a new caller with each.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'local';
  const zone = address.indexOf('%');
  const plain = zone < 0 ? address : address.slice(0, zone);
  if (!isIPv6(plain)) return plain;
  // An IPv4 address in IPv6's form (RFC 4291, section 2.5.5.2).
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  return mapped ?? `${network(plain)}::/64`;
}

function network(address: string): string {
  const [before = '', after] = address.split('::');
  const head = groups(before);
  const missing = after === undefined ? 0 : 8 - head.length - width(after);
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...groups(after ?? '')];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** Groups that a text stands for: an IPv4 address at its end for two. */
const width = (text: string): number => groups(text).length + (text.includes('.') ? 1 : 0);
