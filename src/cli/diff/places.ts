import type { DraftDocument, DraftMessage, DraftOperation, DraftType } from '../../import/draft.ts';
import type { Position } from '../../model/definition.ts';
import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import type { Message, Operation, Service } from '../../model/service.ts';
import type { Contract } from './contract.ts';

// A comparison names things by paths: the operation, the message, and fields. These find the place of the innermost one that
// a source has.

/** The place of a thing in our definitions. */
export function placeOfOurs([name, message, ...fields]: readonly string[], service: Service): Position {
  const all = [...service.operations, ...service.consumers];
  // A contract has an operation of its own for each further URI.
  const operation = all.find((each) => each.name === name) ?? all.find((each) => name?.startsWith(`${each.name}_`));
  if (operation === undefined) return service.at;
  if (!('responses' in operation && 'request' in operation)) return operation.at;
  return placeIn(documentOf(messageOf(operation, message)), fields) ?? operation.at;
}

function messageOf({ request, responses, soap, fault }: Operation, message: string | undefined): Message | undefined {
  if (message === 'request') return soap?.request.kind === 'document' ? soap.request : request;
  if (message === 'fault') return fault && { kind: 'document', document: fault };
  return message === 'reply' ? responses[0]?.message : undefined;
}

const documentOf = (message: Message | undefined): Document | undefined =>
  message?.kind === 'document' ? message.document : undefined;

function placeIn(document: Document | undefined, fields: readonly string[]): Position | undefined {
  let [place, within] = [document?.at, document];
  for (const name of fields) {
    const field: Field | undefined = within?.fields.find((each) =>
      [each.name, each.jsonName, each.xmlName].includes(name),
    );
    if (field === undefined) continue;
    place = field.at;
    const type = singleType(field.type);
    within = type.kind === 'document' ? type.document : undefined;
  }
  return place;
}

/** The place of a thing in a contract. @param service the name that its service gets */
export function placeOfDraft(
  [name, message, ...fields]: readonly string[],
  { drafts, registry, location }: Contract,
  service: string,
): Position {
  const index = [...registry.services.values()].filter(({ delivered }) => !delivered).map((each) => each.name);
  const draft = drafts.length === 1 ? drafts[0] : drafts[index.indexOf(service)];
  const operation = draft?.operations.find((each) => each.name.replace(/\W+/g, '_') === name);
  const place =
    (operation === undefined ? undefined : draftPlace(draftOf(operation, message), fields)) ??
    operation?.place ??
    draft?.place;
  return place === undefined
    ? { file: location, line: 0, column: 0 }
    : { file: place.source, line: place.line, column: place.column };
}

function draftOf({ request, responses }: DraftOperation, message: string | undefined): DraftDocument | undefined {
  if (message === 'request') return draftDocument(request);
  return message === 'reply' ? responses.map((each) => draftDocument(each.message)).find(Boolean) : undefined;
}

function draftDocument(message: DraftMessage): DraftDocument | undefined {
  if (message.kind === 'document') return message.document;
  return message.kind === 'type' ? documentIn(message.type) : undefined;
}

function documentIn(type: DraftType): DraftDocument | undefined {
  if (type.kind === 'scalar') return undefined;
  if (type.kind === 'document') return type.document;
  return documentIn(type.item);
}

function draftPlace(
  document: DraftDocument | undefined,
  fields: readonly string[],
): DraftDocument['place'] | undefined {
  let [place, within] = [document?.place, document];
  for (const name of fields) {
    const field: DraftDocument['fields'][number] | undefined = within?.fields.find((each) => each.name === name);
    if (field === undefined) continue;
    place = field.place;
    within = documentIn(field.type);
  }
  return place;
}
