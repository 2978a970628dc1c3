import type { Registry } from '../model/registry.ts';
import { buildXml, element } from '../wire/xml/build.ts';
import { contractForms } from './scope.ts';

// WS-Inspection 1.0 (IBM and Microsoft, November 2001): a list of services with references to their WSDL.

const WSIL = 'http://schemas.xmlsoap.org/ws/2001/10/inspection/';
const WSDL = 'http://schemas.xmlsoap.org/wsdl/';

/** The SOAP services with the addresses of their WSDL. @param base the gateway's address with its context */
export function describeInspection({ services }: Registry, base: string): string {
  const listed = [...services.values()].filter((each) => each.active && contractForms(each).includes('wsdl'));
  const entries = listed.map(({ id, description }) =>
    element('service', {}, [
      element('name', {}, [id]),
      description === undefined ? undefined : element('abstract', {}, [description]),
      element('description', {
        referencedNamespace: WSDL,
        location: `${base}/PeopleSoftServiceListeningConnector/${id}.wsdl`,
      }),
    ]),
  );
  return buildXml(element('inspection', { xmlns: WSIL }, entries));
}
