import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, test } from 'vitest';
import { describeOpenApi, describeWadl, describeWsdl, exampleSoapRequest } from '../../src/describe/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { BASIC } from '../../src/model/security.ts';
import type { Operation, Service } from '../../src/model/service.ts';
import { createPage } from '../../src/serve/app.ts';
import { document, field, type OperationOptions, registry } from '../support/registry.ts';
import { corpusSchema, hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import type { OpenApi } from './openapi-reader.ts';
import { base } from './samples.ts';
import { CERTIFICATE, DIGEST, KEY, SIGNED, TOKEN, USERNAME } from './schemes.ts';

const per = { requests: 10, per: 1000, by: 'caller' } as const;
const request = document('Q', [field('A')]);

function of(operations: Readonly<Record<string, OperationOptions>>, rate = false): [Registry, Service] {
  const built = registry({ 'Test.v1': { operations } });
  const limits = { ...built.gateway.limits, ...(rate ? { rate: per } : {}) };
  return [{ ...built, gateway: { ...built.gateway, limits } }, built.services.get('Test.v1') as Service];
}

const operations: Readonly<Record<string, OperationOptions>> = {
  ONE: { templates: ['One'], requires: [KEY], limits: { rate: per } },
  MANY: { templates: ['Many'], soap: true, request, requires: [TOKEN, CERTIFICATE, BASIC, SIGNED] },
  OPEN: { templates: ['Open'], public: true, requires: [KEY] },
  TOKEN_ONLY: { soap: true, request, response: request, requires: [DIGEST] },
  TEXT_OR_DIGEST: { soap: true, request, requires: [USERNAME] },
  SIGNED_ONLY: { soap: true, request, requires: [SIGNED] },
};
const [built, service] = of(operations);
const openApi = JSON.parse(describeOpenApi(built, service, { base })) as OpenApi;

describe('OpenAPI', () => {
  test('has the schemes that are asked for over REST, and each operation any one of its own', async () => {
    // Rejects what breaks the schema of OpenAPI.
    await SwaggerParser.validate(structuredClone(openApi) as never);
    expect(openApi.components.securitySchemes).toEqual({
      key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      token: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description:
          'Tokens of the company.\n\nA JSON Web Token of the issuer https://issuer.example (RFC 6750, RFC 7519). ' +
          'Required scopes: locations.read locations.write.',
      },
      certificate: { type: 'mutualTLS' },
      basic: expect.objectContaining({ type: 'http', scheme: 'basic' }),
    });
    const security = Object.values(openApi.paths).map(({ get }) => get?.security);
    const scopes = ['locations.read', 'locations.write'];
    expect(security).toEqual([[{ key: [] }], [{ token: scopes }, { certificate: [] }, { basic: [] }], []]);
  });

  test('tells of 401 and 403 where somebody must be known, of 429 where calls are counted', () => {
    const statuses = Object.values(openApi.paths).map(({ get }) =>
      Object.keys(get?.responses ?? {}).filter((status) => ['401', '403', '429'].includes(status)),
    );
    expect(statuses).toEqual([['401', '403', '429'], ['401', '403'], []]);
    const [limited, inService] = of({ OPEN: { templates: ['Open'], public: true } }, true);
    const { paths, components } = JSON.parse(describeOpenApi(limited, inService, { base })) as OpenApi;
    expect(paths['/Test.v1/Open']?.get?.responses).toHaveProperty('429');
    expect(components.responses.Problem_429).toHaveProperty(['headers', 'Retry-After']);
    expect(describeWadl(limited, inService, { base })).toContain('\n429: Too many requests');
  });
});

describe('WADL', () => {
  const wadl = describeWadl(built, service, { base });

  test('has a parameter for an API key, and words for the others', () => {
    expect(wadl).toContain('<param name="X-Api-Key" style="header" type="xs:string" required="true">');
    expect(wadl.match(/<param /g)).toHaveLength(1);
    expect(wadl).toContain(
      'Requires credentials: a bearer token (JWT) with the scopes locations.read locations.write or a client certificate or ' +
        'HTTP Basic.',
    );
    expect(wadl).toContain('Public.');
  });

  const schema = corpusSchema('wadl.xsd');
  test.skipIf(!hasXmllint || schema === undefined)('is valid (needs xmllint and the corpus)', () => {
    expect(validateXml(schema as string, [wadl])).toBe('');
  });
});

