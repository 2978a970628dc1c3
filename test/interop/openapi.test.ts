import SwaggerParser from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SampleCopy } from '../support/sample.ts';
import { richSample } from './project.ts';
import { type Served, serve } from './support.ts';

let gateway: Served;
let project: SampleCopy;
beforeAll(async () => {
  project = await richSample();
  gateway = await serve(project.root);
});
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
});

test.each([
  'Locations.v1',
  'LOCATIONS.1',
  'Kinds.v2',
  'QAS_QRY_SERVICE.v1',
  'ExecuteQuery.v1',
  'PROCESSREQUEST.v1',
  'ProcessRequest.v1',
  'LocationSetup.v1',
])('%s.openapi.json is valid to swagger-parser, and calls this gateway', async (name) => {
  const reply = await fetch(`${gateway.connector}/${name}.openapi.json`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/json');
  const text = await reply.text();
  const document = JSON.parse(text) as { openapi: string; servers: { url: string }[]; paths: object };
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.servers.map((server) => server.url)).toEqual([`${gateway.connector}/LOCAL`]);
  expect(Object.keys(document.paths)).not.toEqual([]);
  // References are all internal: nothing is fetched. The parser works on its argument, so it gets one of its own.
  await SwaggerParser.validate(JSON.parse(text), { resolve: { external: false } });
});

test('what is SOAP alone is not there', async () => {
  const statusOf = async (name: string): Promise<number> => (await fetch(`${gateway.connector}/${name}`)).status;
  expect(await statusOf('Attachments.v1.openapi.json')).toBe(404);
  expect(await statusOf('Attachments.v1.wsdl')).toBe(200);
});
