import type { Json, JsonObject } from '../json.ts';

// OpenAPI has one operation per path and method: templates that differ only in their query are merged.

/** Parameters of several templates. A parameter is required if every template requires it. */
export function mergeParameters(lists: readonly (readonly JsonObject[])[]): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  const keyOf = (parameter: JsonObject): string => `${parameter.in} ${parameter.name}`;
  for (const parameter of lists.flat()) {
    const key = keyOf(parameter);
    const known = merged.get(key);
    merged.set(key, known === undefined ? parameter : both(known, parameter));
  }
  return [...merged].map(([key, parameter]) => {
    const everywhere = lists.every((list) => list.some((each) => keyOf(each) === key && each.required === true));
    return everywhere ? parameter : { ...parameter, required: false };
  });
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  return { ...one, schema: anyOf([one.schema, other.schema]) };
}

/** Bodies of several templates: whatever one of them accepts, required if all of them require a body. */
export function mergeBodies(bodies: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  const given = bodies.filter((body) => body !== undefined);
  if (given.length <= 1 && given.length === bodies.length) return given[0];
  if (given.length === 0) return undefined;
  const required = given.length === bodies.length && given.every((body) => body.required === true);
  return { required, content: mergeContents(given.map((body) => body.content as JsonObject)) };
}

/** Responses by status, in the order of their statuses. */
export function mergeResponses(lists: readonly (readonly [string, JsonObject][])[]): JsonObject {
  const byStatus = Map.groupBy(lists.flat(), ([status]) => status);
  const merged = [...byStatus].map(([status, entries]): [string, JsonObject] => {
    const distinct = unique(entries.map(([, response]) => response));
    const [first, ...others] = distinct as [JsonObject, ...JsonObject[]];
    // For faults of two operations at one address the form of the first one is used.
    if (others.length === 0 || '$ref' in first) return [status, first];
    const contents = distinct.map((response) => (response.content ?? {}) as JsonObject);
    return [status, { ...first, content: mergeContents(contents) }];
  });
  return Object.fromEntries(merged);
}

function mergeContents(contents: readonly JsonObject[]): JsonObject {
  const byType = Map.groupBy(
    contents.flatMap((content) => Object.entries(content) as [string, JsonObject][]),
    ([mediaType]) => mediaType,
  );
  return Object.fromEntries(
    [...byType].map(([mediaType, entries]) => {
      const [, first] = entries[0] as [string, JsonObject];
      return [mediaType, { ...first, schema: anyOf(entries.map(([, each]) => each.schema)) }];
    }),
  );
}

function anyOf(schemas: readonly (Json | undefined)[]): Json | undefined {
  const distinct = unique(schemas.filter((schema) => schema !== undefined));
  return distinct.length <= 1 ? distinct[0] : { anyOf: distinct };
}

function unique<T extends Json>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
