import { CodecError, compileCheck, compileText } from '../codec/index.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import type { ResultFormat } from '../query/index.ts';
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

/** A query's prompts, ready to be filled from text. */
interface CompiledPrompts {
  readonly read: ReadonlyMap<string, { readonly field: Field; readonly parse: (text: string) => Value }>;
  readonly check: (given: Record<string, Value>) => DocumentValue;
}

/** QAS_EXECUTEQRY_REST_GET: runs a stored query (specification 4.1, field notes 1). */
export function queryExecute({ registry, queries }: DeliveredPorts): DeliveredHandler {
  const prompts = new Map<Query, CompiledPrompts>();
  for (const query of registry.queries.values()) prompts.set(query, compilePrompts(query));

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
        prompts: readPrompts(query, prompts.get(query) as CompiledPrompts, request),
        format: resultFormat(request.OutResultType, request.json_resp),
        signal: call.signal,
        ...(request.maxrows === undefined ? {} : { maxrows: Number(request.maxrows) }),
        ...(fields === undefined ? {} : { fields }),
      });
      return { kind: 'bytes', bytes };
    },

    formatOf(given) {
      const asked = given('json_resp')?.toLowerCase();
      if (asked === 'true') return 'json';
      if (asked === 'false') return 'xml';
      const type = given('OutResultType');
      return type === 'XMLP' || type === 'WEBROWSET' ? 'xml' : 'json';
    },
  };
}

function compilePrompts(query: Query): CompiledPrompts {
  return {
    read: new Map(query.prompts.map((field) => [field.name, { field, parse: compileText(field) }])),
    check: compileCheck(query.prompts),
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
function readPrompts(query: Query, compiled: CompiledPrompts, request: ExecuteRequest): DocumentValue {
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

  const given: Record<string, Value> = {};
  for (const [index, name] of names.entries()) {
    const prompt = compiled.read.get(name);
    if (prompt === undefined) {
      const known = [...compiled.read.keys()].join(', ') || 'none';
      throw bad('prompt_uniquepromptname', `names ${quoted(name)}, which ${query.id} does not have; it has: ${known}`);
    }
    if (Object.hasOwn(given, name)) throw bad('prompt_uniquepromptname', `names ${quoted(name)} twice`);
    const text = values[index] ?? '';
    given[name] = text === '' ? undefined : guarded(name, () => prompt.parse(text));
  }
  return guarded(undefined, () => compiled.check(given));
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

function guarded<T>(name: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError) throw bad(`Prompt ${name ?? error.path}`, error.reason);
    throw error;
  }
}

function bad(name: string, reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name, reason });
}

/** A caller's text inside a message, bounded. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
