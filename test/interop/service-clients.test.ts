import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf } from '../../src/wire/xml/tree.ts';
import { eventually } from '../support/project.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { messageSchema } from './soap-schema.ts';
import {
  type Answer,
  type Calls,
  connectorOf,
  demoSession,
  nodeSoap,
  php,
  runSessions,
  type Session,
  type SessionResult,
  type SoapClient,
  zeep,
} from './soap-support.ts';
import { has, run, type Served, serve } from './support.ts';

let gateway: Served;
beforeAll(async () => {
  gateway = await serve();
});
afterAll(() => gateway?.stop());

const execute = (QueryName: string, OutResultType: string, more: object): Calls[string] => ({
  operation: 'QAS_EXECUTEQRYSYNC_OPER',
  argument: { OwnerType: 'PUBLIC', QueryName, OutResultType, OutResultFormat: 'NONFILE', ...more },
});
const ofOperator = (operator: string): object => ({
  maxrows: 2,
  prompt_uniquepromptname: { item: ['OPRID'] },
  prompt_fieldvalue: { item: [operator] },
});
const monitor = { OwnerType: 'PUBLIC', QueryName: 'PROCESS_MONITOR' };
const definition = { query: 'MINE', columns: { NAME: 'string' }, sql: 'select name from employee_tbl' };

const queries: Calls = {
  list: { operation: 'QAS_LISTQUERY_OPER', argument: { OwnerType: 'PUBLIC', SearchString: 'DEPARTMENTS' } },
  fields: { operation: 'QAS_LISTQUERYFIELDS_OPER', argument: monitor },
  prompts: { operation: 'QAS_LISTQUERYPROMPTS_OPER', argument: monitor },
  rows: execute('PROCESS_MONITOR', 'XMLP', ofOperator('VP1')),
  nothing: execute('PROCESS_MONITOR', 'XMLP', ofOperator('NOBODY')),
  connected: execute('DEPARTMENTS', 'XMLP', { isconnectedquery: 'Y', maxrows: 1 }),
  csv: execute('DEPARTMENTS', 'CSV', {}),
  file: execute('DEPARTMENTS', 'CSV', { OutResultFormat: 'FILE' }),
  poll: {
    operation: 'QAS_EXECUTEQRYSYNCPOLL_OPER',
    argument: { ...monitor, OutResultType: 'XMLP', OutResultFormat: 'NONFILE', ...ofOperator('VP1') },
  },
  save: { operation: 'QAS_SAVE_QUERY_OPER', argument: { Definition: JSON.stringify(definition) } },
  private: execute('MINE', 'XMLP', { OwnerType: 'PRIVATE', maxrows: 1 }),
  delete: { operation: 'QAS_QUERY_DELETE_OPER', argument: { QUERY_NAME: 'MINE' } },
  unknown: execute('NOTHING', 'XMLP', {}),
};

const request = { RunControlId: 'SOAP', OutputDestinationType: 'WEB' };
const processes: Calls = {
  names: { operation: 'PRCS_GETPROCESSNAMES', argument: {} },
  schedule: {
    operation: 'PRCS_SCHEDULE',
    argument: {
      ...request,
      ProcessType: 'Application Engine',
      ProcessName: 'LOCATION_EXTRACT',
      parameters: { parameter: [{ Name: 'REGION', Value: 'N' }] },
    },
  },
  query: {
    operation: 'PRCS_SCHEDULE_PSQUERY',
    argument: { ...request, ProcessName: 'DEPARTMENTS', OutputDestinationFormat: 'CSV' },
  },
};

const key = { REGION: 'N', LOCATION: 'NYC01' };
const head = { ...key, DESCR: 'Head office', EFFDT: '2019-01-01' };
const locations: Calls = {
  get: { operation: 'LOCATION_GET', argument: key },
  put: { operation: 'LOCATION_PUT', argument: { ...head, CITY: 'Köln & <Bonn>' } },
  stale: { operation: 'LOCATION_PUT', argument: { ...head, REVISION: 99 } },
};

/** What is asked by the instances that the first calls answered. */
const later = (instance: string, process: number, query: number): { queries: Calls; processes: Calls } => ({
  queries: {
    status: { operation: 'QAS_QUERYSTATUS_OPER', argument: { instanceid: instance } },
    results: { operation: 'QAS_GETQUERYRESULTS_OPER', argument: { instanceid: instance, blocknumber: 1 } },
    cancel: { operation: 'QAS_CANCELQUERY_OPER', argument: { instanceid: instance } },
  },
  processes: {
    get: { operation: 'PRCS_GETREQUEST', argument: { ProcessInstance: process } },
    find: { operation: 'PRCS_FINDREQUESTS', argument: { ProcessInstanceFrom: process, ProcessInstanceTo: query } },
    report: { operation: 'PRCS_GETREPORT', argument: { ProcessInstance: process } },
    messages: { operation: 'PRCS_GETMESSAGES', argument: { ProcessInstance: process } },
    update: { operation: 'PRCS_UPDATEREQUEST', argument: { ProcessInstance: process, RunStatus: 'Cancelled' } },
  },
});

