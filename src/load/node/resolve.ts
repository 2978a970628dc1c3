import type { ConfigText } from '../../model/config.ts';
import { parseSocketAddress } from '../../wire/socket-address.ts';
import type { Linking } from '../linking.ts';
import type { TextsDeclared } from '../schema/json-schema.ts';
import { literalOf, parseConfigText } from '../value/config-text.ts';

/** Where connections to hosts go, by the host's name in small letters; an address is checked where it is written out. */
export function linkResolve({ report, places }: Linking, declared: TextsDeclared): ReadonlyMap<string, ConfigText> {
  const resolve = new Map<string, ConfigText>();
  const spelled = new Map<string, string>();
  for (const [host, source] of Object.entries(declared)) {
    const name = host.toLowerCase();
    const other = spelled.get(name);
    if (other !== undefined) {
      report.raise('host-twice', { host, other }, places.key(declared, host));
      continue;
    }
    const { text, bad } = parseConfigText(source);
    const address = bad.length > 0 ? undefined : literalOf(text);
    if (address !== undefined && address !== '' && parseSocketAddress(address) === undefined) {
      const reason = `go to an IP address, with a port or without, and not to ${address}`;
      report.raise('bad-resolve', { host, reason }, places.value(declared, host));
    }
    spelled.set(name, host);
    resolve.set(name, text);
  }
  return resolve;
}
