import type { Registry } from '../model/registry.ts';
import { describeOpenApi } from './openapi/openapi.ts';
import { CONTRACT_EXTENSIONS, type ContractForm, type Subject, segmentOf } from './scope.ts';
import { describeWadl } from './wadl.ts';
import { describeWsdl } from './wsdl/wsdl.ts';
import { describeXsdFiles } from './xsd/xsd.ts';

// Contracts of a service. They depend on the registry only: the same registry always gives the same text.

export { exampleRequest, exampleSoapRequest } from './example/request.ts';

export { describeInspection } from './inspection.ts';
export { describeOpenApi } from './openapi/openapi.ts';
export { contractForms } from './scope.ts';
export { describeWadl } from './wadl.ts';
export { describeWsdl } from './wsdl/wsdl.ts';
export { describeXsdFiles } from './xsd/xsd.ts';

const WRITERS = { wadl: describeWadl, openapi: describeOpenApi, wsdl: describeWsdl } as const;

/**
 * The files of a contract by name: the contract itself first, then those that it imports. Only REST has path names: a WSDL
 * describes the whole service.
 * @param base the gateway's address with its context, without a slash at the end
 * @throws RangeError when no operation has the path name, or for a WSDL when no operation is called over SOAP
 */
export function describeContract(
  registry: Registry,
  form: ContractForm,
  subject: Subject,
  base: string,
): ReadonlyMap<string, string> {
  const { service, pathName } = subject;
  if (form === 'xsd') return describeXsdFiles(registry, service, { pathName });
  const text = WRITERS[form](registry, service, { base, pathName });
  return new Map([[`${segmentOf(subject)}${CONTRACT_EXTENSIONS[form]}`, text]]);
}
