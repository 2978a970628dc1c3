import {
  alternatives,
  type OperationIdentity,
  type OperationsByName,
  qualifiedName,
  shortestName,
} from '../../model/operation-names.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';

/** The operations that definitions may name. */
export interface OperationNames {
  /** Every operation that is declared, whatever becomes of it. */
  readonly byName: OperationsByName<OperationIdentity>;
  /** Names of operations that were declared and can't be used. */
  readonly lost: ReadonlySet<string>;
}

/**
 * The operation that a reference names, by its name or its qualified name. One that does not exist is reported, and one
 * that may be several; neither where the definition that was meant can't be used.
 * @param isMeant operations that are proposed where there is none of that name
 */
export function resolveOperation(
  linking: Linking,
  names: OperationNames,
  reference: string,
  at: Place,
  isMeant: (operation: OperationIdentity) => boolean = () => true,
): OperationIdentity | undefined {
  const { byName } = names;
  const [found, another] = byName.get(reference) ?? [];
  if (isLostOperation(names, reference)) return undefined;
  if (found === undefined) {
    if (!linking.declared.anySetAside('service')) {
      const known = proposals(byName, reference, isMeant);
      linking.report.raise('unknown-reference', { what: 'operation', id: reference, known }, at);
    }
    return undefined;
  }
  if (another === undefined) return found;
  raiseAmbiguous(linking, names, reference, at);
  return undefined;
}

/** Operations of that name, whatever stands beside it, else all; spelled with their versions where the reference has one. */
function proposals(
  byName: OperationNames['byName'],
  reference: string,
  isMeant: (operation: OperationIdentity) => boolean,
): string[] {
  const parts = reference.split('.');
  const all = [...new Set([...byName.values()].flat())].filter(isMeant);
  const named = all.filter(({ name }) => parts.includes(name));
  return (named.length > 0 ? named : all).map((each) =>
    parts.length > 2 ? qualifiedName(each) : shortestName(byName, each),
  );
}

/** Reports a name that operations of several services have. */
export function raiseAmbiguous({ report }: Linking, { byName }: OperationNames, reference: string, at: Place): void {
  const meant = byName.get(reference) ?? [];
  const [first] = meant.map(qualifiedName);
  report.raise('ambiguous-operation', { name: reference, meant: alternatives(meant), first: first ?? reference }, at);
}

/** Whether an operation of that name was declared and can't be used. */
export function isLostOperation({ lost }: OperationNames, reference: string): boolean {
  return lost.has(reference.slice(reference.lastIndexOf('.') + 1));
}
