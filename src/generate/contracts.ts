import { contractForms, describeContract } from '../describe/index.ts';
import type { Registry } from '../model/registry.ts';
import { GENERATED_FOLDER, withJsonHeader, withXmlHeader } from './header.ts';
import { sorted } from './sorted.ts';

/** Stands for the gateway's address, which a committed contract can't know (RFC 2606 section 2 keeps `.invalid` free). */
const PLACEHOLDER = 'https://gateway.invalid';

/** The contracts of every service: OpenAPI and WADL of what it does over REST, WSDL over SOAP, and XSD. */
export function contractFiles(registry: Registry): Map<string, string> {
  const base = `${PLACEHOLDER}/${registry.gateway.context}`;
  const files = new Map<string, string>();
  for (const service of sorted(registry.services)) {
    for (const form of contractForms(service)) {
      for (const [file, text] of describeContract(registry, form, { service }, base)) {
        const marked = form === 'openapi' ? withJsonHeader(text, 'x-generated') : withXmlHeader(text);
        files.set(`${GENERATED_FOLDER}/contracts/${file}`, marked);
      }
    }
  }
  return files;
}
