import type { Operation, Service } from '../model/service.ts';
import { isRest, isSoap } from './documents.ts';

/** A kind of contract. */
export type ContractForm = 'wadl' | 'openapi' | 'wsdl' | 'xsd';

/** What can be described of a service, or of its operations under one path name: what has nothing to tell is left out. */
export function contractForms({ operations }: Service, pathName?: string): readonly ContractForm[] {
  const active = operations.filter((each) => each.active && (pathName === undefined || each.pathName === pathName));
  const some = (test: (operation: Operation) => boolean, ...forms: ContractForm[]): ContractForm[] =>
    active.some(test) ? forms : [];
  return [...some(isRest, 'wadl', 'openapi'), ...some(isSoap, 'wsdl'), ...some(() => true, 'xsd')];
}
