import type { Report } from '../diagnostic/diagnostic.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Declaration } from '../read/declaration.ts';
import type { Places } from '../read/places.ts';
import type { TreeMap, TreeValue } from '../read/tree.ts';
import { type BadReference, parseConfigText } from './config-text.ts';

/** Keys whose text is the author's own: prose, SQL, values and patterns may hold any braces. */
const FREE = new Set(['description', 'sql', 'pattern', 'default', 'example', 'enum', 'fixed']);

/** Where references to configuration are resolved, by kind: the keys on the way there. */
const CONFIGURED: Readonly<Record<string, RegExp>> = {
  gateway: /^(listen|database(\.url)?|publicUrl|tls\.(certificate|key|passphrase|client-ca)|audit)$/,
  scheme: /^(bearer\.(issuer|audience|jwks)|signature\.ca)$/,
  user: /^shared-secret$/,
  datasource: /^(url|password)$/,
  node: /^(base|ca-file|certificate|resolve|credential)(\.|$)/,
  service: /^(operations\.\w+\.)?(properties\.PRIMARYURL$|(headers|form|values)\.)/,
  routing: /^(properties\.PRIMARYURL$|headers\.)/,
};

/** Finds references that are malformed, or stand where nothing resolves them. */
export function checkTexts(declaration: Declaration, places: Places, report: Report): void {
  const configured = CONFIGURED[declaration.kind];
  walk(declaration.value, (text, container, key, path) => {
    if (!text.includes('${')) return;
    const resolves = configured?.test(path.join('.')) === true;
    if (!resolves && path.some((each) => FREE.has(each))) return;
    const { text: parsed, bad } = parseConfigText(text);
    for (const each of bad)
      raiseBadReference(report, each, places.inText(container, key, each.offset, each.text.length));
    const reference = parsed.parts.find((part) => part.kind !== 'literal');
    if (reference !== undefined && !resolves) {
      report.raise(
        'misplaced-reference',
        { text: `\${${reference.kind}:${reference.name}}`, key: path.join('.') },
        places.value(container, key),
      );
    }
  });
}

/** Reports a reference that is none. */
export function raiseBadReference(report: Report, { text, unprefixed }: BadReference, at: Place): void {
  if (unprefixed === undefined) report.raise('bad-reference', { text }, at);
  else report.raise('unprefixed-reference', { name: unprefixed }, at);
}

type Visit = (text: string, container: TreeMap | TreeValue[], key: string | number, path: readonly string[]) => void;

/** Visits every text; `path` is the keys on the way to it, and is reused from one to the next. */
function walk(container: TreeMap | TreeValue[], visit: Visit, path: string[] = []): void {
  if (Array.isArray(container)) {
    for (const [index, value] of container.entries()) step(value, container, index, visit, path);
    return;
  }
  for (const key of Object.keys(container)) {
    path.push(key);
    step(container[key] as TreeValue, container, key, visit, path);
    path.pop();
  }
}

function step(
  value: TreeValue,
  container: TreeMap | TreeValue[],
  key: string | number,
  visit: Visit,
  path: string[],
): void {
  if (typeof value === 'string') visit(value, container, key, path);
  else if (typeof value === 'object' && value !== null) walk(value, visit, path);
}
