// Contracts of a service, made from the registry alone: the same text for the same registry, wherever and whenever.
export { type ExampleRequest, exampleRequest } from './example.ts';
export { exampleSoapRequest } from './example-soap.ts';
export { contractForms } from './forms.ts';
export { describeOpenApi } from './openapi.ts';
export { describeWadl } from './wadl.ts';
export { describeWsdl } from './wsdl.ts';
export { describeXsd, describeXsdFiles } from './xsd.ts';
