import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import { type Linking, refuseKey } from '../linking.ts';
import { type Callers, headerOf, requirementOf, usualSchemes, withoutMessages } from '../security/requires.ts';
import { saidHeaders } from './headers.ts';
import type { OperationSpot } from './spot.ts';

/** What else is known of the operation. */
interface Forms {
  readonly rest: boolean;
  readonly soap: boolean;
  readonly isPublic: boolean;
}

/** What callers of an operation show: its own word, or else its service's, or else the gateway's. */
export function linkRequires(
  linking: Linking,
  callers: Callers,
  spot: OperationSpot,
  forms: Forms,
): readonly SecurityScheme[] {
  const { report } = linking;
  const { id, declared, service } = spot;
  const own = requirementOf(linking, callers.schemes, declared);
  const said = own ?? requirementOf(linking, callers.schemes, service) ?? callers.usual;
  const schemes = said?.schemes ?? usualSchemes(callers);
  if (forms.isPublic) {
    const why = `${id} is public, and its callers are asked for nothing`;
    if (own?.complete === true) refuseKey(linking, declared, 'requires', id, why);
    return schemes;
  }
  const overRest = withoutMessages(schemes);
  const asked = forms.soap ? schemes : overRest;
  // What was refused may have asked for something else.
  if (own === undefined && spot.lacks('requires')) return asked;
  if (forms.rest) checkHeaders(linking, spot, schemes);
  if (own !== undefined && !forms.soap) {
    if (spot.lacks('soap')) return asked;
    for (const scheme of schemes.filter(isMessageScheme))
      report.raise('scheme-without-soap', { scheme: scheme.id, operation: id }, own.entryAt(scheme));
  } else if (forms.rest && said?.complete === true && overRest.length === 0) {
    const named = schemes.map((scheme) => scheme.id);
    report.raise('no-scheme-over-rest', { operation: id, schemes: named, soap: forms.soap }, said.at);
  }
  return asked;
}

/** A header that holds credentials fills no field: what is in it would be shown to code, and logged. */
function checkHeaders({ report, places }: Linking, spot: OperationSpot, schemes: readonly SecurityScheme[]): void {
  for (const scheme of schemes) {
    const name = headerOf(scheme)?.toLowerCase();
    for (const { header, container } of saidHeaders(spot)) {
      if (header.toLowerCase() !== name) continue;
      const reason = `holds what ${scheme.id} asks for, and can't be tied to a field`;
      report.raise('bad-header', { header, reason }, places.key(container, header));
    }
  }
}
