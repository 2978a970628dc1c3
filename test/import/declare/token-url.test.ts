import { expect, test } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const contract = (tokenUrl: string): string => `
openapi: 3.0.3
info: { title: Registry, version: '1' }
servers: [{ url: https://registry.example.org/v1 }]
security: [{ oauth: [read] }]
paths: { /things: { get: { operationId: things, responses: { 204: { description: none } } } } }
components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: ${tokenUrl}, scopes: { read: reads } } } }
`;

test.each([
  ['https://login.example.org/token', 'https://login.example.org/token'],
  // Relative to an address that may differ from where the calls go.
  ['/oauth2/token', '${env:PARTNER_TOKEN_URL}'],
])('the address of tokens %s is %s, and the credential is kept', async (tokenUrl, written) => {
  const { declared } = await declaredOf({ 'api.yaml': contract(tokenUrl) });
  expect(errorsOf(declared)).toEqual([]);
  const { setup = '' } = yamlOf(declared);
  expect(setup).toContain(`token-url: ${written}\n`);
  expect(setup).toContain('client-secret: ${secret:PARTNER_CLIENT_SECRET}\n    scope: read\n');
});
