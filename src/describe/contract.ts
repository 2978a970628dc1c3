import type { Registry } from '../model/registry.ts';
import { describeOpenApi } from './openapi/openapi.ts';
import { CONTRACT_EXTENSIONS, type ContractForm, type Subject, segmentOf } from './scope.ts';
import { describeWadl } from './wadl/wadl.ts';
import { describeWsdl } from './wsdl/wsdl.ts';
import { describeXsdFiles } from './xsd/xsd.ts';

const WRITERS = { wadl: describeWadl, openapi: describeOpenApi, wsdl: describeWsdl } as const;

/**
 * A contract as files, text by name: its own first, then those that it imports. Path names belong to REST: a WSDL is of
 * the whole service.
 * @param base the gateway's address with its context, without a slash at the end
 * @throws RangeError where no operation answers under the path name; for a WSDL where nothing is called over SOAP
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
