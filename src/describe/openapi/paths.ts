import type { Operation } from '../../model/service.ts';
import type { JsonObject } from '../json.ts';
import { type RestOperation, segmentOf } from '../scope.ts';
import { type DescribedUri, describeUri, type PathWriter } from '../uri.ts';
import { firstSentence } from '../words.ts';
import { requestBody } from './body.ts';
import { mergeBodies, mergeParameters, mergeResponses } from './merge.ts';
import { uriParameters } from './parameters.ts';
import { operationResponses, type Writing } from './replies.ts';
import { securityOf } from './security.ts';

/** One operation at one of its URIs. */
interface Entry {
  readonly operation: Operation;
  readonly described: DescribedUri;
}

/** One path of the description: templates that differ in their query, or in the names of variables, share it. */
interface PathItem {
  readonly path: string;
  /** Names of the variables in the path, in order. */
  readonly names: readonly string[];
  readonly methods: Map<string, Entry[]>;
}

/** The `paths` of a description. */
export function pathItems(context: Writing): JsonObject {
  return Object.fromEntries(
    collect(context.scope.rest).map(({ path, names, methods }) => {
      const operations = [...methods].map(([method, entries]) => [method, operationObject(entries, names, context)]);
      return [path, Object.fromEntries(operations)];
    }),
  );
}

/** Paths know `{X}` only; the operators `;` and `.` are styles of the parameter. */
const openApiPath: PathWriter = ({ operator, name }, first) => {
  if (operator === '/') return `/{${name}}`;
  return first || operator === ';' || operator === '.' ? `{${name}}` : `,{${name}}`;
};

function collect(operations: readonly RestOperation[]): PathItem[] {
  const items = new Map<string, PathItem>();
  for (const operation of operations) {
    for (const uri of operation.uris) {
      const described = describeUri(uri, openApiPath);
      const path = `/${segmentOf(operation)}/${described.path}`;
      const shape = path.replace(/\{[^}]*\}/g, '{}');
      const names = described.pathVariables.map((variable) => variable.template.name);
      const item = items.get(shape) ?? { path, names, methods: new Map<string, Entry[]>() };
      items.set(shape, item);
      const method = operation.method.toLowerCase();
      item.methods.set(method, [...(item.methods.get(method) ?? []), { operation, described }]);
    }
  }
  return [...items.values()];
}

function operationObject(entries: readonly Entry[], names: readonly string[], context: Writing): JsonObject {
  const [first] = entries as [Entry, ...Entry[]];
  const { scope } = context;
  const parameters = entries.map(({ operation, described }) => uriParameters(described, names, operation));
  const bodies = entries.map(({ operation, described: { uri } }) =>
    requestBody({ operation, uri, name: scope.nameOf(uri) }, context),
  );
  const operations = [...new Set(entries.map((entry) => entry.operation))];
  const replies = operations.map((operation) => operationResponses(operation, context));
  const merged = mergeParameters(parameters);
  return {
    operationId: scope.nameOf(first.described.uri),
    tags: [scope.service.id],
    summary: summaryOf(operations),
    description: descriptionOf(entries),
    deprecated: scope.service.deprecated === undefined ? undefined : true,
    parameters: merged.length === 0 ? undefined : merged,
    requestBody: mergeBodies(bodies),
    responses: mergeResponses(replies),
    security: securityOf(operations),
  };
}

/** In one line what an address does: the first sentence of each operation there, or its name where it has no description. */
function summaryOf(operations: readonly Operation[]): string {
  const summaries = operations.map(({ name, description = name }) => firstSentence(description));
  return [...new Set(summaries)].join('; ');
}

function descriptionOf(entries: readonly Entry[]): string {
  const descriptions = new Set(entries.flatMap(({ operation }) => operation.description ?? []));
  const templates = entries.map(({ described: { uri } }) => `URI template ${uri.index}: \`${uri.template.text}\``);
  return [...descriptions, ...templates].join('\n\n');
}
