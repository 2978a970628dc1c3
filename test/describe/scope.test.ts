import { describe, expect, test } from 'vitest';
import { contractForms, describeOpenApi, describeWadl } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { type OperationOptions, registry } from '../support/registry.ts';
import { base, samples } from './samples.ts';

const rest: OperationOptions = { templates: ['X'] };
const soap: OperationOptions = { soap: true };

describe('the contracts that a service has', () => {
  test.each([
    ['REST', { A: rest }, ['wadl', 'openapi', 'xsd']],
    ['SOAP', { A: soap }, ['wsdl', 'xsd']],
    ['both, in one operation', { A: { ...rest, ...soap } }, ['wadl', 'openapi', 'wsdl', 'xsd']],
    ['both, in two', { A: rest, B: soap }, ['wadl', 'openapi', 'wsdl', 'xsd']],
    ['SOAP, and REST no longer', { A: soap, B: { ...rest, active: false } }, ['wsdl', 'xsd']],
    ['nothing', {}, []],
  ] as const)('%s', (_, operations, forms) => {
    const built = registry({ 'Test.v1': { operations } });
    expect(contractForms(built.services.get('Test.v1') as Service)).toEqual(forms);
  });

  test('under a path name, those of its operations', () => {
    const operations = { A: { ...rest, pathName: 'Other' }, B: soap };
    const service = registry({ 'Test.v1': { operations } }).services.get('Test.v1') as Service;
    expect(contractForms(service, 'Other')).toEqual(['wadl', 'openapi', 'xsd']);
    expect(contractForms(service, 'Test')).toEqual(['wsdl', 'xsd']);
  });
});

describe('what is SOAP alone', () => {
  const service = samples.soap.services.get('Exchange.v2') as Service;

  test.each([
    ['WADL', describeWadl],
    ['OpenAPI', describeOpenApi],
  ])('is not in %s', (_, write) => {
    const text = write(samples.soap, service, { base });
    for (const { id, method } of service.operations) expect(text.includes(id), id).toBe(method !== undefined);
    // Neither its documents, nor the wrappers of the rest.
    expect(text).not.toMatch(/FILE_PUT|EXCHANGE_FAULT|ORDER_PUTResponse/);
  });
});
