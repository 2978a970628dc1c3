import type { FixedHeader } from '../../model/consumer.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { readIntent } from '../../wire/soap/intent.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { saidHeaders } from '../operation/headers.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { parseConfigText } from '../value/config-text.ts';
import { isCredentialHeader } from '../value/secrets.ts';
import { charsetFault, headerTextFault, ownHeaderFault } from './headers.ts';

/** Headers of the protocol that a call may set all the same. */
const OPEN = new Set(['accept', 'content-type']);

/** The headers that every call of a consumer carries: those of the service, unless the operation says otherwise, and its own. */
export function linkFixedHeaders(linking: Linking, spot: OperationSpot): FixedHeader[] {
  const said = saidHeaders(spot);
  const headers = linkTexts(linking, spot, said);
  const declared = (name: string): string | undefined =>
    headers.find((each) => each.name.toLowerCase() === name.toLowerCase())?.value;
  const intent = readIntent(declared('Content-Type'), declared('SOAPAction'));
  if (!('reason' in intent)) return headers;
  const wrong = said.find(({ header }) => header.toLowerCase() === intent.header.toLowerCase());
  if (wrong !== undefined) refuse(linking, wrong, intent.reason);
  return headers.filter(({ name }) => name.toLowerCase() !== intent.header.toLowerCase());
}

type SaidHeader = ReturnType<typeof saidHeaders>[number];

function refuse({ report, places }: Linking, { header, container }: SaidHeader, reason: string): void {
  const example = header.toLowerCase() === 'content-type' ? 'text/xml' : undefined;
  report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
}

function linkTexts(linking: Linking, spot: OperationSpot, said: readonly SaidHeader[]): FixedHeader[] {
  const { report, places } = linking;
  return said.flatMap(({ header, container }): FixedHeader[] => {
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
    refuse(linking, { header, container }, reason);
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

/** What else there may be to say of it is for {@link readIntent}. */
function contentTypeFault(value: string): string | undefined {
  const type = parseMediaType(value);
  return type && charsetFault(type);
}
