import { Fault } from '../../model/fault.ts';
import type { Field, ScalarType } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Query } from '../../model/query.ts';
import { SCALARS } from '../../model/scalar.ts';
import type { DocumentValue, JsonValue } from '../../model/value.ts';
import {
  answering,
  type DeliveredCall,
  type DeliveredHandler,
  type DeliveredPorts,
  type ReplyForm,
  reply,
} from '../delivered-port.ts';
import { findQuery, mayRun, type OwnerType, type QueryNamed, reached } from './find.ts';
import { formByJsonResp } from './form.ts';

/** QAS_LISTQUERY_REQ. */
interface ListRequest {
  readonly OwnerType: OwnerType;
  readonly search?: string;
  readonly maxrows?: number | bigint;
  readonly isconnectedquery: 'Y' | 'N';
}

/** QAS_LISTQUERY_REST_GET, QAS_LISTQUERY_OPER: the queries that the caller may run. */
export function queryList({ registry, saved }: DeliveredPorts): DeliveredHandler {
  const answer = async (
    { OwnerType, search = '', maxrows = 0, isconnectedquery }: ListRequest,
    call: DeliveredCall,
    as: ReplyForm,
  ): Promise<Outcome> => {
    const owner = call.user?.id;
    const own = async () => (owner === undefined ? [] : saved.list(owner));
    const all = OwnerType === 'PRIVATE' ? await own() : [...registry.queries.values()];
    const prefix = search.toLowerCase();
    const found = all.filter((query) => {
      if (!query.id.toLowerCase().startsWith(prefix)) return false;
      if (isconnectedquery === 'Y' && query.children.length === 0) return false;
      return mayRun(call, query, isconnectedquery);
    });
    const queries = found.slice(0, Number(maxrows) || found.length).map(({ id, description, children }) => ({
      QueryName: id,
      ...(description === undefined ? {} : { Descr: description }),
      OwnerType,
      IsConnectedQuery: children.length > 0 ? 'Y' : 'N',
    }));
    return reply(isOriginal(call) && as === 'xml' ? recordsOf(queries) : { queries });
  };
  return answering(answer, (given, asked) => {
    const form = formByJsonResp(given);
    const { accept = '' } = asked;
    if (!isOriginal(asked)) return form ?? (/\btext\//i.test(accept) ? 'xml' : undefined);
    return form === 'json' || (form === undefined && /\bjson\b/i.test(accept)) ? 'json' : 'text/xml';
  });
}

/** Whether the request has the path of the original, which answers in XML of its own unless JSON is asked for. */
const isOriginal = ({ uriIndex }: { readonly uriIndex: number }): boolean => uriIndex === 2;

/** QAS_LISTQUERY_RESP_MSG. */
function recordsOf(queries: readonly { QueryName: string; Descr?: string; OwnerType: OwnerType }[]): DocumentValue {
  const records = queries.map(({ QueryName, Descr, OwnerType }) => {
    return { PTQASWRK: { QueryName, ...(Descr === undefined ? {} : { Description: Descr }), OwnerType } };
  });
  return { QAS_LISTQUERY_RESP: records };
}

/** A handler that describes a query, and with `isconnectedquery` its members too. */
function describing({
  ports,
  list,
  describe,
}: {
  readonly ports: DeliveredPorts;
  /** The field of the reply. */
  readonly list: string;
  readonly describe: (query: Query, isConnected: boolean) => DocumentValue[];
}): DeliveredHandler {
  return answering<QueryNamed>(async (named, call) => {
    const query = await findQuery(ports, call, named);
    const { isconnectedquery } = named;
    return reply({
      [list]: reached(query, isconnectedquery).flatMap((each) => describe(each, isconnectedquery === 'Y')),
    });
  }, formByJsonResp);
}

/** QAS_LISTQUERYFIELDS_REST_GET, QAS_LISTQUERYFIELDS_OPER: the columns of a query. */
export function queryFields(ports: DeliveredPorts): DeliveredHandler {
  const describe = ({ id, columns }: Query, isConnected: boolean) =>
    columns.map((column, index) => ({
      ...(isConnected ? { QueryName: id } : {}),
      ColumnNumber: index + 1,
      ...describeField(column),
      UniqueFieldName: column.name,
    }));
  return describing({ ports, list: 'fields', describe });
}

/** QAS_LISTQUERYPROMPTS_REST_GET, QAS_LISTQUERYPROMPTS_OPER: the prompts of a query. */
export function queryPrompts(ports: DeliveredPorts): DeliveredHandler {
  const describe = ({ id, prompts }: Query) => prompts.map((prompt) => describePrompt(id, prompt));
  return describing({ ports, list: 'prompts', describe });
}

function describePrompt(query: string, prompt: Field) {
  const { name, required, default: standard, enum: values, fixed, sensitive } = prompt;
  const { FieldDecimal: _, ...described } = describeField(prompt);
  const only = fixed === undefined ? values : [fixed];
  return {
    QueryName: query,
    ...described,
    UniquePromptName: name,
    Required: required ? 'Y' : 'N',
    ...(standard === undefined || sensitive ? {} : { DefaultValue: String(standard) }),
    ...(only === undefined || sensitive ? {} : { Values: only.map(String) }),
  };
}

/** A column or a prompt by the names of the query services. */
function describeField({ name, type, description }: Field) {
  const { kind, length, scale } = type as ScalarType;
  const { peoplesoft } = SCALARS[kind];
  return {
    // `A.EMPLID` is the field EMPLID of the record with alias A.
    FieldName: name.slice(name.lastIndexOf('.') + 1),
    HeadingText: description ?? name,
    FieldType: peoplesoft.type,
    FieldLength: length ?? peoplesoft.length,
    FieldDecimal: scale ?? 0,
  };
}

/** QAS_SAVE_QUERY_REST_POST, QAS_SAVE_QUERY_OPER: saves a private query of the caller. */
export function querySave({ saved }: DeliveredPorts): DeliveredHandler {
  return answering<{ readonly Definition: JsonValue }>(async ({ Definition }, call) => {
    const outcome = await saved.save(ownerOf(call), Definition);
    if ('problems' in outcome) {
      const [first = '', ...others] = outcome.problems;
      const detail = others.length === 0 ? {} : { detail: others.join('\n') };
      throw Fault.of('BAD_REQUEST', { reason: first.replace(/\.$/, '') }, detail);
    }
    const { query, replaced } = outcome;
    return reply({ INFO_MESSAGE: `Query ${query.id} was ${replaced ? 'replaced' : 'saved'}.` });
  });
}

/** QAS_QUERY_DELETE_REST_DELETE, QAS_QUERY_DELETE_OPER: deletes a private query of the caller. */
export function queryDelete({ saved }: DeliveredPorts): DeliveredHandler {
  return answering<{ readonly QUERY_NAME: string }>(async ({ QUERY_NAME: name }, call) => {
    if (!(await saved.delete(ownerOf(call), name))) throw Fault.of('NOT_FOUND', { what: `private query ${name}` });
    return reply({ INFO_MESSAGE: `Query ${name} was deleted.` });
  });
}

/** @throws Fault FORBIDDEN for an anonymous caller, who has no queries */
function ownerOf({ user }: DeliveredCall): string {
  if (user === undefined) throw Fault.of('FORBIDDEN', { user: 'An anonymous caller', what: 'private queries' });
  return user.id;
}
