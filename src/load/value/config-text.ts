import type { KindWord } from '../../kinds/kinds.ts';
import type { ConfigPart, ConfigText, Reference } from '../../model/definition.ts';
import type { Place, Report } from '../diagnostic/diagnostic.ts';
import type { Declaration } from '../read/declaration.ts';
import type { Places } from '../read/places.ts';
import type { TreeMap, TreeValue } from '../read/tree.ts';

/** One use of configuration in the definitions. */
export interface ConfigUse {
  readonly reference: Reference;
  /** The kind of the definition that refers to it. */
  readonly kind: KindWord;
  /** The id of the definition. */
  readonly id: string;
  /** What refers to it, as in `base of the node STOCK`. */
  readonly by: string;
  /** What it is for, if the definitions say so. */
  readonly description?: string;
  readonly at: Place;
}

/** An invalid reference, and its offset in the text. */
interface BadReference {
  readonly text: string;
  readonly offset: number;
  /** The reference that it means, if it is written as other programs write theirs: `${X}`, `$X`, `%X%`, `{{X}}`. */
  readonly meant?: MeantReference;
}

interface MeantReference {
  readonly name: string;
  readonly default?: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Parses the references of a text: `${env:X}`, `${env:X:-default}`, `${secret:X}`. */
export function parseConfigText(source: string): { readonly text: ConfigText; readonly bad: readonly BadReference[] } {
  const parts: ConfigPart[] = [];
  const bad: BadReference[] = [];
  let at = 0;
  const literal = (from: number, to?: number): void => {
    const text = source.slice(from, to);
    parts.push({ kind: 'literal', text });
    bad.push(...foreignReferences(text, text === source).map((each) => ({ ...each, offset: from + each.offset })));
  };
  while (at < source.length) {
    const start = source.indexOf('${', at);
    if (start !== at) literal(at, start < 0 ? undefined : start);
    if (start < 0) break;
    const end = source.indexOf('}', start);
    const text = source.slice(start, end < 0 ? undefined : end + 1);
    const part = end < 0 ? undefined : parseReference(text.slice(2, -1));
    if (part !== undefined) parts.push(part);
    else {
      const meant = end < 0 ? undefined : meantBy(text.slice(2, -1));
      bad.push({ text, offset: start, ...(meant === undefined ? {} : { meant }) });
    }
    at = start + text.length;
  }
  return { text: { source, parts }, bad };
}

/** The texts of a map by key. Invalid references have been reported. */
export function parseConfigTexts(sources: Readonly<Record<string, string>>): ReadonlyMap<string, ConfigText> {
  return new Map(Object.entries(sources).map(([key, source]) => [key, parseConfigText(source).text]));
}

/** `X`, `X:-default` of shells and Compose, `X:default` and `env.X` of Spring and Camel, `ENV:X`, `process.env.X`. */
const FOREIGN_INNER = /^\s*(?:process\.env\.|env[.:]|secrets?\.)?([A-Za-z_][A-Za-z0-9_.]*)(?::[-?=]?(.*))?\s*$/is;
/** Before a colon: a source, of ours or of another program. */
const SOURCE = /^(?:env|secret|sys|file|vault|ssm|cmd|base64)$/i;

function meantBy(inner: string): MeantReference | undefined {
  const [, name, otherwise] = FOREIGN_INNER.exec(inner) ?? [];
  if (name === undefined || (otherwise !== undefined && SOURCE.test(name))) return undefined;
  const variable = NAME.test(name) ? name : name.replaceAll('.', '_').toUpperCase();
  return { name: variable, ...(otherwise === undefined ? {} : { default: otherwise }) };
}

/** `$X` of shells and `%X%` of Windows in capitals, and `{{X}}` of Camel, Ansible and Helm. */
const FOREIGN_REFERENCE = /\$([A-Z_][A-Z0-9_]+)(?![\w(])|%([A-Z_][A-Z0-9_]{2,})%|\{\{([^{}]+)\}\}/g;

/** References as other programs have them, which are the whole of a text, or a part of an address. */
function foreignReferences(text: string, isWhole: boolean): BadReference[] {
  const found = [...text.matchAll(FOREIGN_REFERENCE)].flatMap((match): BadReference[] => {
    const [written, shell, windows, braces = ''] = match;
    const meant = meantBy(shell ?? windows ?? braces);
    return meant === undefined ? [] : [{ text: written, offset: match.index, meant }];
  });
  const isOnly = isWhole && found.length === 1 && found[0]?.text.length === text.length;
  return isOnly || /^[a-z+]+:/.test(text) ? found : [];
}

function parseReference(inner: string): ConfigPart | undefined {
  const colon = inner.indexOf(':');
  const kind = inner.slice(0, colon);
  const rest = inner.slice(colon + 1);
  if (kind === 'secret') return NAME.test(rest) ? { kind: 'secret', name: rest } : undefined;
  if (kind !== 'env') return undefined;
  const dash = rest.indexOf(':-');
  const name = dash < 0 ? rest : rest.slice(0, dash);
  if (!NAME.test(name)) return undefined;
  return dash < 0 ? { kind: 'env', name } : { kind: 'env', name, default: rest.slice(dash + 2) };
}

/** The text with the defaults of references; `undefined` when a reference has none. */
export function literalOf(text: ConfigText): string | undefined {
  let literal = '';
  for (const part of text.parts) {
    if (part.kind === 'literal') literal += part.text;
    else if (part.kind === 'env' && part.default !== undefined) literal += part.default;
    else return undefined;
  }
  return literal;
}

/** A reference to configuration, or a value of the call. */
export const BRACES = /\$\{[^}]*\}|\{([^{}]*)\}/g;

/** Braces with such a name are a value. Others are plain text, such as JSON. */
export const VALUE_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** Whether a text contains values of a call. */
export function namesValues(source: string): boolean {
  return [...source.matchAll(BRACES)].some(([, inner]) => inner !== undefined && VALUE_NAME.test(inner));
}

/**
 * Whether a default is built in the call, from values or configuration. `{fault.message}` belongs to fault documents, which a
 * request may share.
 */
export function isMade(text: string): boolean {
  const own = text.replace(/\{fault\.\w+\}/g, '');
  return own.includes('${') || namesValues(own);
}

/** Keys whose text may contain any braces: prose, SQL, values and patterns. */
const FREE = new Set(['description', 'sql', 'pattern', 'default', 'assumed', 'example', 'enum', 'fixed']);

/** The paths of keys whose references are resolved, by kind. */
const CONFIGURED: Readonly<Record<string, RegExp>> = {
  gateway:
    /^(settings\.\w+(\.value)?|listen|database(\.(url|schema|replicas(\.urls)?))?|publicUrl|tls\.(certificate|key|passphrase|client-ca)|audit|console\.(listen|sign-in\.(client|secret)))$/,
  scheme: /^(bearer\.(issuer|audience|jwks)|signature\.(ca|certificates)|(webhook|hmac)\.secrets)$/,
  user: /^shared-secret$/,
  datasource: /^(url|password|replicas(\.urls)?)$/,
  node: /^(base|ca-file|certificate|resolve|credential)(\.|$)/,
  service: /^(operations\.\w+\.)?(properties\.PRIMARYURL$|(headers|form|values)\.)/,
  routing: /^(properties\.PRIMARYURL$|headers\.)/,
};

/**
 * Reports references that are malformed, or in a key where nothing resolves them.
 * @returns the others
 */
export function checkTexts(declaration: Declaration, places: Places, report: Report): ConfigUse[] {
  const uses: ConfigUse[] = [];
  const configured = CONFIGURED[declaration.kind];
  walk(declaration.value, (text, container, key, path) => {
    const resolves = configured?.test(path.join('.')) === true;
    if (!resolves && !text.includes('${')) return;
    if (!resolves && path.some((each) => FREE.has(each))) return;
    const { text: parsed, bad } = parseConfigText(text);
    for (const each of bad)
      raiseBadReference(report, each, places.inText(container, key, each.offset, each.text.length));
    const [reference] = referencesIn(parsed);
    if (resolves) {
      const by = `${path.join('.')} of the ${declaration.kind.replace('-', ' ')} ${declaration.id}`;
      const { kind, id } = declaration;
      // Settings describe themselves.
      const about = key === 'value' && !Array.isArray(container) ? container.description : undefined;
      const described = typeof about === 'string' ? { description: about } : {};
      uses.push(...usesIn(parsed, { kind, id, by, ...described, at: places.value(container, key) }));
    } else if (reference !== undefined) {
      report.raise(
        'misplaced-reference',
        { text: `\${${reference.kind}:${reference.name}}`, key: path.join('.') },
        places.value(container, key),
      );
    }
  });
  return uses;
}

function referencesIn({ parts }: ConfigText): Reference[] {
  return parts.filter((part) => part.kind !== 'literal');
}

/** The uses of configuration in one text. */
export function usesIn(text: ConfigText, use: Omit<ConfigUse, 'reference'>): ConfigUse[] {
  return referencesIn(text).map((reference) => ({ reference, ...use }));
}

/** Reports an invalid reference. */
export function raiseBadReference(report: Report, { text, meant }: BadReference, at: Place): void {
  if (meant === undefined) report.raise('bad-reference', { text }, at);
  else report.raise('unprefixed-reference', { text, ...meant }, at);
}

type Visit = (text: string, container: TreeMap | TreeValue[], key: string | number, path: readonly string[]) => void;

/** Visits every text. `path` is the keys that lead to it; the array is reused. */
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
