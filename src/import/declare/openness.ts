import type { DraftContract, DraftDocument } from '../draft.ts';
import type { Losses } from '../place.ts';

/**
 * Opens the documents of a contract that is served where it says nothing of undeclared members: its callers may send them. A call
 * sends what it declares alone, and its replies are read whatever else they have.
 * @param documents all of the contract, with those that they consist of
 */
export function openUnsaid(contract: DraftContract, documents: Iterable<DraftDocument>, losses: Losses): void {
  const all = [...documents];
  const closed = closedByForm(all);
  for (const document of all) {
    if (document.openUnsaid !== true || document.choice === true) continue;
    const reason = closed.get(document);
    if (reason === undefined) document.options.open = true;
    else losses.add(`undeclared members of "${document.name}", ${reason}`, 'refused', document.place);
  }
  for (const { operations } of contract.services)
    for (const { name, rest, request, place } of operations)
      if (rest?.form === 'multipart' && request.kind === 'document' && request.document.options.open) {
        delete request.document.options.open;
        losses.add(`undeclared fields of the form of "${name}"`, 'refused', place);
      }
}

/** The documents that can't be open, with the reason: something else decides by their members which of several they are. */
function closedByForm(documents: readonly DraftDocument[]): ReadonlyMap<DraftDocument, string> {
  const found = new Map<DraftDocument, string>();
  for (const document of documents) {
    const base = document.extends;
    if (base !== undefined) {
      found.set(document, `which extends "${base.name}"`);
      found.set(base, 'which others extend');
    }
    if (document.choice !== true) continue;
    for (const { type } of document.fields)
      if (type.kind === 'document') found.set(type.document, `which is a branch of "${document.name}"`);
  }
  return found;
}
