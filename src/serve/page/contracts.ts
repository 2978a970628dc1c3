import {
  activeOperations,
  CONTRACT_EXTENSIONS,
  type ContractForm,
  contractForms,
  type Subject,
  segmentOf,
} from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';

export interface Contract {
  readonly contentType: string;
  readonly text: string;
}

/** The contracts that the gateway serves, by the last segment of their path. */
export interface Contracts {
  /**
   * Renders the contract of a name; `undefined` if it is not the name of a contract. The result is `undefined` too if the contract turns out not to exist.
   * @param name `Locations.v1.wadl`, `LOCATIONS.1.wadl`, `ExecuteQuery.v1.openapi.json`
   */
  find(name: string): (() => Promise<Contract | undefined>) | undefined;
  /** All contracts of a service with their addresses. Both connectors serve all of them. */
  of(service: Service): readonly ContractLink[];
}

/** A contract's address: `<base>/<connector>/<name>`. */
export interface ContractLink {
  /** `WSDL`, for people. */
  readonly kind: string;
  /** The connector of the operations that it describes. */
  readonly connector: 'RESTListeningConnector' | 'PeopleSoftServiceListeningConnector';
  readonly name: string;
}

interface Kind {
  readonly form: ContractForm;
  readonly label: string;
  readonly contentType: string;
}

const XML = 'text/xml; charset=utf-8';

const KINDS: readonly Kind[] = [
  { form: 'wadl', label: 'WADL', contentType: 'application/vnd.sun.wadl+xml' },
  { form: 'openapi', label: 'OpenAPI', contentType: 'application/json' },
  // The type that WSDL 1.1 and its clients know; application/wsdl+xml was introduced with WSDL 2.0.
  { form: 'wsdl', label: 'WSDL', contentType: XML },
  { form: 'xsd', label: 'XSD', contentType: 'application/xml' },
];

/** The name of the list of all services over SOAP (WS-Inspection 1.0). */
export const INSPECTION = 'inspection.wsil';

/** Whether the part of a name after `<name>.<version>` is of this kind; an XML Schema has one file per namespace. */
function takes({ form }: Kind, rest: string): boolean {
  return form === 'xsd' ? rest.endsWith(CONTRACT_EXTENSIONS.xsd) : rest === CONTRACT_EXTENSIONS[form];
}

/**
 * Contracts of every service, and of each name by which its operations can be called. Each is rendered at its first
 * request and cached: the registry does not change, and a start should not wait for contracts that are never requested,
 * nor for the libraries that write them.
 * @param base address of the gateway with its context, known once it listens
 */
export function createContracts(registry: Registry, base: () => string): Contracts {
  const subjects = new Map<string, Subject>();
  for (const service of registry.services.values()) {
    const operations = activeOperations({ service });
    for (const { pathName } of operations) subjects.set(key(pathName, service.version), { service, pathName });
    if (operations.length > 0) subjects.set(key(service.name, service.version), { service });
  }
  // Other gateways also serve contracts by operation; here that name leads to the contract of its service.
  for (const { soap, service } of registry.operations.values()) {
    const id = soap && key(soap.name, service.version);
    if (id !== undefined && !subjects.has(id)) subjects.set(id, { service });
  }
  const rendered = new Map<string, ReadonlyMap<string, string>>();
  const inspection = async (): Promise<string> => {
    const { describeInspection } = await import('../../describe/index.ts');
    return describeInspection(registry, base());
  };

  return {
    find(name) {
      if (name === INSPECTION) return async () => ({ contentType: XML, text: await inspection() });
      const parts = split(name);
      const kind = parts === undefined ? undefined : KINDS.find((each) => takes(each, parts.rest));
      if (parts === undefined || kind === undefined) return undefined;
      const id = key(parts.name, parts.version);
      const subject = subjects.get(id);
      if (subject === undefined || !contractForms(subject.service, subject.pathName).includes(kind.form))
        return undefined;
      return async () => {
        const known = `${id} ${kind.form}`;
        let files = rendered.get(known);
        if (files === undefined) {
          const { describeContract } = await import('../../describe/index.ts');
          files = describeContract(registry, kind.form, subject, base());
          rendered.set(known, files);
        }
        const text = files.get(`${segmentOf(subject)}${parts.rest}`);
        return text === undefined ? undefined : { contentType: kind.contentType, text };
      };
    },
    of(service) {
      const forms = contractForms(service);
      const kinds = KINDS.filter(({ form }) => forms.includes(form));
      return kinds.map(({ form, label }) => ({
        kind: label,
        connector:
          form === 'wsdl' || !forms.includes('wadl') ? 'PeopleSoftServiceListeningConnector' : 'RESTListeningConnector',
        name: `${service.id}${CONTRACT_EXTENSIONS[form]}`,
      }));
    },
  };
}

/** Splits `Locations.v1.none.xsd` into `Locations`, `v1` and `.none.xsd`: neither name nor version contains a dot. */
function split(file: string): { name: string; version: string; rest: string } | undefined {
  const first = file.indexOf('.');
  const second = file.indexOf('.', first + 1);
  if (first < 1 || second < 0 || file.includes('/')) return undefined;
  return { name: file.slice(0, first), version: file.slice(first + 1, second), rest: file.slice(second) };
}

/** `LOCATIONS.1` and `LOCATIONS.VERSION_1` are other gateways' spellings of `Locations.v1`; letter case is ignored. */
function key(name: string, version: string): string {
  return `${name.toLowerCase()}.${version.toLowerCase().replace(/^(?:version_|v)(?=\d)/, '')}`;
}
