import type { Field } from '../model/field.ts';
import type { OperationUri, UriVariable } from '../model/service.ts';
import type { UriTemplate } from '../wire/uri-template/uri-template.ts';
import { inside, type Pair, type Scope } from './changes.ts';

/** The URIs of an operation that correspond. */
type UriPair = Pair<OperationUri>;

/** The part of a template that decides which requests match it, apart from its query parameters. */
function pathOf({ template, variables }: OperationUri): string {
  const { parts }: UriTemplate = template;
  // A slash of an operator is that of any other segment, unless the value may be absent.
  const isSegment = (names: readonly { readonly name: string; readonly explode: boolean }[]): boolean =>
    names.length === 1 &&
    names.every(
      ({ name, explode }) => !explode && variables.some((each) => each.field.name === name && isNeeded(each)),
    );
  let path = '';
  const constants: string[] = [];
  let inQuery = false;
  for (const part of parts) {
    if (part.kind === 'expression') {
      const [first] = part.variables;
      inQuery ||= first?.place === 'query';
      if (first?.place === 'path')
        path +=
          part.operator === '/' && isSegment(part.variables)
            ? '/{}'
            : `{${part.operator}${part.variables.map(({ explode }) => (explode ? '*' : '')).join()}}`;
      continue;
    }
    const query = inQuery ? part.text : (/\?(.*)$/s.exec(part.text)?.[1] ?? '');
    if (!inQuery) path += part.text.replace(/\?.*$/s, '');
    inQuery ||= part.text.includes('?');
    constants.push(...query.split('&').filter((each) => /=./.test(each)));
  }
  return [path.replace(/\/$/, ''), ...constants.sort()].join('&');
}

/** Whether a request has to have a value of a field that is not in its body. */
export function isGiven(field: Field): boolean {
  return field.required && field.default === undefined && field.fixed === undefined;
}

/** Whether each request has a value for a variable: because of the template, or of the field. */
function isNeeded({ required, field }: UriVariable): boolean {
  return required || isGiven(field);
}

/** Pairs URIs with the same path, those of one index first. What is left on both sides at one index has another path. */
function pairUris(before: readonly OperationUri[], after: readonly OperationUri[]): readonly UriPair[] {
  const pairs: UriPair[] = [];
  const free = new Set(after);
  const take = (uri: OperationUri, fits: (other: OperationUri) => boolean): void => {
    if (pairs.some((pair) => pair.before === uri)) return;
    const other = [...free].find(fits);
    if (other === undefined) return;
    free.delete(other);
    pairs.push({ before: uri, after: other });
  };
  const isSamePath = (a: OperationUri, b: OperationUri): boolean => pathOf(a) === pathOf(b);
  for (const uri of before) take(uri, (other) => other.index === uri.index && isSamePath(uri, other));
  for (const uri of before) take(uri, (other) => isSamePath(uri, other));
  for (const uri of before) take(uri, (other) => other.index === uri.index);
  return pairs.sort((a, b) => a.before.index - b.before.index);
}

/** What is called differently for callers and for systems that are called. */
interface UriRules {
  readonly path: 'path-changed' | 'call-path-changed';
  /** Parameters that an operation does not declare are rejected. */
  readonly strict: boolean;
  readonly variables: Scope['role'];
}

/** Compares the URIs of an operation. @returns those that correspond */
export function compareUris(
  before: readonly OperationUri[],
  after: readonly OperationUri[],
  scope: Scope,
  rules: UriRules,
): readonly UriPair[] {
  const rest: Scope = { ...scope, languages: ['json'] };
  const pairs = pairUris(before, after);
  const side = ({ template, at }: OperationUri) => ({ text: template.text, at });
  const at = (uri: OperationUri): Scope => inside(rest, `uri.${uri.index}`, String(uri.index));
  for (const pair of pairs) {
    const sides = { before: side(pair.before), after: side(pair.after) };
    if (pathOf(pair.before) !== pathOf(pair.after)) scope.changes.add(rules.path, at(pair.before), sides);
    else if (pair.before.index !== pair.after.index)
      scope.changes.add('uri-index-changed', at(pair.before), {
        before: sides.before,
        after: { ...sides.after, text: String(pair.after.index) },
      });
    compareVariables(pair, { ...at(pair.before), role: rules.variables }, rules, scope.role);
  }
  const [old, now] = [new Set(pairs.map((each) => each.before)), new Set(pairs.map((each) => each.after))];
  for (const uri of before) if (!old.has(uri)) scope.changes.add('uri-removed', at(uri), { before: side(uri) });
  for (const uri of after) if (!now.has(uri)) scope.changes.add('uri-added', at(uri), { after: side(uri) });
  return pairs;
}

