import type { FixedHeader } from '../../model/consumer.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { saidHeaders } from '../operation/headers.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { parseConfigText } from '../value/config-text.ts';
import { isCredentialHeader } from '../value/secrets.ts';
import { charsetFault, headerTextFault, ownHeaderFault } from './headers.ts';

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
  const own = ownHeaderFault(name, OPEN);
  if (own !== undefined) return own;
  const field = /(?<!\$)\{[^{}]*\}/.exec(value)?.[0];
  if (field !== undefined) return `is the same in every call, and ${field} is a value of one`;
  return headerTextFault(value) ?? (name === 'content-type' ? contentTypeFault(value) : undefined);
}

function contentTypeFault(value: string): string | undefined {
  const type = parseMediaType(value);
  if (type === undefined || !SOAP_TYPES.has(type.essence))
    return 'must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2)';
  return charsetFault(type);
}
