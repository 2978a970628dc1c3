import type { Gateway } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import {
  type Method,
  type Operation,
  type OperationUri,
  type Service,
  type SoapForm,
  serviceNamespace,
} from '../model/service.ts';
import { type DocumentSet, documentsOf } from './documents.ts';
import { uriNames } from './names.ts';

/** An operation that is called over REST. */
export type RestOperation = Operation & { readonly method: Method };

/** An operation that is called over SOAP. */
export type SoapOperation = Operation & { readonly soap: SoapForm };

/** A kind of contract. */
export type ContractForm = 'wadl' | 'openapi' | 'wsdl' | 'xsd';

/** What the names of contracts' files end in. */
export const CONTRACT_EXTENSIONS: Readonly<Record<ContractForm, string>> = {
  wadl: '.wadl',
  openapi: '.openapi.json',
  wsdl: '.wsdl',
  xsd: '.xsd',
};

/** What a contract is of: a service, or those of its operations that answer under one path name. */
export interface Subject {
  readonly service: Service;
  readonly pathName?: string | undefined;
}

/** What every form of contract is written from. */
export interface Scope {
  readonly gateway: Gateway;
  readonly service: Service;
  readonly rest: readonly RestOperation[];
  /** The same operation may be among both. None in a contract of REST alone. */
  readonly soap: readonly SoapOperation[];
  /** See {@link segmentOf}. */
  readonly name: string;
  /** XML namespace of the service: `<gateway.namespace>:<Service>.<version>`. */
  readonly namespace: string;
  readonly documents: DocumentSet;
  /** The identifier of an operation at one of its URIs: `LOCATIONS_GET`, `LOCATIONS_GET_2`. */
  readonly nameOf: (uri: OperationUri) => string;
}

/** The operations of a subject. Active ones only: an inactive operation answers 404. */
export function activeOperations({ service, pathName }: Subject): readonly Operation[] {
  return service.operations.filter((each) => each.active && (pathName === undefined || each.pathName === pathName));
}

/** The contracts that a subject has: what would have nothing to tell is left out. */
export function contractForms(service: Service, pathName?: string): readonly ContractForm[] {
  const operations = activeOperations({ service, pathName });
  const some = (test: (operation: Operation) => boolean, ...forms: ContractForm[]): ContractForm[] =>
    operations.some(test) ? forms : [];
  return [...some(isRest, 'wadl', 'openapi'), ...some(isSoap, 'wsdl'), ...some(() => true, 'xsd')];
}

/** @throws RangeError where the path name is none of the service */
export function scopeOf({ gateway }: Registry, subject: Subject): Scope {
  const operations = activeOperations(subject);
  return buildScope(gateway, subject, { rest: operations.filter(isRest), soap: operations.filter(isSoap) });
}

/** {@link scopeOf} without what a service does over SOAP: for the contracts of REST. */
export function restScopeOf({ gateway }: Registry, subject: Subject): Scope {
  return buildScope(gateway, subject, { rest: activeOperations(subject).filter(isRest), soap: [] });
}

function buildScope(gateway: Gateway, subject: Subject, parts: Pick<Scope, 'rest' | 'soap'>): Scope {
  const { service, pathName } = subject;
  if (pathName !== undefined && !service.operations.some((each) => each.pathName === pathName))
    throw new RangeError(`${service.id} has no operation under the path name ${pathName}`);
  const namespace = serviceNamespace(service, gateway.namespace);
  return {
    ...parts,
    gateway,
    service,
    name: segmentOf(subject),
    namespace,
    documents: documentsOf(parts, namespace),
    // Those of the whole service, so that an operation has one name in all of its contracts.
    nameOf: uriNames(service.operations),
  };
}

/** First segment of the paths of a subject or an operation, and name of its contracts: `Locations.v1`, `ExecuteQuery.v1`. */
export function segmentOf({ service, pathName }: Subject): string {
  return pathName === undefined ? service.id : `${pathName}.${service.version}`;
}

function isRest(operation: Operation): operation is RestOperation {
  return operation.method !== undefined;
}

export function isSoap(operation: Operation): operation is SoapOperation {
  return operation.soap !== undefined;
}
