import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope, send, TYPES } from '../serve/soap-client.ts';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { expectAlike } from './support/alike.ts';

// `guest` may use every operation of the query services, and no query but OPENED.
const HASH = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$';
const DEFINITIONS = `permission-list: SERVICES
operations: [QAS_QRY_SERVICE.*]
---
permission-list: SECRETS
queries: [HIDDEN*]
---
role: OWNER
permission-lists: [SERVICES, SECRETS]
---
role: PRYING
permission-lists: [SERVICES]
---
user: demo
password: ${HASH}AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [OWNER]
sample: true
---
user: guest
password: ${HASH}omzwekRZhK7H14WBx2uNfQdcBMmSmpudUeBNrb/md2A
roles: [PRYING]
sample: true
---
query: HIDDEN
prompts: { N: { type: integer, required: true } }
columns: { X: integer }
connects: { HIDDEN_CHILD: { X: X } }
sql: select :N as x
---
query: HIDDEN_CHILD
columns: { X: integer }
sql: select 1 as x
---
query: OPENED
permission: SERVICES
columns: { X: integer }
connects: { HIDDEN_CHILD: { X: X } }
sql: select 1 as x
`;
const REST = '/gateway/RESTListeningConnector';
const NS = 'urn:test:QAS_QRY_SERVICE.v1';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('delivered: [QAS_QRY_SERVICE.v1]'),
      'definitions/users.yaml': DEFINITIONS,
    },
  });
});
afterAll(() => gateway.stop());

const get = (path: string, authorization = GUEST, method = 'GET') =>
  gateway.call(`${REST}/${path}`, { method, headers: { authorization } });
const soap = (operation: string, fields: string) =>
  send(gateway, {
    headers: { 'content-type': TYPES['1.1'] },
    authorization: GUEST,
    body: envelope(`<${operation} xmlns="${NS}">${fields}</${operation}>`),
  });
const alike = (ask: (name: string) => Promise<{ status: number; headers: object; text: string }>, what: string) =>
  expectAlike(ask as Parameters<typeof expectAlike>[0], 'HIDDEN', 'ABSENT', what);

/** A run of demo's, that has ended. */
async function runOfDemo(more: string): Promise<{ id: string; url?: string }> {
  const path = `ExecuteQueryPoll.v1/PUBLIC/HIDDEN/${more}?prompt_uniquepromptname=N&prompt_fieldvalue=1`;
  const id = (JSON.parse((await get(path, DEMO)).text) as { QueryInstance: string }).QueryInstance;
  return eventually('the end of the run', async () => {
    const block = JSON.parse((await get(`QueryResults.v1/getresults?instanceid=${id}&blocknumber=1`, DEMO)).text);
    if (block.status === 'queued') return undefined;
    return block.data?.fileurl === undefined ? { id } : { id, url: new URL(block.data.fileurl as string).pathname };
  });
}

const NONE = /There is no (private )?query HIDDEN/;

