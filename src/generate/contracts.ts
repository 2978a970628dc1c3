import { contractForms, describeOpenApi, describeWadl, describeWsdl, describeXsdFiles } from '../describe/index.ts';
import type { Registry } from '../model/registry.ts';
import { GENERATED_FOLDER, withJsonHeader, withXmlHeader } from './header.ts';
import { sorted } from './vocabulary.ts';

/** Stands for the gateway's address, which a committed contract can't know (RFC 2606 section 2 keeps `.invalid` free). */
const PLACEHOLDER = 'https://gateway.invalid';

/** The contracts of every service: OpenAPI and WADL of what it does over REST, WSDL over SOAP, and XSD. */
export function contractFiles(registry: Registry): Map<string, string> {
  const base = `${PLACEHOLDER}/${registry.gateway.context}`;
  const files = new Map<string, string>();
  for (const service of sorted(registry.services)) {
    const folder = `${GENERATED_FOLDER}/contracts`;
    const path = `${folder}/${service.id}`;
    const forms = contractForms(service);
    if (forms.includes('openapi'))
      files.set(`${path}.openapi.json`, withJsonHeader(describeOpenApi(registry, service, { base }), 'x-generated'));
    if (forms.includes('wadl')) files.set(`${path}.wadl`, withXmlHeader(describeWadl(registry, service, { base })));
    if (forms.includes('wsdl')) files.set(`${path}.wsdl`, withXmlHeader(describeWsdl(registry, service, { base })));
    if (!forms.includes('xsd')) continue;
    for (const [file, text] of describeXsdFiles(registry, service)) files.set(`${folder}/${file}`, withXmlHeader(text));
  }
  return files;
}
