import type { Console, ConsoleSignIn, OpenIdSignIn } from '../model/gateway.ts';
import type { SecurityScheme } from '../model/security.ts';
import type { Place } from './diagnostic/diagnostic.ts';
import { type Linking, resolveIds } from './linking.ts';
import { eachOnce, given } from './object.ts';
import { consoleMap, type OpenIdDeclared } from './schema/console.ts';
import type { GatewayDeclared } from './schema/gateway.ts';
import { defaultsOf } from './schema/json-schema.ts';
import { linkSecret, secureEndpointFault, writtenFault } from './value/address.ts';
import { parseConfigText } from './value/config-text.ts';
import { linkDuration, milliseconds } from './value/units.ts';

const LASTING = { least: 60_000, amount: 30 * 86_400_000, words: 'from 1 m to 30 d' };
/** The last use of a session is known to a minute. */
const IDLE = { ...LASTING, least: 300_000, words: 'from 5 m to 30 d' };

const DEFAULTS = defaultsOf(consoleMap);

/** The console of a gateway; `undefined` when it is off. Its address is checked with those of the gateway. */
export function linkConsole(
  linking: Linking,
  value: GatewayDeclared,
  schemes: ReadonlyMap<string, SecurityScheme>,
): Console | undefined {
  if (value.console === 'off') return undefined;
  const declared = typeof value.console === 'object' ? value.console : {};
  return {
    idle: linkDuration(linking, declared, 'console.idle', IDLE) ?? milliseconds(DEFAULTS.idle),
    session: linkDuration(linking, declared, 'console.session', LASTING) ?? milliseconds(DEFAULTS.session),
    signIn: declared['sign-in'] ? linkSignIns(linking, declared['sign-in'], schemes) : [{ kind: 'password' }],
    ...given({ listen: declared.listen === undefined ? undefined : parseConfigText(declared.listen).text }),
  };
}

function linkSignIns(
  linking: Linking,
  said: readonly ('password' | OpenIdDeclared)[],
  schemes: ReadonlyMap<string, SecurityScheme>,
): ConsoleSignIn[] {
  const { places, report } = linking;
  const offered = said.map((each, index) => ({ each, at: places.value(said, index) }));
  const nameOf = ({ each }: (typeof offered)[number]): string => (each === 'password' ? each : `scheme ${each.scheme}`);
  eachOnce(offered, nameOf, (again) =>
    report.raise('bad-sign-in', { reason: `the ${nameOf(again)} is offered twice` }, again.at),
  );
  return offered.flatMap(({ each, at }): ConsoleSignIn[] => {
    if (each === 'password') return [{ kind: 'password' }];
    return linkOpenId(linking, each, schemes, at) ?? [];
  });
}

/** `undefined` for a scheme that can't be used, which has been reported. */
function linkOpenId(
  linking: Linking,
  declared: OpenIdDeclared,
  schemes: ReadonlyMap<string, SecurityScheme>,
  at: Place,
): OpenIdSignIn[] | undefined {
  const { report, places } = linking;
  const [scheme] = resolveIds(linking, 'scheme', schemes, declared, 'scheme');
  const secret = linkSecret(linking, declared, 'secret', 'A client secret');
  if (scheme === undefined) return undefined;
  if (scheme.kind !== 'bearer') {
    const reason = `the scheme ${scheme.id} is ${scheme.kind}, which names no OpenID provider`;
    report.raise('bad-sign-in', { reason }, places.value(declared, 'scheme'));
    return undefined;
  }
  const fault = writtenFault(scheme.issuer, (text) =>
    secureEndpointFault(text, 'an attacker in between could sign in as anyone'),
  );
  if (fault !== undefined) report.raise('bad-sign-in', { reason: `the issuer of scheme ${scheme.id} ${fault}` }, at);
  return [
    {
      kind: 'openid',
      scheme,
      client: parseConfigText(declared.client).text,
      label: declared.label ?? scheme.id,
      scopes: [...new Set(['openid', ...(declared.scopes ?? [])])],
      ...given({ secret }),
    },
  ];
}
