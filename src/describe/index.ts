// Contracts of a service, made from the registry alone: the same text for the same registry, wherever and whenever.
export { describeContract } from './contract.ts';
export { exampleRequest } from './example/example.ts';
export { exampleSoapRequest } from './example/soap.ts';
export { describeInspection } from './inspection.ts';
export { describeOpenApi } from './openapi/openapi.ts';
export { contractForms } from './scope.ts';
export { describeWadl } from './wadl/wadl.ts';
export { describeWsdl } from './wsdl/wsdl.ts';
export { describeXsdFiles } from './xsd/xsd.ts';
