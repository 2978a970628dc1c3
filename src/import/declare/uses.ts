import type { DraftContract, DraftDocument, DraftMessage, DraftType } from '../draft.ts';
import { plainName, xmlNameOf } from './names.ts';

/** How a contract uses a document. */
export interface Use {
  /** The fields and messages that it is the type of. */
  count: number;
  /** It is referred to by its id alone: as the base of another, as a fault, in `list of` or `map of` at a message. */
  byId: boolean;
  /** Nesting in documents that are declared in place, if it is declared in place itself. */
  depth: number;
}

/** Documents that are declared in place are at most so deep: deeper ones are hard to read. */
const DEEPEST = 3;

/** The uses of all documents of a contract, in the order in which they are met: from the operations on. */
export function usesOf({ services, documents }: DraftContract): ReadonlyMap<DraftDocument, Use> {
  const uses = new Map<DraftDocument, Use>();
  const open: DraftDocument[] = [];
  const add = (document: DraftDocument, byId: boolean, depth: number, counts = 1): void => {
    let use = uses.get(document);
    if (use === undefined) {
      use = { count: 0, byId: false, depth };
      uses.set(document, use);
      open.push(document);
    }
    use.count += counts;
    use.byId ||= byId;
  };
  const addMessage = (message: DraftMessage): void => {
    if (message.kind === 'document') add(message.document, false, 0);
    else if (message.kind === 'type') addType(message.type, (document) => add(document, true, 0));
  };
  for (const { operations } of services) {
    for (const { request, responses, faults, rest } of operations) {
      addMessage(request);
      if (rest?.template !== undefined) add(rest.template, false, 0);
      for (const { message } of responses) addMessage(message);
      for (const { document } of faults) add(document, true, 0);
    }
  }
  const walk = (): void => {
    // Those that are found on the way are appended.
    for (let document = open.shift(); document !== undefined; document = open.shift()) {
      const depth = document.named ? 1 : (uses.get(document)?.depth ?? 0) + 1;
      for (const base of [document.extends, document.restricts]) if (base !== undefined) add(base, true, 0);
      for (const { type } of document.fields) {
        addType(type, (inner) => add(inner, type.kind === 'map', depth));
      }
    }
  };
  walk();
  for (const document of documents) add(document, false, 0, 0);
  walk();
  return uses;
}

/** Calls `add` with the document of a type. */
function addType(type: DraftType, add: (document: DraftDocument) => void): void {
  const single = type.kind === 'list' || type.kind === 'map' ? type.item : type;
  if (single.kind === 'document') add(single.document);
}

/** Whether a document is declared where it is used: once, without a name of its own, and without anything that needs one. */
export function isInPlace(document: DraftDocument, { count, byId, depth }: Use): boolean {
  const { named, options, extends: base, restricts } = document;
  if (named || byId || count !== 1 || depth > DEEPEST) return false;
  return base === undefined && restricts === undefined && options.abstract === undefined;
}

/** The ids that documents in place get from their position, `LOCATIONS_GET_REQUEST`. @param declared those that are not in place */
export function derivedIds({ services }: DraftContract, declared: ReadonlySet<DraftDocument>): ReadonlySet<string> {
  const ids = new Set<string>();
  const visit = (document: DraftDocument, id: string): void => {
    if (declared.has(document)) return;
    ids.add(id);
    for (const field of document.fields) addType(field.type, (inner) => visit(inner, `${id}_${xmlNameOf(field.name)}`));
  };
  for (const { operations } of services)
    for (const { name, request, responses, rest } of operations) {
      const operation = plainName(name, 'Operation');
      const messages = { REQUEST: [request], RESPONSE: responses.map(({ message }) => message) };
      for (const [suffix, all] of Object.entries(messages))
        for (const message of all) if (message.kind === 'document') visit(message.document, `${operation}_${suffix}`);
      if (rest?.template !== undefined) visit(rest.template, `${operation}_TEMPLATE`);
    }
  for (const document of declared)
    for (const field of document.fields)
      addType(field.type, (inner) => visit(inner, `${xmlNameOf(document.name)}_${xmlNameOf(field.name)}`));
  return ids;
}
