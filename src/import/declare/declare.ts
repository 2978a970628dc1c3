import type { DraftContract } from '../draft.ts';
import type { Losses } from '../place.ts';
import type { Declared } from './declared.ts';
import { DeclaredDocuments } from './documents.ts';
import { DeclaredServices, type ServiceOptions } from './services.ts';

export interface DeclareOptions extends ServiceOptions {
  readonly taken: ServiceOptions['taken'] & { readonly document: readonly string[] };
}

/** Writes a contract as definitions: with ids that are distinct in the project, and documents in place where they are used once. */
export function declare(contract: DraftContract, options: DeclareOptions, losses: Losses): readonly Declared[] {
  const namespaces = new Set(contract.services.map(({ namespace }) => namespace));
  const namespace = namespaces.size === 1 ? [...namespaces][0] : undefined;
  const documents = new DeclaredDocuments(contract, namespace, options.taken.document, losses);
  return [...new DeclaredServices(documents, options, losses).all(contract.services), ...documents.all()];
}
