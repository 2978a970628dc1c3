import { PRIVATE_QUERY_KEYS, type Query } from '../../model/query.ts';
import type { JsonValue } from '../../model/value.ts';
import { Documents } from '../document/documents.ts';
import { createLinking } from '../linking.ts';
import { deepFreeze } from '../object.ts';
import { readDeclaration } from '../read/declaration.ts';
import { checkShape } from '../read/shape.ts';
import { parseTree, type TreeMap } from '../read/tree.ts';
import type { FieldsDeclared } from '../schema/document.ts';
import type { QueryDeclared } from '../schema/query.ts';
import { checkTexts } from '../value/config-text.ts';
import { linkQueries } from './queries.ts';

const KEYS: ReadonlySet<string> = new Set(PRIVATE_QUERY_KEYS);

/** Most bytes of a definition. */
const LARGEST = 65_536;

/**
 * Links the definition of a private query, by the checks that a query in YAML passes.
 * @param definition as JSON has it, from whoever sent it
 * @returns the query without an owner or a grant; or all that is wrong, in sentences
 */
export function linkSavedQuery(
  definition: JsonValue,
): { readonly query: Query } | { readonly problems: readonly string[] } {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition) || !('query' in definition))
    return { problems: ['The definition is no object with the key query, which names it.'] };
  // JSON is YAML (YAML 1.2.2, section 1.3), so that all checks are those of a definition file. A query has to be granted there.
  const text = JSON.stringify({ ...definition, public: true }, digits);
  if (Buffer.byteLength(text) > LARGEST) return { problems: [`The definition is larger than ${LARGEST} bytes.`] };
  const strangers = Object.keys(definition).filter((key) => !KEYS.has(key));
  const problems = strangers.map((key) => `A private query has no key ${JSON.stringify(key.slice(0, 60))}.`);
  if (problems.length > 0) return { problems };
  return linked(text);
}

/** JSON.stringify refuses a bigint; its digits are what JSON writes. */
function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}

function linked(text: string): ReturnType<typeof linkSavedQuery> {
  const linking = createLinking();
  const { report, places, declared } = linking;
  const { roots } = parseTree({ file: 'query', text }, places, report);
  const [root] = roots;
  const declaration =
    root === undefined ? undefined : readDeclaration(root.value as TreeMap, places, root.at, report, false);
  if (declaration !== undefined && checkShape(declaration, linking)) {
    const { prompts, columns } = declaration.value as TreeMap & QueryDeclared;
    const problems = [prompts, columns].flatMap(patternsOf);
    if (problems.length > 0) return { problems };
    checkTexts(declaration, places, report);
    declared.add(declaration, report);
  }
  const [query] = linkQueries(new Documents(linking), { lists: new Map(), added: new Map() }, new Map()).values();
  const wrong = report.sorted().filter((each) => each.severity === 'error');
  if (wrong.length > 0 || query === undefined) return { problems: [...new Set(wrong.map((each) => each.message))] };
  return { query: deepFreeze({ ...query, public: false }) };
}

/**
 * A pattern is compiled and tried by the gateway itself. Both end, but a large one may take a second to compile and a
 * millisecond for each value of each row, which whoever wrote it would not pay for: only the definitions may have one.
 */
function patternsOf(fields: FieldsDeclared = {}): string[] {
  return Object.entries(fields).flatMap(([name, said]) => {
    if (typeof said === 'string') return [];
    const own = said.pattern === undefined ? [] : [`${name} has a pattern, which a private query can't have.`];
    return [...own, ...patternsOf(said.fields), ...patternsOf(said.list?.fields)];
  });
}
