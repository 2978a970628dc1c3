import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { describeWsdl, exampleSoapRequest } from '../../src/describe/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { registry } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { type DocumentCase, documents } from './arbitraries.ts';
import { base } from './samples.ts';
import { inlineSchemas } from './wsdl-reader.ts';

// What the codec writes into a wrapper is what the WSDL promises, for documents of every shape and in every namespace.

const NAMESPACE = 'urn:signalbox:test:Fit.v1';

/** Several generated documents make one service, so that a validator starts once for all of them. */
const services = fc.tuple(
  ...Array.from({ length: 12 }, (_, index) =>
    fc
      .tuple(documents(`D${index}`), fc.constantFrom(undefined, '', 'urn:x'))
      .map(([{ document, values }, namespace]) => {
        return { document: namespace === undefined ? document : { ...document, namespace }, values };
      }),
  ),
);

/** A service that takes each document. */
function serviceOf(cases: readonly DocumentCase[]): { built: Registry; service: Service } {
  const operations = cases.map(({ document }) => [`${document.id}_PUT`, { soap: true, request: document }] as const);
  const built = registry({ 'Fit.v1': { operations: Object.fromEntries(operations) } });
  return { built, service: built.services.get('Fit.v1') as Service };
}

function complaints({ built, service }: ReturnType<typeof serviceOf>, payloads: readonly string[]): string {
  return validateXml({ name: '0.xsd', files: inlineSchemas(describeWsdl(built, service, { base })) }, payloads);
}

describe.skipIf(!hasXmllint)('payloads and the schemas inside a WSDL (needs xmllint)', () => {
  test('what the codec writes is valid', () => {
    fc.assert(
      fc.property(services, (cases) => {
        const payloads = cases.flatMap(({ document, values }) => {
          const root = { name: `${document.id}_PUT`, namespace: NAMESPACE };
          const codec = compileDocument(document, { namespace: NAMESPACE, root });
          return values.map((value) => codec.toXmlPieces(value).join(''));
        });
        expect(complaints(serviceOf(cases), payloads)).toBe('');
      }),
      { numRuns: 8 },
    );
  });

  test('examples are valid', () => {
    fc.assert(
      fc.property(services, (cases) => {
        const { built, service } = serviceOf(cases);
        const payloads = service.operations.map((operation) => {
          const body = exampleSoapRequest(built, operation, base)?.body ?? '';
          return body.replace(/^.*?<soap:Body>|<\/soap:Body>.*$/g, '');
        });
        expect(complaints({ built, service }, payloads)).toBe('');
      }),
      { numRuns: 4 },
    );
  });
});
