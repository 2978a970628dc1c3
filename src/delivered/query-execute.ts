import { Fault } from '../model/fault.ts';
import type { Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { DocumentValue } from '../model/value.ts';
import { compilePrompts, type PromptReader, type ResultFormat } from '../query/index.ts';
import type { DeliveredHandler, DeliveredPorts } from './index.ts';

/** QAS_EXEQRY_REQ, as it stands in qas-qry-service.yaml. */
interface ExecuteRequest {
  readonly OwnerType: 'PUBLIC' | 'PRIVATE';
  readonly QueryName: string;
  readonly OutResultType: 'JSON' | 'XMLP' | 'WEBROWSET' | 'CSV';
  readonly isconnectedquery: 'Y' | 'N';
  readonly maxrows?: number | bigint;
  readonly prompt_psqueryname?: readonly string[];
  readonly prompt_uniquepromptname?: readonly string[];
  readonly prompt_fieldvalue?: readonly string[];
  readonly filterfields?: readonly string[];
  readonly json_resp?: boolean;
}

/** QAS_EXECUTEQRY_REST_GET: runs a stored query (specification 4.1, field notes 1). */
export function queryExecute({ registry, queries }: DeliveredPorts): DeliveredHandler {
  const prompts = new Map([...registry.queries.values()].map((query) => [query, compilePrompts(query)]));

  return {
    async onRequest(given, call): Promise<Outcome> {
      const request = given as unknown as ExecuteRequest;
      const query = request.OwnerType === 'PUBLIC' ? registry.queries.get(request.QueryName) : undefined;
      if (query === undefined) {
        throw Fault.of('NOT_FOUND', { what: `${request.OwnerType.toLowerCase()} query ${request.QueryName}` });
      }
      call.authorise(query);
      if (request.isconnectedquery === 'Y') {
        throw bad('isconnectedquery', `is Y, and ${query.id} is not a connected query`);
      }
      const fields = readFilter(query, request.filterfields);
      const bytes = await queries.run({
        query,
        prompts: readPrompts(query, prompts.get(query) as PromptReader, request),
        format: resultFormat(request.OutResultType, request.json_resp),
        signal: call.signal,
        ...(request.maxrows === undefined ? {} : { maxrows: Number(request.maxrows) }),
        ...(fields === undefined ? {} : { fields }),
      });
      return { kind: 'bytes', bytes };
    },

    formatOf(given) {
      const asked = given('json_resp')?.toLowerCase();
      if (asked === 'true' || asked === '1') return 'json';
      if (asked === 'false' || asked === '0') return 'xml';
      const type = given('OutResultType');
      return type === 'XMLP' || type === 'WEBROWSET' ? 'xml' : 'json';
    },
  };
}

/** `json_resp` decides only between JSON and XML (field notes 1). */
function resultFormat(type: ExecuteRequest['OutResultType'], json: boolean | undefined): ResultFormat {
  if (type === 'CSV') return 'csv';
  if (json === true) return 'json';
  if (type === 'WEBROWSET') return 'webrowset';
  return json === false || type === 'XMLP' ? 'xmlp' : 'json';
}

/**
 * The three parallel lists. Names and values arrive cut at raw commas; a client that encodes every comma sends one entry,
 * which is cut here: names always, values only where that gives as many as there are names (field notes 1).
 */
function readPrompts(query: Query, reader: PromptReader, request: ExecuteRequest): DocumentValue {
  const names = splitNames(request.prompt_uniquepromptname);
  const owners = splitNames(request.prompt_psqueryname);
  let values = request.prompt_fieldvalue ?? [];
  if (values.length === 1 && names.length > 1) {
    const pieces = (values[0] as string).split(',');
    if (pieces.length === names.length) values = pieces;
  }
  if (values.length > names.length) {
    throw bad('prompt_fieldvalue', `has ${values.length} values for ${names.length} names in prompt_uniquepromptname`);
  }
  if (owners.length > names.length) {
    throw bad(
      'prompt_psqueryname',
      `has ${owners.length} entries for ${names.length} names in prompt_uniquepromptname`,
    );
  }
  const stranger = owners.find((owner) => owner !== '' && owner !== query.id);
  if (stranger !== undefined)
    throw bad('prompt_psqueryname', `names ${quoted(stranger)}, which is not part of ${query.id}`);

  const known = query.prompts.map((prompt) => prompt.name);
  const given = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (!known.includes(name)) {
      const there = known.join(', ') || 'none';
      throw bad('prompt_uniquepromptname', `names ${quoted(name)}, which ${query.id} does not have; it has: ${there}`);
    }
    if (given.has(name)) throw bad('prompt_uniquepromptname', `names ${quoted(name)} twice`);
    given.set(name, values[index] ?? '');
  }
  return reader.fromTexts(given);
}

/** An empty name keeps its place only between others: a list of nothing but emptiness is empty. */
function splitNames(list: readonly string[] | undefined): string[] {
  const names = (list ?? []).flatMap((entry) => entry.split(','));
  return names.every((name) => name === '') ? [] : names;
}

function readFilter(query: Query, list: readonly string[] | undefined): string[] | undefined {
  const names = splitNames(list);
  if (names.length === 0) return undefined;
  const known = new Set(query.columns.map((column) => column.name));
  const stranger = names.find((name) => !known.has(name));
  if (stranger !== undefined) {
    throw bad(
      'filterfields',
      `names ${quoted(stranger)}, which ${query.id} does not have; it has: ${[...known].join(', ')}`,
    );
  }
  return names;
}

function bad(name: string, reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name, reason });
}

/** A caller's text inside a message, bounded. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
