/** Namespaces of WSDL 1.1, its bindings and what extends them. */
export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
export const WSDL_2 = 'http://www.w3.org/ns/wsdl';
export const HTTP = 'http://schemas.xmlsoap.org/wsdl/http/';
export const MIME = 'http://schemas.xmlsoap.org/wsdl/mime/';
export const SOAP: Readonly<Record<string, '1.1' | '1.2'>> = {
  'http://schemas.xmlsoap.org/wsdl/soap/': '1.1',
  'http://schemas.xmlsoap.org/wsdl/soap12/': '1.2',
};
/** Namespaces of `Action` at an input (WS-Addressing 1.0 Metadata and its drafts). */
export const ACTION: readonly string[] = [
  'http://www.w3.org/2007/05/addressing/metadata',
  'http://www.w3.org/2006/05/addressing/wsdl',
];
