// The names that the WSDL of a service which is served has in common with the one that was imported.

import { type SoapVersion, usualFaultMessage, usualWsdlNames } from '../../model/wsdl.ts';
import type { DraftDocument, DraftOperation, DraftService, DraftWsdl } from '../draft.ts';
import type { Losses } from '../place.ts';
import { type DeclaredMap, given } from './declared.ts';

/** `name`: of the service here, without its version; `idOf`: the id of a document here. */
interface Naming {
  readonly name: string;
  readonly operations: readonly DraftOperation[];
  readonly idOf: (document: DraftDocument) => string;
}

/** The names that definitions have to declare: those which would be others. What a WSDL can't keep is recorded. */
export function wsdlKeys(
  { wsdl, namespace }: DraftService,
  { name, operations, idOf }: Naming,
  losses: Losses,
): DeclaredMap | undefined {
  const described = operations.filter(({ soap, uncallable }) => soap !== undefined && uncallable === undefined);
  if (wsdl === undefined || described.length === 0) return undefined;
  const usual = usualWsdlNames(name);
  const kept = (declared: string | undefined, otherwise: string): string | undefined =>
    declared === undefined || declared === otherwise || !NAME.test(declared) ? undefined : declared;
  const portsOf = ({ ports }: DraftWsdl): DeclaredMap =>
    Object.fromEntries(
      ports.map(({ version, port, binding }) => [
        version,
        given({ port: kept(port, usual.port(version)), binding: kept(binding, usual.binding(version)) }),
      ]),
    );
  const ports = portsOf(wsdl);
  const isUsual = Object.keys(ports).join() === 'soap11,soap12' && Object.values(ports).every(isEmpty);
  tellChanged(wsdl, described, losses);
  const keys = given({
    namespace: wsdl.namespace === namespace ? undefined : wsdl.namespace,
    service: kept(wsdl.service, usual.service),
    'port-type': kept(wsdl.portType, usual.portType),
    ...(isUsual ? {} : ports),
    faults: faultsOf(described, idOf, losses),
  });
  return isEmpty(keys) ? undefined : keys;
}

/** An NCName, as definitions have it. */
const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

function isEmpty(value: DeclaredMap[string]): boolean {
  return Object.keys(value).length === 0;
}

/** The names of messages of faults with the ids of their documents. */
function faultsOf(
  operations: readonly DraftOperation[],
  idOf: (document: DraftDocument) => string,
  losses: Losses,
): DeclaredMap | undefined {
  const messages = new Map<string, string>();
  for (const { soap, faults, place } of operations) {
    // Faults of a one-way operation are not described.
    if (soap?.oneWay) continue;
    for (const { document, message } of faults) {
      if (message === undefined || !NAME.test(message)) continue;
      const id = idOf(document);
      const known = messages.get(id);
      if (known === undefined && ![...messages.values()].includes(message)) messages.set(id, message);
      else if (known !== message)
        losses.note(`the name of the message of a fault, "${message}"`, `its WSDL has "${known ?? id}"`, place);
    }
  }
  const named = [...messages].filter(([id, message]) => message !== usualFaultMessage(id));
  return named.length === 0 ? undefined : Object.fromEntries(named.map(([id, message]) => [message, id]));
}

/** Records what is named otherwise, whatever is declared. */
function tellChanged(wsdl: DraftWsdl, operations: readonly DraftOperation[], losses: Losses): void {
  const { portType, serviceNamespace, namespace = '', service, ports } = wsdl;
  const place = ports[0]?.place;
  if (place === undefined) return;
  if (serviceNamespace !== undefined)
    losses.note(
      `the namespace of the service "${service}", ${serviceNamespace}`,
      `its WSDL has it in that of the port type, ${namespace}`,
      place,
    );
  const styles = new Set(operations.map(({ soap }) => soap?.style === 'rpc'));
  if (styles.size > 1)
    losses.note(
      `the port type "${portType}", with operations in rpc/literal and in document/literal`,
      `its WSDL has two, "${portType}" and "${portType}Rpc"`,
      place,
    );
  for (const name of [portType, service, ...ports.flatMap(({ port, binding }) => [port, binding])])
    if (name !== undefined && !NAME.test(name))
      losses.note(`the name "${name}", which is not a name of XML`, 'its WSDL has another', place);
}

/** The words for a version of SOAP. */
export const SOAP_WORDS: Readonly<Record<SoapVersion, string>> = { soap11: 'SOAP 1.1', soap12: 'SOAP 1.2' };
