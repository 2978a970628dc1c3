import type { Node } from '../../model/node.ts';
import type { MediaType } from '../../wire/media-type.ts';
import type { Linking } from '../linking.ts';
import { saidHeaders } from '../operation/headers.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { OWN_HEADERS } from '../value/headers.ts';

/** Why a call can't set a header of this name, in small letters. `open`: those of the protocol that it may set all the same. */
export function ownHeaderFault(name: string, open: ReadonlySet<string>): string | undefined {
  return OWN_HEADERS.has(name) && !open.has(name)
    ? 'belongs to the protocol, so that the gateway writes it'
    : undefined;
}

/** Why calls can't be written in what a media type says. */
export function charsetFault({ parameters }: MediaType): string | undefined {
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  return charset === 'utf-8' ? undefined : `says ${charset}, and calls are written in UTF-8`;
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
