import type { Outcome } from '../../model/handler.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
import { mayRun, type OwnerType } from './find.ts';
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
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const { OwnerType, search = '', maxrows = 0, isconnectedquery } = given as unknown as ListRequest;
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
      return { kind: 'value', value: isOriginal(call) && as === 'xml' ? recordsOf(queries) : { queries } };
    },
    formatOf(given, asked) {
      const form = formByJsonResp(given);
      const { accept = '' } = asked;
      if (!isOriginal(asked)) return form ?? (/\btext\//i.test(accept) ? 'xml' : undefined);
      return form === 'json' || (form === undefined && /\bjson\b/i.test(accept)) ? 'json' : 'text/xml';
    },
  };
}

/** Whether the caller asks at the path of the original, which answers XML of its own unless JSON is asked for. */
const isOriginal = ({ uriIndex }: { readonly uriIndex: number }): boolean => uriIndex === 2;

/** QAS_LISTQUERY_RESP_MSG. */
function recordsOf(queries: readonly { QueryName: string; Descr?: string; OwnerType: OwnerType }[]): DocumentValue {
  const records = queries.map(({ QueryName, Descr, OwnerType }) => {
    return { PTQASWRK: { QueryName, ...(Descr === undefined ? {} : { Description: Descr }), OwnerType } };
  });
  return { QAS_LISTQUERY_RESP: records };
}
