// SOAP 1.1 (WSDL 1.1, section 3) and SOAP 1.2 (W3C Member Submission WSDL 1.1 Binding Extension for SOAP 1.2, 5 April 2006).
import { element, type XmlElement } from '../../wire/xml/build.ts';
import type { WsdlOperation } from './operation.ts';

/** A version of SOAP, as WSDL says it. */
interface SoapDialect {
  /** Of the extension elements, bound to it in the root element. */
  readonly prefix: string;
  readonly namespace: string;
  /** Part of the names of binding and port. */
  readonly label: string;
  /** Attributes of an operation beside its action. */
  readonly operation: Readonly<Record<string, string>>;
}

/** SOAP 1.1 is the first: a client that is not told otherwise takes the first port. */
export const SOAP_DIALECTS: readonly SoapDialect[] = [
  { prefix: 'soap', namespace: 'http://schemas.xmlsoap.org/wsdl/soap/', label: 'Soap11', operation: {} },
  {
    prefix: 'soap12',
    namespace: 'http://schemas.xmlsoap.org/wsdl/soap12/',
    label: 'Soap12',
    // Without an action the body decides.
    operation: { soapActionRequired: 'false' },
  },
];

/** The same in both versions. */
const HTTP = 'http://schemas.xmlsoap.org/soap/http';

const literal = { use: 'literal' };

/** Binds every operation of a port type to one version of SOAP over HTTP. */
export function bindingElement(
  { prefix, operation: flags }: SoapDialect,
  names: { readonly binding: string; readonly portType: string },
  operations: readonly WsdlOperation[],
): XmlElement {
  const body = (): XmlElement => element(`${prefix}:body`, literal);
  const bound = operations.map(({ name, action, output, fault, policy }) =>
    element('wsdl:operation', { name }, [
      element(`${prefix}:operation`, { soapAction: action, ...flags }),
      element('wsdl:input', {}, [policy, body()]),
      output === undefined ? undefined : element('wsdl:output', {}, [body()]),
      fault === undefined
        ? undefined
        : element('wsdl:fault', { name: fault.name }, [element(`${prefix}:fault`, { name: fault.name, ...literal })]),
    ]),
  );
  return element('wsdl:binding', { name: names.binding, type: `tns:${names.portType}` }, [
    element(`${prefix}:binding`, { style: 'document', transport: HTTP }),
    ...bound,
  ]);
}
