import { beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const service = (id: string, more: string, operation = ''): string =>
  `---\nservice: ${id}\npublic: true\n${more}\noperations:\n  ${id.replace('.', '_').toUpperCase()}_GET: { get: "x", query: NONE${operation} }\n`;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/users.yaml': USERS,
      'definitions/services.yaml': [
        'query: NONE\npublic: true\ncolumns: { ID: integer }\nsql: select 1 as id where 1 = 0\n',
        service('Paused.v1', '', ', active: false'),
        service('Moved.v1', '', ', active: false'),
        service('Moved.v2', ''),
        service('Dated.v1', 'deprecated: { since: 2026-01-01, sunset: 2027-01-01 }'),
        service('Ending.v1', 'deprecated: { sunset: 2027-01-01 }'),
        service('Old.v1', 'deprecated: true'),
      ].join(''),
    },
  });
  return () => gateway.stop();
});

const get = (path: string) => gateway.call(`/gateway/RESTListeningConnector/${path}`, { anonymous: true });

it.each([
  ['Paused.v1/x', 'There is no operation of service Paused.v1 over REST that is active.'],
  ['Moved.v1/x', 'There is no operation of service Moved.v1 over REST that is active.'],
  ['Moved.v3/x', 'There is no service "Moved.v3"; there is Moved.v2.'],
  ['Nothing.v1/x', 'There is no service "Nothing.v1".'],
])('%s is not there, for the reason that there is', async (path, detail) => {
  const reply = await get(path);
  expect([reply.status, JSON.parse(reply.text).detail]).toEqual([404, detail]);
});

it.each([
  ['Dated', '@1767225600', 'Fri, 01 Jan 2027 00:00:00 GMT'],
  ['Ending', undefined, 'Fri, 01 Jan 2027 00:00:00 GMT'],
  ['Old', undefined, undefined],
])('%s: replies have the dates of a deprecation that are known', async (name, deprecation, sunset) => {
  const { status, headers } = await get(`${name}.v1/x`);
  expect([status, headers.deprecation, headers.sunset]).toEqual([200, deprecation, sunset]);
});

it('contracts describe the headers that replies have', async () => {
  const described = async (name: string): Promise<string[]> => {
    const { text } = await gateway.call(`/gateway/RESTListeningConnector/${name}.v1.openapi.json`, { anonymous: true });
    return ['Deprecation', 'Sunset'].filter((header) => text.includes(`"${header}"`));
  };
  expect([await described('Dated'), await described('Ending'), await described('Old')]).toEqual([
    ['Deprecation', 'Sunset'],
    ['Sunset'],
    [],
  ]);
});
