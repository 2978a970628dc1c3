import { describe, expect, it, onTestFinished } from 'vitest';
import { signalbox, start } from '../cli/support.ts';
import { writeProject } from '../support/project.ts';
import { declaredOf, errorsOf, yamlOf } from './support.ts';

const openApi = (part: string, more = '', schema = "{ $ref: '#/components/schemas/Part' }"): string => `
openapi: 3.0.3
info: { title: Parts, version: '1' }
servers: [{ url: 'https://parts.example.org' }]
paths:
  /parts:
    post:
      operationId: addPart
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '200': { description: ok, content: { application/json: { schema: ${schema} } } } }
components: { schemas: { Part: { type: object, properties: { name: { type: string } }${part} }${more} } }
`;

async function written(text: string, as: 'consumer' | 'provider') {
  const { declared, losses } = await declaredOf({ 'parts.yaml': text }, { as });
  expect(errorsOf(declared)).toEqual([]);
  const told = losses.map(({ what, instead }) => `${what}: ${instead}`);
  return { text: Object.values(yamlOf(declared)).join('---\n'), told };
}

describe('additional members, which a contract does not exclude', () => {
  it.each([
    ['absent', ''],
    ['true', ', additionalProperties: true'],
    ['an empty schema', ', additionalProperties: {}'],
  ])('are accepted where it is served: %s', async (_, part) => {
    const { text, told } = await written(openApi(part), 'provider');
    expect(text).toContain('document: Part\nopen: true\n');
    expect(told).toEqual([]);
  });

  it('of one type are accepted of any, which is listed', async () => {
    const { text, told } = await written(openApi(', additionalProperties: { type: integer }'), 'provider');
    expect(text).toContain('document: Part\nopen: true\n');
    expect(told).toEqual(['the type of additional members: any undeclared members are accepted']);
  });

  it('are refused where it excludes them', async () => {
    const { text } = await written(openApi(', additionalProperties: false'), 'provider');
    expect(text).not.toContain('open:');
  });

  it('are not sent by calls unless it says so: what is declared is sent', async () => {
    expect((await written(openApi(''), 'consumer')).text).not.toContain('open:');
    expect((await written(openApi(', additionalProperties: true'), 'consumer')).text).toContain('open: true');
  });

  it('are listed where they are refused: in what others extend, and in branches', async () => {
    const family = ', required: [kind], discriminator: { propertyName: kind }';
    const bolt =
      ", Bolt: { allOf: [{ $ref: '#/components/schemas/Part' }, { type: object, properties: { size: { type: number } } }] }";
    const based = await written(openApi(family, bolt), 'provider');
    expect(based.told).toContain('undeclared members of "Part", which others extend: refused');
    const branches = "{ oneOf: [{ $ref: '#/components/schemas/Part' }, { $ref: '#/components/schemas/Nut' }] }";
    const nut = ', Nut: { type: object, required: [width], properties: { width: { type: number } } }';
    const chosen = await written(openApi('', nut, branches), 'provider');
    expect(chosen.text).not.toContain('open:');
    expect(
      chosen.told.filter((each) => each.startsWith('undeclared members of "Part", which is a branch of')),
    ).toHaveLength(1);
  });
});

it('a member that a contract does not name is taken by its service', { timeout: 60_000 }, async () => {
  const project = writeProject({ 'definitions/gateway.yaml': 'gateway: LOCAL\n', 'parts.yaml': openApi('') });
  onTestFinished(project.remove);
  const { code, stdout } = await signalbox(['import', 'parts.yaml', '--as', 'provider'], { cwd: project.root });
  expect(code, stdout).toBe(0);
  const mock = start(['mock', '--port', '0', '--json'], { cwd: project.root });
  const [line = ''] = await mock.until(/^\{"address".*\}$/m);
  const { address } = JSON.parse(line) as { readonly address: string };
  const reply = await fetch(`${address}/gateway/RESTListeningConnector/Parts.v1/parts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('any:one')}` },
    body: '{"name":"bolt","colour":"red"}',
  });
  expect(reply.status, await reply.text()).toBe(200);
  await mock.stop();
});
