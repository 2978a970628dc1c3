import type { Outcome } from '../../model/handler.ts';
import type { DeliveredHandler, DeliveredPorts } from '../index.ts';
import { findQuery, type QueryNamed, reached } from './find.ts';
import { formByJsonResp } from './form.ts';
import { describeField } from './words.ts';

/** QAS_LISTQUERYFIELDS_REST_GET, QAS_LISTQUERYFIELDS_OPER: the columns of a query. */
export function queryFields(ports: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call): Promise<Outcome> {
      const named = given as unknown as QueryNamed;
      const query = await findQuery(ports, call, named);
      const fields = reached(query, named.isconnectedquery).flatMap(({ id, columns }) =>
        columns.map((column, index) => ({
          ...(named.isconnectedquery === 'Y' ? { QueryName: id } : {}),
          ColumnNumber: index + 1,
          ...describeField(column),
          UniqueFieldName: column.name,
        })),
      );
      return { kind: 'value', value: { fields } };
    },
    formatOf: formByJsonResp,
  };
}