describe('WSDL', () => {
  const wsdl = describeWsdl(built, service, { base });

  test('has a policy at the requests that a UsernameToken in one form alone opens', () => {
    expect(wsdl.match(/<wsp:Policy [^>]*wsu:Id="UsernameTokenPolicy"/g)).toHaveLength(1);
    // In the bindings of SOAP 1.1 and 1.2.
    const inputs = [...wsdl.matchAll(/soapAction="(\w+)\.v1"[^>]*\/>\s*<wsdl:input>\s*(<wsp:PolicyReference)?/g)];
    const referring = inputs.flatMap(([, name, reference]) => (reference === undefined ? [] : name));
    expect(referring).toEqual(['TOKEN_ONLY', 'TOKEN_ONLY']);
    expect(wsdl).toContain('<sp:HashPassword/>');
  });

  test('asks for no digest where the password is text, and for another policy where another scheme says otherwise', () => {
    const texts = { ...USERNAME, id: 'texts', passwords: ['text'] as const };
    const both = describeWsdl(...of({ A: { soap: true, requires: [texts] }, B: { soap: true, requires: [DIGEST] } }), {
      base,
    });
    const policies = both.split('<wsp:Policy xmlns').slice(1);
    expect(policies.map((policy) => policy.includes('HashPassword'))).toEqual([false, true]);
    expect(both).toContain('URI="#UsernameTokenPolicy2"');
  });

  test('tells of the others in words', () => {
    expect(wsdl).toContain('or an XML signature over Body and Timestamp with an X.509 certificate (WS-Security).');
    expect(wsdl).toContain(
      'a WS-Security UsernameToken with the password as text (over TLS) or as digest with nonce and created.',
    );
  });

  test.skipIf(!hasXmllint || wsdlSchema === undefined)('is valid (needs xmllint and the corpus)', () => {
    expect(validateXml(wsdlSchema as NonNullable<typeof wsdlSchema>, [wsdl])).toBe('');
  });

  test('an example has a UsernameToken where nothing outside the message will do, and a person can write one', () => {
    const bodyOf = (options: OperationOptions): string => {
      const [each] = of({ A: { ...options, soap: true } });
      return exampleSoapRequest(each, each.operations.get('A') as Operation, base)?.body ?? '';
    };
    expect(bodyOf({ requires: [SIGNED, USERNAME] })).toContain('#PasswordText">PASSWORD</wsse:Password>');
    const without = [
      { requires: [USERNAME, BASIC] },
      { requires: [SIGNED] },
      { requires: [DIGEST] },
      { requires: [USERNAME], public: true },
    ];
    for (const each of without) {
      expect(bodyOf(each)).toContain('soap:Body');
      expect(bodyOf(each)).not.toContain('soap:Header');
    }
  });
});

describe('the page', () => {
  test('says what each operation needs, and has a place for it in the line to try', async () => {
    const respond = createPage(built, { of: () => [] } as never, { base: () => base, sampleUsers: true });
    const html = (await respond.respond(
      {} as never,
      { document: (...[, , text]: string[]) => text } as never,
    )) as unknown as string;
    const text = html.replace(/<[^>]*>/g, '').replaceAll('&apos;', "'");
    expect(text).toContain("curl -H 'X-Api-Key: KEY' ");
    expect(text).toContain("curl -H 'Authorization: Bearer TOKEN' ");
    // What is built here has no lists.
    expect(text).toContain('Requires permission list , and an API key in the header X-Api-Key.');
    expect(text).toContain(`curl ${base}/RESTListeningConnector/Test.v1/Open`);
    expect(text).not.toContain('JWKS');
  });
});
