import type { ConsumerOperation } from '../model/consumer.ts';
import { typeName } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { singleType } from '../model/field.ts';
import type { Message, Operation } from '../model/service.ts';
import { faultDocuments } from '../model/soap.ts';
import { documentOf } from './document/documents.ts';

/**
 * Documents of several families that have one name in XML get names that differ, for `xsi:type` and XML Schema alike. Those of
 * services that have nothing to do with each other keep their names, which partners know: a contract may be both served and called.
 */
export function settleTypeNames(operations: Iterable<Operation | ConsumerOperation>): void {
  for (const [, all] of Map.groupBy(operations, ({ service }) => service.id)) {
    const taken = new Set<string>();
    for (const document of reachable(all.flatMap(documentsOf))) {
      if (document.derivation === undefined && document.kinds === undefined) continue;
      const namespace = document.namespace ?? all[0]?.service.namespace ?? '';
      const wanted = typeName(document);
      let name = wanted;
      for (let n = 2; taken.has(`{${namespace}}${name}`); n++) name = `${wanted}_${n}`;
      taken.add(`{${namespace}}${name}`);
      if (name !== wanted) (document as { xmlType?: string }).xmlType = name;
    }
  }
}

/** The documents of the messages of an operation. */
function documentsOf(operation: Operation | ConsumerOperation): Document[] {
  const { soap, responses = [] }: Pick<Partial<Operation>, 'soap' | 'responses'> = operation;
  const rest: (Message | undefined)[] = 'request' in operation ? [operation.request] : [];
  const messages = [...rest, ...responses.map(({ message }) => message), soap?.request, soap?.response];
  const input = 'input' in operation ? [operation.input] : [];
  return [...input, ...messages.map(documentOf), ...faultDocuments(operation)].filter((each) => each !== undefined);
}

/** Documents, and all that values of them may hold, each once. */
function reachable(roots: readonly Document[]): ReadonlySet<Document> {
  const found = new Set(roots);
  // Those that are found on the way are visited, too.
  for (const { fields, derivation, kinds } of found) {
    for (const { type } of fields) {
      const single = singleType(type);
      if (single.kind === 'document') found.add(single.document);
    }
    for (const each of [derivation?.base, ...(kinds?.derived ?? [])]) if (each !== undefined) found.add(each);
  }
  return found;
}
