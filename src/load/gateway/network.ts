import { isIP } from 'node:net';
import type { Gateway } from '../../model/gateway.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { Tls } from '../../model/tls.ts';
import { given } from '../given.ts';
import { declarationsOf, type Linking, mayHaveMeant } from '../linking.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';
import type { SchemeDeclared } from '../schema/scheme.ts';
import { linkFile } from '../value/file.ts';
import { linkSecret } from '../value/secrets.ts';

/** What stands between callers and the gateway: TLS of its own, and proxies that it believes. */
export function linkNetwork(linking: Linking, value: GatewayDeclared): Pick<Gateway, 'tls' | 'proxies' | 'audit'> {
  return {
    proxies: linkProxies(linking, value.proxies ?? []),
    ...given({
      tls: value.tls && linkTls(linking, value.tls),
      audit: value.audit === undefined ? undefined : linkFile(linking, value, 'audit'),
    }),
  };
}

function linkTls(linking: Linking, tls: NonNullable<GatewayDeclared['tls']>): Tls {
  return {
    certificate: linkFile(linking, tls, 'certificate'),
    key: linkFile(linking, tls, 'key'),
    minimum: tls.minimum ?? 'TLSv1.2',
    ...given({
      passphrase: tls.passphrase === undefined ? undefined : linkSecret(linking, tls, 'passphrase', 'A passphrase'),
      clientCa: tls['client-ca'] === undefined ? undefined : linkFile(linking, tls, 'client-ca'),
    }),
  };
}

function linkProxies({ report, places }: Linking, proxies: readonly string[]): readonly string[] {
  for (const [index, proxy] of proxies.entries()) {
    const reason = proxyFault(proxy);
    if (reason !== undefined) report.raise('bad-address', { name: 'proxies', reason }, places.value(proxies, index));
  }
  return proxies;
}

/** Why something is no network of proxies; undefined where it is one. */
function proxyFault(text: string): string | undefined {
  const [, address = '', , prefix] = /^([^/]+)(\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  // A zone is of one machine alone.
  const bits = version === 0 || address.includes('%') ? 0 : version === 4 ? 32 : 128;
  if (bits === 0 || Number(prefix ?? bits) > bits)
    return `${text} is neither an IP address nor a network, as in 192.0.2.7 and 10.0.0.0/8`;
  return Number(prefix ?? bits) === 0
    ? `${text} is every address, and what anybody says about a caller would be believed`
    : undefined;
}

/** Warns of certificates that no caller could show here. */
export function checkCertificateSchemes(
  linking: Linking,
  gateway: Gateway | undefined,
  schemes: Iterable<SecurityScheme>,
): void {
  const [declared] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  if (gateway === undefined || declared === undefined || mayHaveMeant(linking, declared.value, ['tls', 'proxies']))
    return;
  const places = new Map(declarationsOf<SchemeDeclared>(linking, 'scheme').map(({ id, at }) => [id, at]));
  for (const scheme of schemes) {
    const at = places.get(scheme.id);
    if (scheme.kind !== 'client-certificate' || at === undefined) continue;
    const { id, header } = scheme;
    if (header === undefined ? gateway.tls?.clientCa !== undefined : gateway.proxies.length > 0) continue;
    linking.report.raise('certificate-out-of-reach', { scheme: id, ...given({ header }) }, at);
  }
}