describe('a query that the caller may not run', () => {
  const paths: string[] = [];
  for (const kind of ['PUBLIC', 'PRIVATE'])
    for (const json of ['true', 'false']) {
      const prompts = 'prompt_uniquepromptname=N&prompt_fieldvalue=1';
      for (const type of ['JSON', 'XMLP', 'CSV'])
        for (const format of ['NONFILE', 'FILE'])
          for (const more of [
            '',
            `&${prompts}`,
            '&prompt_uniquepromptname=NO',
            '&isconnectedquery=Y',
            '&filterfields=X',
          ])
            for (const service of ['ExecuteQuery', 'ExecuteQueryPoll'])
              paths.push(`${service}.v1/${kind}/#/${type}/${format}?json_resp=${json}${more}`);
      for (const service of ['QueryFields', 'QueryPrompts'])
        for (const more of ['', '&isconnectedquery=Y']) paths.push(`${service}.v1/${kind}/#?json_resp=${json}${more}`);
    }

  it('answers as one that does not exist, over REST', async () => {
    expect(JSON.parse((await get(`QueryFields.v1/PUBLIC/HIDDEN`)).text).error.message).toBe(
      'There is no query HIDDEN that you may run.',
    );
    for (const path of paths) expect(await alike((name) => get(path.replace('#', name)), path)).toBe(404);
    // Not as what has no such path, either.
    for (const service of ['ExecuteQuery', 'ExecuteQueryPoll', 'QueryFields', 'QueryPrompts'])
      for (const kind of ['PUBLIC', 'PRIVATE']) {
        const path = paths.find((each) => each.startsWith(`${service}.v1/${kind}/`)) ?? '';
        expect((await get(path.replace('#', 'HIDDEN'))).text, path).toMatch(NONE);
      }
  });

  it('answers as one that does not exist, over SOAP', async () => {
    for (const owner of ['PUBLIC', 'PRIVATE']) {
      const named = (name: string) => `<OwnerType>${owner}</OwnerType><QueryName>${name}</QueryName>`;
      const kind = '<OutResultType>XMLP</OutResultType><OutResultFormat>NONFILE</OutResultFormat>';
      for (const operation of ['QAS_EXECUTEQRYSYNC_OPER', 'QAS_EXECUTEQRYSYNCPOLL_OPER'])
        expect(await alike((name) => soap(operation, named(name) + kind), operation)).toBe(500);
      expect((await soap('QAS_EXECUTEQRYSYNC_OPER', named('HIDDEN') + kind)).text).toMatch(NONE);
      expect((await soap('QAS_EXECUTEQRYSYNCPOLL_OPER', named('HIDDEN') + kind)).text).toMatch(NONE);
      for (const operation of ['QAS_LISTQUERYFIELDS_OPER', 'QAS_LISTQUERYPROMPTS_OPER'])
        expect(await alike((name) => soap(operation, named(name)), operation)).toBe(500);
      expect((await soap('QAS_LISTQUERYFIELDS_OPER', named('HIDDEN'))).text).toMatch(NONE);
      expect((await soap('QAS_LISTQUERYPROMPTS_OPER', named('HIDDEN'))).text).toMatch(NONE);
    }
  });

  it('is in no list, and takes the one that connects it along', async () => {
    const names = async (more: string) => (await get(`ListQuery.v1/PUBLIC?${more}`)).text;
    expect(await names('')).toContain('OPENED');
    expect(await names('')).not.toContain('HIDDEN');
    expect(await names('isconnectedquery=Y')).not.toContain('OPENED');
    const connected = await get('ExecuteQuery.v1/PUBLIC/OPENED/JSON/NONFILE?isconnectedquery=Y');
    expect([connected.status, connected.text.includes('HIDDEN')]).toEqual([404, false]);
    expect(await alike((name) => get(`ListQuery.v1/PUBLIC?search=${name}`), 'search')).toBe(200);
  });

  it('is not told by what is saved or deleted under its name', async () => {
    const save = (name: string) =>
      gateway.call(`${REST}/QuerySave.v1/`, {
        method: 'POST',
        headers: { authorization: GUEST, 'content-type': 'application/json' },
        body: JSON.stringify({ query: name, columns: { X: 'integer' }, sql: 'select 1 as x' }),
      });
    const remove = (name: string) => get(`QueryDelete.v1/${name}`, GUEST, 'DELETE');
    expect(await alike(remove, 'deleted before')).toBe(404);
    expect(await alike(save, 'saved')).toBe(200);
    expect(await alike((name) => get(`ExecuteQuery.v1/PRIVATE/${name}/JSON/NONFILE`), 'run')).toBe(200);
    expect(await alike((name) => get(`ExecuteQuery.v1/PUBLIC/${name}/JSON/NONFILE`), 'run by its other name')).toBe(
      404,
    );
    expect(await alike(remove, 'deleted')).toBe(200);
  });
});

describe('a private query of somebody else', () => {
  it('answers as one that does not exist', async () => {
    const body = JSON.stringify({ query: 'SECRET', columns: { X: 'integer' }, sql: 'select 1 as x' });
    const headers = { authorization: DEMO, 'content-type': 'application/json' };
    expect((await gateway.call(`${REST}/QuerySave.v1/`, { method: 'POST', headers, body })).status).toBe(200);
    for (const [path, method] of [
      ['ExecuteQuery.v1/PRIVATE/#/JSON/NONFILE', 'GET'],
      ['QueryFields.v1/PRIVATE/#', 'GET'],
      ['QueryDelete.v1/#', 'DELETE'],
    ] as const) {
      const ask = (name: string) => get(path.replace('#', name), GUEST, method);
      expect(await expectAlike(ask, 'SECRET', 'ABSENT', path)).toBe(404);
    }
  });
});

describe('a run of somebody else', () => {
  it('answers as one that does not exist: its state, its rows, its end', async () => {
    const { id } = await runOfDemo('JSON/NONFILE');
    for (const json of ['true', 'false'])
      for (const path of [
        'QueryStatus.v1/getstatus?instanceid=#',
        'QueryResults.v1/getresults?instanceid=#&blocknumber=1',
        'QueryResults.v1/getresults?instanceid=#&blocknumber=7',
        'CancelQuery.v1/cancelquery?instanceid=#',
      ]) {
        const ask = (instance: string) => get(`${path.replace('#', instance)}&json_resp=${json}`);
        expect(await expectAlike(ask, id, randomUUID(), path)).toBe(200);
      }
    for (const [operation, more] of [
      ['QAS_QUERYSTATUS_OPER', ''],
      ['QAS_GETQUERYRESULTS_OPER', '<blocknumber>1</blocknumber>'],
      ['QAS_CANCELQUERY_OPER', ''],
    ] as const) {
      const ask = (instance: string) => soap(operation, `<instanceid>${instance}</instanceid>${more}`);
      expect(await expectAlike(ask, id, randomUUID(), operation)).toBe(200);
    }
  });

  it('has a file that answers as one that does not exist', async () => {
    const { id, url = '' } = await runOfDemo('CSV/FILE');
    expect((await gateway.call(url)).status).toBe(200);
    const ask = (instance: string) => gateway.call(url.replace(id, instance), { headers: { authorization: GUEST } });
    expect(await expectAlike(ask, id, randomUUID(), url)).toBe(404);
  });
});
