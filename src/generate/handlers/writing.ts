import type { Vocabulary } from '../vocabulary.ts';

/** With the types that the text of `handlers.ts` uses, collected while it is written. */
export interface Writing extends Vocabulary {
  readonly fromPackage: Set<string>;
  readonly fromTypes: Set<string>;
  readonly fromClient: Set<string>;
}

/** What code is given beside its message: the project's own queries, calls, flows and components. @param own what its kind takes more */
export function contextType(
  kind: 'TypedContext' | 'TypedEvent' | 'TypedProcess',
  own: readonly string[],
  { components, fromPackage, fromTypes, fromClient }: Writing,
): string {
  const saves = components.length === 0 ? [] : ['Components'];
  fromPackage.add(kind);
  for (const name of ['Queries', ...saves]) fromTypes.add(name);
  for (const name of ['Calls', 'Flows']) fromClient.add(name);
  return `${kind}<${['Queries', 'Calls', 'Flows', ...own, ...saves].join(', ')}>`;
}
