import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import { type NewRun, type QueryInput, type RunFormat, readInput } from '../../query/index.ts';
import { counted, quote } from '../../wire/words.ts';
import {
  answering,
  type DeliveredCall,
  type DeliveredHandler,
  type DeliveredPorts,
  type ReplyForm,
  reply,
} from '../delivered-port.ts';
import { findQuery, type QueryNamed, reached } from './find.ts';
import { fileUrl, formByJsonResp, rootOf, truncation } from './form.ts';

/** QAS_EXECUTEQRY_REST_GET, QAS_EXECUTEQRYSYNC_OPER: runs a stored query (specification 4.1, field notes 1). */
export function queryExecute(ports: DeliveredPorts): DeliveredHandler {
  const { queries, runs, base } = ports;
  return answering<ExecuteRequest>(async (request, call, as) => {
    const run = await readRun(ports, call, request, as);
    if (run.file) {
      const kept = await runs.keepFile(run, call);
      return reply(fileReply(fileUrl(base(), kept.id, kept.file ?? ''), 'success', as), truncation(kept));
    }
    const { query, input, format } = run;
    const bytes = await queries.run({
      ...readInput(query, input),
      format,
      signal: call.signal,
      caller: call.sharer,
      ...rootOf(call, format),
    });
    return { kind: 'bytes', bytes };
  }, formByType);
}

/** QAS_EXECUTEQRYPOLL_REST_GET, QAS_EXECUTEQRYSYNCPOLL_OPER: enters a run of a query, after all of the request is checked. */
export function queryPoll(ports: DeliveredPorts): DeliveredHandler {
  return answering<ExecuteRequest>(async (request, call, as) => {
    const run = await readRun(ports, call, request, as);
    return reply({ QueryInstance: await ports.runs.enter(run, call.user) });
  }, formByType);
}

/** The form by `json_resp`, else by the type of the result (field notes 1); `undefined` when the URI has neither. */
function formByType(given: (name: string) => string | undefined): 'json' | 'xml' | undefined {
  const asked = formByJsonResp(given);
  if (asked !== undefined) return asked;
  const type = given('OutResultType')?.toUpperCase();
  if (type === undefined) return undefined;
  return type === 'XMLP' || type === 'WEBROWSET' ? 'xml' : 'json';
}

/** The address of a result in a file, in the shape of each form. */
export function fileReply(url: string, status: string, as: ReplyForm) {
  return as === 'json' ? { status, data: { fileurl: url } } : { FILEURL: url, status };
}

/** QAS_EXEQRY_REQ of qas-qry-service.yaml. */
interface ExecuteRequest extends QueryNamed {
  readonly OutResultType: 'JSON' | 'XMLP' | 'WEBROWSET' | 'HTML' | 'EXCEL' | 'CSV';
  readonly OutResultFormat: 'NONFILE' | 'FILE';
  readonly maxrows?: number | bigint;
  readonly prompt_psqueryname?: readonly string[];
  readonly prompt_uniquepromptname?: readonly string[];
  readonly prompt_fieldvalue?: readonly string[];
  readonly filterfields?: readonly string[];
  readonly json_resp?: boolean;
}

/**
 * Reads and checks a request as a whole, before anything runs.
 * @throws Fault NOT_FOUND, BAD_PARAMETER, MISSING_PARAMETER
 */
async function readRun(
  ports: Pick<DeliveredPorts, 'registry' | 'saved'>,
  call: DeliveredCall,
  request: ExecuteRequest,
  as: ReplyForm,
): Promise<NewRun> {
  const { OutResultType, OutResultFormat, json_resp } = request;
  const query = await findQuery(ports, call, request);
  const file = OutResultFormat === 'FILE';
  const format = resultFormat(OutResultType, json_resp, as === 'soap' && !file);
  const connected = request.isconnectedquery === 'Y';
  if (connected && format !== 'json' && format !== 'xmlp')
    throw bad(
      'OutResultType',
      `is ${OutResultType}, which can't nest the rows of a connected query; JSON and XMLP can`,
    );
  const fields = readFilter(query, request.filterfields);
  const input: QueryInput = {
    ...readPrompts(query, request),
    ...(fields === undefined ? {} : { fields }),
    ...(request.maxrows === undefined ? {} : { maxrows: Number(request.maxrows) }),
    connected,
  };
  readInput(query, input);
  return { owner: call.user?.id ?? '', query, input, format, file };
}

