import type { FixedHeader } from '../../model/consumer.ts';
import type { Node } from '../../model/node.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { OWN_HEADERS, saidHeaders } from '../operation/uri.ts';
import { parseConfigText } from '../read/config-text.ts';
import { isCredentialHeader } from '../secrets.ts';

/** Headers of the protocol that a call may set all the same. */
const OPEN = new Set(['accept', 'content-type']);

/** What SOAP 1.1 and SOAP 1.2 are sent as. */
const SOAP_TYPES = new Set(['text/xml', 'application/soap+xml']);

/** The headers that every call of a consumer carries: those of the service, unless the operation says otherwise, and its own. */
export function linkFixedHeaders({ report, places }: Linking, spot: OperationSpot): FixedHeader[] {
  return saidHeaders(spot).flatMap(({ header, container }): FixedHeader[] => {
    const value = container[header] ?? '';
    const reference = parseConfigText(value).text.parts.find((part) => part.kind !== 'literal');
    if (reference !== undefined) {
      const key = `${container === spot.declared.headers ? `operations.${spot.id}.` : ''}headers.${header}`;
      const text = `\${${reference.kind}:${reference.name}}`;
      report.raise('misplaced-reference', { text, key }, places.value(container, header));
      return [];
    }
    if (isCredentialHeader(header.toLowerCase())) {
      const instead = 'What a call shows stands at the node, as `credential:`.';
      report.raise('secret-in-clear', { what: `The header ${header}`, instead }, places.value(container, header));
      return [];
    }
    const reason = headerFault(header.toLowerCase(), value);
    if (reason === undefined) return [{ name: header, value }];
    const example = header.toLowerCase() === 'content-type' ? 'text/xml' : undefined;
    report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
    return [];
  });
}

function headerFault(name: string, value: string): string | undefined {
  if (OWN_HEADERS.has(name) && !OPEN.has(name)) return 'belongs to the protocol, so that the gateway writes it';
  const field = /(?<!\$)\{[^{}]*\}/.exec(value)?.[0];
  if (field !== undefined) return `is the same in every call, and ${field} is a value of one`;
  return headerTextFault(value) ?? (name === 'content-type' ? contentTypeFault(value) : undefined);
}

/** RFC 9110 section 5.5: visible characters, with blanks between them. */
export function headerTextFault(text: string): string | undefined {
  return /^[!-~]+(?:[\t ]+[!-~]+)*$/.test(text) ? undefined : 'is no text that a header can carry';
}

/**
 * Refuses a header that the node's credential writes, where the node is named beside it or above it; what the service says
 * for all is passed over.
 */
export function checkCredentialHeader(
  { report, places }: Linking,
  spot: OperationSpot,
  { id, credential }: Node,
): void {
  if (credential === undefined) return;
  const { override, declared } = spot;
  const own =
    override?.declared.target === undefined
      ? [declared.headers, override?.declared.headers]
      : [override.declared.headers];
  const shown = credential.kind === 'api-key' ? credential.header : 'Authorization';
  for (const { header, container } of saidHeaders(spot)) {
    if (header.toLowerCase() !== shown.toLowerCase() || !own.includes(container)) continue;
    const reason = `is written by the credential of node ${id}, so that this one is never sent: leave one of them out`;
    report.raise('consumer-header', { header, reason }, places.key(container, header));
  }
}

function contentTypeFault(value: string): string | undefined {
  const type = parseMediaType(value);
  if (type === undefined || !SOAP_TYPES.has(type.essence))
    return 'must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2)';
  const charset = type.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  return charset === 'utf-8' ? undefined : `says ${charset}, and calls are written in UTF-8`;
}
