// Contracts of a service, made from the registry alone: the same text for the same registry, wherever and whenever.
export { type ExampleRequest, exampleRequest } from './example/example.ts';
export { exampleSoapRequest } from './example/soap.ts';
export { contractForms } from './forms.ts';
export { describeOpenApi } from './openapi/openapi.ts';
export { describeWadl } from './wadl/wadl.ts';
export { describeWsdl } from './wsdl/wsdl.ts';
export { describeXsd, describeXsdFiles } from './xsd/xsd.ts';