/** `json_resp` only decides between JSON and XML (field notes 1); an envelope can't contain JSON. */
function resultFormat(type: ExecuteRequest['OutResultType'], json: boolean | undefined, enveloped: boolean): RunFormat {
  if (type === 'CSV') return 'csv';
  if (type === 'HTML') return 'html';
  if (type === 'EXCEL') return 'xlsx';
  if (json === true && !enveloped) return 'json';
  if (type === 'WEBROWSET') return 'webrowset';
  return json === false || type === 'XMLP' || enveloped ? 'xmlp' : 'json';
}

/**
 * The three parallel lists. Names and values arrive split at raw commas. A client that encodes every comma sends one entry,
 * which is split here: names always, values only when that gives as many as there are names (field notes 1).
 */
function readPrompts(query: Query, request: ExecuteRequest): Pick<QueryInput, 'prompts' | 'members'> {
  const names = splitNames(request.prompt_uniquepromptname);
  const owners = splitNames(request.prompt_psqueryname);
  const values = splitValues(request.prompt_fieldvalue, names.length);
  if (values.length > names.length) {
    throw bad(
      'prompt_fieldvalue',
      `has ${values.length} values for ${counted(names.length, 'name')} in prompt_uniquepromptname`,
    );
  }
  if (owners.length > names.length) {
    throw bad(
      'prompt_psqueryname',
      `has ${owners.length} entries for ${counted(names.length, 'name')} in prompt_uniquepromptname`,
    );
  }
  const parts = new Map(reached(query, request.isconnectedquery).map((each) => [each.id, each]));
  const given = new Map<string, Map<string, string>>([...parts.keys()].map((id) => [id, new Map()]));
  const stranger = owners.find((owner) => owner !== '' && !parts.has(owner));
  if (stranger !== undefined)
    throw bad('prompt_psqueryname', `names ${quote(stranger)}, which is not part of ${query.id}`);
  for (const [index, name] of names.entries()) {
    const owner = owners[index] || query.id;
    giveOne(parts.get(owner) as Query, given.get(owner) as Map<string, string>, name, values[index] ?? '');
  }
  const prompts = Object.fromEntries(given.get(query.id) ?? []);
  given.delete(query.id);
  if (given.size === 0) return { prompts };
  return { prompts, members: Object.fromEntries([...given].map(([id, texts]) => [id, Object.fromEntries(texts)])) };
}

function giveOne(query: Query, given: Map<string, string>, name: string, value: string): void {
  const known = query.prompts.map((prompt) => prompt.name);
  if (!known.includes(name)) {
    const there = known.join(', ') || 'none';
    throw bad('prompt_uniquepromptname', `names ${quote(name)}, which ${query.id} does not have; it has: ${there}`);
  }
  if (given.has(name)) throw bad('prompt_uniquepromptname', `names ${quote(name)} twice`);
  given.set(name, value);
}

/** An empty name keeps its place between others; a list of empty names only is empty. */
function splitNames(list: readonly string[] | undefined): string[] {
  const names = (list ?? []).flatMap((entry) => entry.split(','));
  return names.every((name) => name === '') ? [] : names;
}

function splitValues(list: readonly string[] | undefined, wanted: number): readonly string[] {
  const values = list ?? [];
  if (values.length !== 1 || wanted < 2) return values;
  const pieces = (values[0] as string).split(',');
  return pieces.length === wanted ? pieces : values;
}

function readFilter(query: Query, list: readonly string[] | undefined): string[] | undefined {
  const names = splitNames(list);
  if (names.length === 0) return undefined;
  const known = new Set(query.columns.map((column) => column.name));
  const stranger = names.find((name) => !known.has(name));
  if (stranger !== undefined) {
    throw bad(
      'filterfields',
      `names ${quote(stranger)}, which ${query.id} does not have; it has: ${[...known].join(', ')}`,
    );
  }
  return [...known].filter((name) => names.includes(name));
}

function bad(name: string, reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name, reason });
}
