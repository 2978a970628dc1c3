// Contracts of a service, made from the registry alone: the same text for the same registry, wherever and whenever.
export { type ExampleRequest, exampleRequest } from './example.ts';
export { describeOpenApi } from './openapi.ts';
export { describeWadl } from './wadl.ts';
export { describeXsd, describeXsdFiles } from './xsd.ts';
