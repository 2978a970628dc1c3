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

/** Maximum size of a definition in bytes. */
const LARGEST = 65_536;

/**
 * Links the definition of a private query with the same checks as a query in YAML.
 * @param definition JSON from the sender
 * @returns the query without owner and grants, or all errors as sentences
 */
export function linkSavedQuery(
  definition: JsonValue,
): { readonly query: Query } | { readonly problems: readonly string[] } {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition) || !('query' in definition))
    return { problems: ['The definition must be an object with the key query, which is the name of the query.'] };
  // JSON is valid YAML (YAML 1.2.2, section 1.3), so all checks of definition files apply. There a query must be granted.
  const text = JSON.stringify({ ...definition, public: true }, digits);
  if (Buffer.byteLength(text) > LARGEST) return { problems: [`The definition is larger than ${LARGEST} bytes.`] };
  const strangers = Object.keys(definition).filter((key) => !KEYS.has(key));
  const problems = strangers.map((key) => `A private query can't have the key ${JSON.stringify(key.slice(0, 60))}.`);
  if (problems.length > 0) return { problems };
  return linked(text);
}

/** JSON.stringify does not accept a bigint, whose digits are valid JSON. */
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
 * The gateway itself compiles and tests patterns. This always ends, but a large pattern may take a second to compile and a
 * millisecond for each value of each row, at the expense of others. Therefore only the definitions may contain patterns.
 */
function patternsOf(fields: FieldsDeclared = {}): string[] {
  return Object.entries(fields).flatMap(([name, said]) => {
    if (typeof said === 'string') return [];
    const own =
      (said.pattern ?? said.entry?.pattern) === undefined
        ? []
        : [`${name} has a pattern, which a private query can't have.`];
    return [...own, ...patternsOf(said.fields), ...patternsOf(said.list?.fields)];
  });
}