function compareVariables({ before, after }: UriPair, scope: Scope, { strict }: UriRules, role: Scope['role']): void {
  const inQuery = ({ variables }: OperationUri): readonly UriVariable[] =>
    variables.filter(({ place }) => place === 'query');
  const [old, now] = [inQuery(before), inQuery(after)];
  const within = ({ wireName }: UriVariable): Scope => inside(scope, wireName, wireName);
  const side = (text: string, { at }: OperationUri) => ({ text, at });
  const known = new Set<UriVariable>();
  for (const variable of old) {
    const same =
      now.find(({ wireName }) => wireName === variable.wireName) ??
      now.find(
        ({ field, wireName }) => field.name === variable.field.name && !old.some((each) => each.wireName === wireName),
      );
    const sides = { before: side(variable.wireName, before), after: side(same?.wireName ?? '', after) };
    if (same === undefined) {
      // A field that is elsewhere now has moved there, which is reported with the other fields.
      if (hasField(after, variable)) continue;
      scope.changes.add(strict ? 'query-parameter-refused' : 'query-parameter-removed', within(variable), sides);
      continue;
    }
    known.add(same);
    const [was, is] = [entriesIn(variable, before), entriesIn(same, after)];
    if (was !== is && variable.field.type.kind === 'list' && same.field.type.kind === 'list')
      scope.changes.add('query-parameter-exploded', within(variable), {
        before: side(was, before),
        after: side(is, after),
      });
    if (same.wireName !== variable.wireName) scope.changes.add('query-parameter-renamed', within(variable), sides);
    if (isNeeded(same) !== isNeeded(variable))
      scope.changes.add(
        isNeeded(same) ? 'query-parameter-required' : 'query-parameter-optional',
        within(variable),
        sides,
      );
  }
  for (const variable of now) {
    if (known.has(variable) || hasField(before, variable)) continue;
    const rule = isNeeded(variable) ? 'required-query-parameter-added' : 'query-parameter-added';
    scope.changes.add(rule, within(variable), { after: side(variable.wireName, after) });
  }
  comparePathVariables({ before, after }, { ...scope, role });
}

/** How the entries of a list are written, in words. */
function entriesIn(variable: UriVariable, { variables, template }: OperationUri): string {
  const explode = template.variables[variables.indexOf(variable)]?.explode === true;
  return explode ? 'parameters of their own' : 'separated by commas';
}

function hasField({ variables, body }: OperationUri, { field }: UriVariable): boolean {
  return variables.some((each) => each.field.name === field.name) || body.some(({ name }) => name === field.name);
}

/** Variables of a path have no name that is sent: those at the same place correspond. */
function comparePathVariables({ before, after }: UriPair, scope: Scope): void {
  const inPath = ({ variables }: OperationUri): readonly UriVariable[] =>
    variables.filter(({ place }) => place === 'path');
  const [old, now] = [inPath(before), inPath(after)];
  if (old.length !== now.length) return;
  for (const [index, variable] of old.entries()) {
    const name = now[index]?.wireName ?? '';
    if (variable.wireName === name) continue;
    scope.changes.add('path-variable-renamed', inside(scope, variable.wireName, String(before.index)), {
      before: { text: variable.wireName, at: before.at },
      after: { text: name, at: after.at },
    });
  }
}

/** Where a request over REST has a field. */
type Place = 'path' | 'query' | 'header' | 'body';

/** Where a request to a URI has its fields. */
export function placesOf(uri: OperationUri, headers: readonly string[]): ReadonlyMap<string, Place> {
  return new Map<string, Place>([
    ...uri.body.map(({ name }) => [name, 'body'] as const),
    ...headers.map((name) => [name, 'header'] as const),
    ...uri.variables.map(({ field, place }) => [field.name, place] as const),
  ]);
}

/** What a request has, and which of it is in headers. */
export interface Input {
  readonly fields: readonly Field[];
  /** Names of fields. */
  readonly headers: readonly string[];
}

/** Fields that moved between the path, the query, the headers and the body, or that only SOAP has on one side. */
export function comparePlaces(uris: UriPair, { before, after }: Pair<Input>, scope: Scope): void {
  const [old, now] = [placesOf(uris.before, before.headers), placesOf(uris.after, after.headers)];
  const fieldOf = ({ fields }: Input, name: string): Field | undefined => fields.find((each) => each.name === name);
  const add = (rule: Parameters<Scope['changes']['add']>[0], name: string): void => {
    const within = inside(scope, `request.${name}`, `${name} of the request`);
    scope.changes.add(
      rule,
      { ...within, languages: ['json'] },
      {
        before: { text: old.get(name) ?? '', at: uris.before.at },
        after: { text: now.get(name) ?? '', at: uris.after.at },
      },
    );
  };
  for (const [name, place] of old) {
    const other = now.get(name);
    if (other !== undefined && other !== place) add('parameter-moved', name);
    // A field that the request itself no longer has is compared with its document.
    else if (other === undefined && place === 'body' && fieldOf(after, name) !== undefined)
      add('optional-field-removed', name);
  }
  for (const [name, place] of now) {
    const field = fieldOf(after, name);
    if (place === 'body' && !old.has(name) && field !== undefined && fieldOf(before, name) !== undefined)
      add(isGiven(field) ? 'required-field-added' : 'field-added', name);
  }
}