const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
const rest = async (path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${gateway.connector}/${path}`, { headers: { authorization } })).json()) as never;

/** The file at an address, as curl fetches it under the same credentials. */
async function download(address: string): Promise<string> {
  const { code, stdout } = await run('curl', ['-sS', '--fail', '-u', 'demo:demo', address]);
  expect(code).toBe(0);
  return stdout;
}

type Row = Readonly<Record<string, string | null>>;
const asList = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/** Columns of elements, as XML that stands in a row. */
function columnsOf(elements: readonly string[]): Row {
  const children = childrenOf(readXml(`<row>${elements.join('')}</row>`));
  return Object.fromEntries(children.map((column) => [column.local, textOf(column)]));
}

/** How a client shows the rows of a result, whose columns no schema declares. */
interface Ways {
  readonly client: SoapClient;
  readonly version: Session['version'];
  /** A reply with one field is that field, and an entry of a list needs no name. */
  readonly unwraps?: true;
  columns(row: never): Row;
}

const ways: readonly Ways[] = [
  { client: php, version: '1.2', columns: ({ any }: { any: string }) => columnsOf([any]) },
  {
    client: zeep,
    version: '1.1',
    unwraps: true,
    columns: ({ _value_1: elements }: { _value_1: string[] }) => columnsOf(elements),
  },
  {
    client: nodeSoap,
    version: '1.1',
    // It reads an empty element as null.
    columns: ({ rownumber: _, ...row }: Row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ''])),
  },
];

describe.each(ways.map((way) => ({ ...way, name: way.client.name })))('$name, SOAP $version (needs $client.needs)', ({
  client,
  version,
  unwraps,
  columns,
}) => {
  type Part = 'queries' | 'processes' | 'locations';
  const traced = (service: string, calls: Calls): Session => ({
    ...demoSession(gateway, service, version, calls),
    trace: true,
  });
  const sessions = (calls: Readonly<Record<Part, Calls>>): Record<Part, Session> => ({
    queries: traced('QAS_QRY_SERVICE.v1', calls.queries),
    processes: traced('PROCESSREQUEST.v1', calls.processes),
    locations: traced('LocationSetup.v1', calls.locations),
  });
  let first: Readonly<Record<Part, SessionResult>>;
  let second: Readonly<Record<Part, SessionResult>>;
  let process: number;
  const only = (reply: never, field: string): never => (unwraps ? reply : (reply as Record<string, never>)[field]!);
  const numberOf = (call: string): number =>
    Number(only(first.processes.answers[call]?.reply as never, 'ProcessInstance'));

  beforeAll(async () => {
    if (!client.isHere) return;
    first = await runSessions(client, sessions({ queries, processes, locations }));
    const instance = only(first.queries.answers.poll?.reply as never, 'QueryInstance');
    process = numberOf('schedule');
    await eventually('the end of the run', async () =>
      (await rest(`QueryStatus.v1/getstatus?instanceid=${instance}`)).status === 'success' ? true : undefined,
    );
    for (const number of [process, numberOf('query')])
      await eventually('the end of the process', async () =>
        (await rest(`ProcessRequest.v1/requests/${number}`)).RunStatus === 'Success' ? true : undefined,
      );
    second = await runSessions(client, sessions({ ...later(instance, process, numberOf('query')), locations: {} }));
  });
  const it = test.skipIf(!client.isHere);
  const itWithCurl = test.skipIf(!client.isHere || !has('curl'));
  const answer = (part: Part, call: string): Answer =>
    (first[part].answers[call] ?? second[part].answers[call]) as Answer;
  // biome-ignore lint/suspicious/noExplicitAny: what a client makes of a reply, which is what the tests are about
  const reply = (part: Part, call: string): any => answer(part, call).reply;
  const rowsOf = (call: string): readonly Row[] => asList(reply('queries', call).query.row as never).map(columns);
  /** Rows as JSON has them, each value as text. */
  const texts = (result: Record<string, unknown>): readonly Row[] =>
    (result as { data: { query: { rows: Record<string, unknown>[] } } }).data.query.rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).flatMap(([name, value]) => (name === 'attr:rownumber' ? [] : [[name, String(value)]])),
      ),
    );

  it('finds every operation in the WSDL', () => {
    expect(first.queries.operations).toEqual(
      expect.arrayContaining(Object.values(queries).map((each) => each.operation)),
    );
    expect(first.processes.operations).toEqual(expect.arrayContaining(['PRCS_SCHEDULE', 'PRCS_GETREPORT']));
    expect(first.locations.operations).toEqual(expect.arrayContaining(['LOCATION_PUT', 'LOCATION_DELETE']));
  });

  it('lists queries, their fields and their prompts', () => {
    const entries = (call: string, field: string, item: string): readonly object[] => {
      const list = only(reply('queries', call) as never, field);
      return asList(unwraps ? list : ((list as Record<string, object>)[item] as object));
    };
    expect(entries('list', 'queries', 'item')).toMatchObject([{ QueryName: 'DEPARTMENTS', IsConnectedQuery: 'Y' }]);
    expect(entries('fields', 'fields', 'QAS_FIELD')).toHaveLength(11);
    expect(entries('prompts', 'prompts', 'QAS_PROMPT')).toMatchObject([
      { UniquePromptName: 'OPRID', FieldType: 'Character', FieldLength: 30 },
      { UniquePromptName: 'PRCSTYPE' },
      { UniquePromptName: 'RUNSTATUS' },
    ]);
  });

  it('reads the columns of rows, and nested rows, that no schema declares', async () => {
    const execution = 'ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE';
    const same = await rest(`${execution}?maxrows=2&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1`);
    expect(rowsOf('rows')).toEqual(texts(same));
    expect(rowsOf('rows')).toHaveLength(2);
    expect(Number(reply('queries', 'rows').query.numrows)).toBe(2);
    expect(rowsOf('nothing')).toEqual([]);
    expect(rowsOf('connected')).toMatchObject([{ DEPTNAME: 'FINANCE', EMPLOYEES: '11' }]);
    expect(JSON.stringify(reply('queries', 'connected'))).toContain('François Côté');
  });

  itWithCurl('gets what is no XML as bytes, or as a file that curl fetches', async () => {
    const text = 'DEPTNAME,EMPLOYEES\r\nFINANCE,11\r\n';
    const { content } = reply('queries', 'csv');
    expect(Buffer.from(content.base64, 'base64').toString()).toContain(text);
    const { FILEURL, status } = reply('queries', 'file');
    expect(status).toBe('success');
    expect(await download(FILEURL)).toContain(text);
  });

  it('enters a run, asks how it goes, gets its rows, and can not cancel what has ended', () => {
    expect(reply('queries', 'status')).toMatchObject({ status: 'success', NumCols: 11, TotalRows: 2, TotalBlocks: 1 });
    expect(reply('queries', 'results').status).toBe('finalBlockRetrieved');
    expect(rowsOf('results')).toEqual(rowsOf('rows'));
    expect(only(reply('queries', 'cancel') as never, 'status')).toBe('fail');
  });

  it('saves a private query, runs it and deletes it', () => {
    expect(reply('queries', 'save')).toEqual({ STATUS: 'Success', INFO_MESSAGE: 'Query MINE was saved.' });
    expect(Object.keys(rowsOf('private')[0] ?? {})).toEqual(['NAME']);
    expect(reply('queries', 'delete').STATUS).toBe('Success');
  });

  itWithCurl('schedules processes, follows them to their end, and fetches a report', async () => {
    expect(JSON.stringify(reply('processes', 'names'))).toContain('LOCATION_EXTRACT');
    expect(reply('processes', 'get')).toMatchObject({
      ProcessInstance: process,
      RunStatus: 'Success',
      RunControlID: 'SOAP',
    });
    const found = only(reply('processes', 'find') as never, 'requests');
    const list: readonly { ProcessInstance: number }[] = asList(
      unwraps ? found : (found as { PRQ_REQUEST: never }).PRQ_REQUEST,
    );
    expect(list.map(({ ProcessInstance }) => ProcessInstance)).toEqual([numberOf('query'), process]);
    expect(await download(reply('processes', 'report').ReportURL)).toMatch(/^REGION,LOCATION,.*\r?\nN,BOS01,/);
    expect(JSON.stringify(reply('processes', 'messages'))).toContain('locations written.');
  });

  it('reads a record and saves it', () => {
    expect(reply('locations', 'get')).toMatchObject({ ...key, DESCR: 'Head office' });
    const { CITY, REVISION } = reply('locations', 'put');
    expect([CITY, REVISION]).toEqual(['Köln & <Bonn>', reply('locations', 'get').REVISION + 1]);
  });

  it('catches faults as its own, with the fault document in the detail', () => {
    const code = version === '1.1' ? 'soap:Client' : 'env:Sender';
    for (const [part, call, document, reason] of [
      ['queries', 'unknown', 'QAS_FAILURE', 'There is no query NOTHING that you may run.'],
      ['processes', 'update', 'PRQ_FAILURE', `Process request ${process} is Success and can't be cancelled.`],
      [
        'locations',
        'stale',
        'LOC_FAULT',
        expect.stringMatching(/^LOCATION_SETUP N\/NYC01 has changed since .* the request has 99\.$/),
      ],
    ] as const)
      expect(answer(part, call).fault).toMatchObject({ code, reason, detail: { [document]: expect.anything() } });
  });

  test.skipIf(!client.isHere || !hasXmllint)(
    'sends and gets what the schemas of the WSDL allow (needs xmllint)',
    async () => {
      for (const part of ['queries', 'processes', 'locations'] as const) {
        const { wsdl } = sessions({ queries, processes, locations })[part];
        expect(wsdl).toContain(connectorOf(gateway));
        const answers = [...Object.values(first[part].answers), ...Object.values(second[part].answers)];
        const messages = answers.flatMap(({ sent, received }) => [sent, received]).filter((each) => each !== undefined);
        expect(validateXml(messageSchema(version, await (await fetch(wsdl)).text()), messages), part).toBe('');
      }
    },
  );
});
