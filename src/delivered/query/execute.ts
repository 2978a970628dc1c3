import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Query } from '../../model/query.ts';
import { type NewRun, type QueryInput, type RunFormat, readInput } from '../../query/index.ts';
import { counted, quote } from '../../wire/words.ts';
import type { DeliveredCall, DeliveredHandler, DeliveredPorts, ReplyForm } from '../port.ts';
import { findQuery, type QueryNamed, reached } from './find.ts';
import { fileUrl, formByJsonResp, rootOf, truncation } from './form.ts';

/** QAS_EXECUTEQRY_REST_GET, QAS_EXECUTEQRYSYNC_OPER: runs a stored query (specification 4.1, field notes 1). */
export function queryExecute(ports: DeliveredPorts): DeliveredHandler {
  const { queries, runs, base } = ports;
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const run = await readRun(ports, call, given as unknown as ExecuteRequest, as);
      if (run.file) {
        const kept = await runs.keepFile(run, call);
        const value = fileReply(fileUrl(base(), kept.id, kept.file ?? ''), 'success', as);
        return { kind: 'value', value, headers: truncation(kept) };
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
    },
    formatOf: formByType,
  };
}

/** QAS_EXECUTEQRYPOLL_REST_GET, QAS_EXECUTEQRYSYNCPOLL_OPER: enters a run of a query, once everything of it has been checked. */
export function queryPoll(ports: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const run = await readRun(ports, call, given as unknown as ExecuteRequest, as);
      return { kind: 'value', value: { QueryInstance: await ports.runs.enter(run, call.user) } };
    },
    formatOf: formByType,
  };
}

/** `json_resp`, else what is XML by its type (field notes 1); undefined where the URI says neither. */
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

/** QAS_EXEQRY_REQ, as it stands in qas-qry-service.yaml. */
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
 * Reads everything that a request says, and looks all of it up, before anything runs.
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

/** `json_resp` decides only between JSON and XML (field notes 1); in an envelope there is no JSON. */
function resultFormat(type: ExecuteRequest['OutResultType'], json: boolean | undefined, enveloped: boolean): RunFormat {
  if (type === 'CSV') return 'csv';
  if (type === 'HTML') return 'html';
  if (type === 'EXCEL') return 'xlsx';
  if (json === true && !enveloped) return 'json';
  if (type === 'WEBROWSET') return 'webrowset';
  return json === false || type === 'XMLP' || enveloped ? 'xmlp' : 'json';
}

/**
 * The three parallel lists. Names and values arrive cut at raw commas; a client that encodes every comma sends one entry,
 * which is cut here: names always, values only where that gives as many as there are names (field notes 1).
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

/** An empty name keeps its place only between others: a list of nothing but emptiness is empty. */
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
