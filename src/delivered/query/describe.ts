import type { Field } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
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

/** QAS_LISTQUERYPROMPTS_REST_GET, QAS_LISTQUERYPROMPTS_OPER: the prompts of a query. */
export function queryPrompts(ports: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call): Promise<Outcome> {
      const named = given as unknown as QueryNamed;
      const query = await findQuery(ports, call, named);
      const prompts = reached(query, named.isconnectedquery).flatMap(({ id, prompts: own }) =>
        own.map((prompt) => describePrompt(id, prompt)),
      );
      return { kind: 'value', value: { prompts } };
    },
    formatOf: formByJsonResp,
  };
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
