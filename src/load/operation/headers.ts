import type { HeaderBinding } from '../../model/service.ts';
import type { Linking } from '../linking.ts';
import { OWN_HEADERS } from '../value/headers.ts';
import { type InputFields, whyNoText } from './input.ts';
import type { OperationSpot } from './spot.ts';

/** Ties request headers to fields: those of the service, unless the operation says otherwise, and its own. */
export function linkHeaders(linking: Linking, spot: OperationSpot, input: InputFields): HeaderBinding[] {
  return saidHeaders(spot).flatMap(({ header, container }) => linkHeader(linking, container, header, input) ?? []);
}

/** A header as it is spelled, and the map that it stands in. */
interface SaidHeader {
  readonly header: string;
  readonly container: Readonly<Record<string, string>>;
}

/** The headers of the service, unless the operation or what overrides its routing says otherwise, and theirs; letter case apart. */
export function saidHeaders(spot: OperationSpot): SaidHeader[] {
  const said = new Map<string, SaidHeader>();
  for (const container of [spot.above('headers'), spot.declared.headers, spot.override?.declared.headers]) {
    for (const header of Object.keys(container ?? {})) {
      if (container !== undefined) said.set(header.toLowerCase(), { header, container });
    }
  }
  return [...said.values()];
}

function linkHeader(
  { report, places }: Linking,
  container: Readonly<Record<string, string>>,
  header: string,
  input: InputFields,
): HeaderBinding | undefined {
  const text = container[header] ?? '';
  const at = places.value(container, header);
  const name = /^\{([^{}]+)\}$/.exec(text)?.[1];
  const field = name === undefined ? undefined : input.byName.get(name);
  if (OWN_HEADERS.has(header.toLowerCase())) {
    const reason = "belongs to the protocol and can't be tied to a field";
    report.raise('bad-header', { header, reason }, places.key(container, header));
  } else if (name === undefined) {
    report.raise('bad-header', { header, reason: `is not tied to one field: ${JSON.stringify(text)}` }, at);
  } else if (field === undefined) {
    if (input.complete)
      report.raise('bad-header', { header, reason: `names ${name}, which is no field of the request` }, at);
  } else {
    const reason = whyNoText(field.type);
    if (reason === undefined) return { header, field };
    report.raise('variable-type', { variable: field.name, reason }, at);
  }
  return undefined;
}
