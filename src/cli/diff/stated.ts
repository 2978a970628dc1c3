import { type Change, Changes, inside, type Scope, type Sides } from '../../diff/changes.ts';
import { isAtLeast, worstOf } from '../../diff/verdict.ts';
import type { DraftOperation, DraftSecurity, DraftService } from '../../import/draft.ts';
import type { Loss, Place } from '../../import/place.ts';
import type { Position } from '../../model/definition.ts';
import type { Contract } from './contract.ts';

/** A contract, and what definitions can't carry of it. */
export interface Stated {
  readonly contract: Contract;
  readonly losses: readonly Loss[];
}

/**
 * Completes the comparison of two contracts by what they state and definitions do not: addresses, ways to authenticate, error replies,
 * and all that an import has to leave out.
 * @param changes those between the definitions of both
 */
export function withStated(changes: readonly Change[], before: Stated, after: Stated): readonly Change[] {
  const found = new Changes();
  for (const pair of servicePairs(before.contract, after.contract)) compareServices(pair, found);
  compareLosses(before.losses, after.losses, found);
  const isXml = xmlOperations(before.contract);
  // Imported definitions demand credentials, and offer media types, in their own way.
  const carried = changes.filter(({ rule }) => !STATED.has(rule)).flatMap((change) => spoken(foreign(change), isXml));
  return [...carried, ...found.list];
}

/** Rules about what is compared by what the contracts state. */
const STATED: ReadonlySet<string> = new Set([
  ...['media-type-added', 'media-type-removed', 'default-media-type-changed'],
  ...['public-begun', 'public-ended', 'permission-added', 'permission-removed', 'scheme-added', 'scheme-removed'],
  ...['scheme-changed', 'scheme-stricter', 'scheme-looser', 'role-narrowed', 'role-widened', 'user-added'],
  'user-removed',
]);

const atPlace = ({ source, line, column }: Place): Position => ({ file: source, line, column });

/** The name that an operation of a contract gets. */
const nameOf = ({ name }: DraftOperation): string => name.replace(/\W+/g, '_');

/** Names of operations whose callers speak XML: over SOAP, or with bodies in XML. */
function xmlOperations({ language, drafts }: Contract): (operation: string | undefined) => boolean {
  const isXml = ({ soap, rest, responses }: DraftOperation): boolean =>
    language !== 'openapi' ||
    soap !== undefined ||
    [rest?.mediaType, ...responses.map(({ mediaType }) => mediaType)].some((each) => /[/+]xml\b/.test(each ?? ''));
  const names = new Set(drafts.flatMap(({ operations }) => operations.filter(isXml).map(nameOf)));
  return (operation) => (operation === undefined ? names.size > 0 : names.has(operation));
}

/** The change as it is between systems of others. */
function foreign(change: Change): Change {
  const judged = (more: Change['verdicts']): Change => {
    const verdicts = { ...change.verdicts, ...more };
    return { ...change, verdicts, verdict: worstOf(verdicts) };
  };
  // The name of a service is in generated code only.
  if (change.rule === 'service-renamed') return judged({ json: 'compatible', xml: 'compatible', clients: 'may-break' });
  // This gateway reads elements in any order, and others may insist on that of the schema.
  const isRead = change.rule === 'field-order-changed' && change.at.split('.')[3] === 'request';
  return isRead && change.verdicts.xml !== undefined ? judged({ xml: 'may-break' }) : change;
}

/** The change without XML where callers do not speak it, if anything is left of it. */
function spoken(change: Change, isXml: (operation: string | undefined) => boolean): readonly Change[] {
  const { xml, ...verdicts } = change.verdicts;
  if (xml === undefined || isXml(change.operation)) return [change];
  const verdict = worstOf(verdicts);
  // A change of how something is written in XML.
  if (!isAtLeast(verdict, 'may-break') && isAtLeast(xml, 'may-break')) return [];
  return [{ ...change, verdicts, verdict }];
}

interface ServicePair {
  readonly id: string;
  readonly before: DraftService;
  readonly after: DraftService;
}

/** Services with the same name; a single one of each side in any case. */
function servicePairs(before: Contract, after: Contract): readonly ServicePair[] {
  const ids = [...before.registry.services.values()].filter(({ delivered }) => !delivered).map(({ id }) => id);
  return before.drafts.flatMap((draft, index) => {
    const isSingle = before.drafts.length === 1 && after.drafts.length === 1;
    const same = isSingle ? after.drafts[0] : after.drafts.find(({ name }) => name === draft.name);
    return same === undefined ? [] : { id: ids[index] ?? draft.name, before: draft, after: same };
  });
}

function compareServices({ id, before, after }: ServicePair, changes: Changes): void {
  const scope: Scope = {
    changes,
    role: 'callers',
    languages: ['json', 'xml'],
    service: id,
    at: id,
    what: 'the service',
  };
  const sides = (old: string, now: string): Sides => ({
    before: { text: old, at: atPlace(before.place) },
    after: { text: now, at: atPlace(after.place) },
  });
  const [old, now] = [before.addresses.join(', '), after.addresses.join(', ')];
  if (old !== now) changes.add('address-changed', scope, sides(old || 'unknown', now || 'unknown'));
  const known = new Map(after.operations.map((each) => [each.name, each]));
  for (const operation of before.operations) {
    const same = known.get(operation.name);
    if (same === undefined) continue;
    const name = nameOf(operation);
    const within = { ...scope, operation: name, at: `${id}.${name}`, what: 'the operation' };
    const [was, is] = [operation.addresses?.join(', ') ?? old, same.addresses?.join(', ') ?? now];
    const isOfService = operation.addresses === undefined && same.addresses === undefined;
    if (was !== is && !isOfService) changes.add('address-changed', within, placesOf(operation, same)(was, is));
    compareSecurity(operation.security ?? before.security, same.security ?? after.security, {
      scope: within,
      sides: placesOf(operation, same),
    });
    compareVersions(operation, same, within);
    if (operation.rest === undefined || same.rest === undefined) continue;
    compareMediaTypes(operation, same, within);
    compareBodies(operation, same, within);
    compareErrors(operation, same, within);
  }
}

const placesOf =
  (before: DraftOperation, after: DraftOperation) =>
  (old: string, now: string): Sides => ({
    before: { text: old, at: atPlace(before.place) },
    after: { text: now, at: atPlace(after.place) },
  });

interface Found {
  readonly scope: Scope;
  readonly sides: (old: string, now: string) => Sides;
}

function compareSecurity(
  before: readonly DraftSecurity[] = [],
  after: readonly DraftSecurity[] = [],
  { scope, sides }: Found,
): void {
  const [old, now] = [before.map(securityWords), after.map(securityWords)];
  if (old.length === 0 && now.length > 0) scope.changes.add('public-ended', scope, sides('', now.join(', ')));
  else if (now.length === 0 && old.length > 0) scope.changes.add('public-begun', scope, sides(old.join(', '), ''));
  else {
    for (const each of old) if (!now.includes(each)) scope.changes.add('scheme-removed', scope, sides(each, ''));
    for (const each of now) if (!old.includes(each)) scope.changes.add('scheme-added', scope, sides('', each));
  }
}

function securityWords(way: DraftSecurity): string {
  if (way.kind === 'api-key') return `api-key (${way.in} ${way.name})`;
  if (way.kind === 'client-credentials')
    return [`client-credentials of ${way.tokenUrl}`, ...[...way.scopes].sort()].join(', scope ');
  const { kind, ...demands } = way;
  const words = Object.entries(demands).map((each) => each.join(' '));
  return words.length === 0 ? kind : `${kind} (${words.join(', ')})`;
}

function compareVersions(before: DraftOperation, after: DraftOperation, scope: Scope): void {
  const [old, now] = [before.soap?.version, after.soap?.version];
  if (old !== undefined && now !== undefined && old !== now)
    scope.changes.add('soap-version-changed', { ...scope, languages: ['xml'] }, placesOf(before, after)(old, now));
}

/** Compares the forms of bodies. Definitions have JSON and XML for each document. */
function compareMediaTypes(before: DraftOperation, after: DraftOperation, scope: Scope): void {
  const sides = placesOf(before, after);
  const [was, is] = [before.rest?.mediaType, after.rest?.mediaType];
  if (was !== undefined && is !== undefined && essenceOf(was) !== essenceOf(is))
    scope.changes.add('body-changed', { ...inside(scope, 'request'), role: 'request' }, sides(was, is));
  const types = ({ responses }: DraftOperation): readonly string[] =>
    responses.flatMap(({ mediaType }) => (mediaType === undefined ? [] : essenceOf(mediaType)));
  const [old, now] = [types(before), types(after)];
  // That a reply has content at all is compared with its document.
  if (old.length === 0 || now.length === 0) return;
  const within = (mediaType: string): Scope => ({ ...inside(scope, `reply.${mediaType}`, 'the reply'), role: 'reply' });
  for (const each of old)
    if (!now.includes(each)) scope.changes.add('media-type-removed', within(each), sides(each, ''));
  for (const each of now) if (!old.includes(each)) scope.changes.add('media-type-added', within(each), sides('', each));
}

/** Whether a request may be without its body. */
function compareBodies(before: DraftOperation, after: DraftOperation, scope: Scope): void {
  const isEmpty = ({ request }: DraftOperation): boolean => request.kind === 'none';
  if (isEmpty(before) || isEmpty(after)) return;
  const [was, is] = [before.rest?.optionalBody === true, after.rest?.optionalBody === true];
  if (was === is) return;
  const within: Scope = { ...inside(scope, 'request', 'the body of the request'), role: 'request' };
  const words = (isOptional: boolean): string => (isOptional ? 'optional' : 'required');
  scope.changes.add(is ? 'field-optional' : 'field-required', within, placesOf(before, after)(words(was), words(is)));
}

const essenceOf = (mediaType: string): string => mediaType.toLowerCase().split(/\s*;/)[0] ?? '';

/** Compares the replies for errors, which definitions have one document for. */
function compareErrors(before: DraftOperation, after: DraftOperation, scope: Scope): void {
  const content = ({ faults }: DraftOperation): ReadonlyMap<string, string> =>
    new Map(faults.map(({ name, document }) => [name, JSON.stringify(document, withoutPlaces())]));
  const [old, now] = [content(before), content(after)];
  const sides = placesOf(before, after);
  for (const [name, text] of old) {
    const within = { ...scope, at: `${scope.at}.error.${name}`, what: name };
    if (!now.has(name)) scope.changes.add('error-reply-removed', within, sides(name, ''));
    else if (now.get(name) !== text) scope.changes.add('error-reply-changed', within, sides('', ''));
  }
  for (const name of now.keys())
    if (!old.has(name))
      scope.changes.add(
        'error-reply-added',
        { ...scope, at: `${scope.at}.error.${name}`, what: name },
        sides('', name),
      );
}

/** Where something is, and what only XML has of it. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['place', 'description', 'xml', 'flat', 'namespace', 'xml-type']);

/** Leaves out places, and documents inside themselves. */
function withoutPlaces(): (key: string, value: unknown) => unknown {
  const seen = new Set<unknown>();
  return (key, value) => {
    if (NOT_COMPARED.has(key)) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  };
}

/** Compares what definitions can't carry by its words, and by what it says where that is known, as often as each occurs. */
function compareLosses(before: readonly Loss[], after: readonly Loss[], changes: Changes): void {
  const [old, now] = [byWords(before), byWords(after)];
  const left = (losses: readonly Loss[], others: readonly Loss[] = []): readonly Loss[] =>
    losses.slice(0, Math.max(0, losses.length - others.length));
  for (const [key, losses] of old)
    for (const { place, what } of left(losses, now.get(key)))
      changes.add('uncarried-removed', lossScope(changes), {
        before: { text: wordsOf(what, key), at: atPlace(place) },
      });
  for (const [key, losses] of now)
    for (const { place, what } of left(losses, old.get(key)))
      changes.add('uncarried-added', lossScope(changes), { after: { text: wordsOf(what, key), at: atPlace(place) } });
}

const byWords = (losses: readonly Loss[]): ReadonlyMap<string, readonly Loss[]> =>
  Map.groupBy(
    losses.filter(({ kind }) => kind !== 'note'),
    ({ what, content = '' }) => (content === '' ? what : `${what}\n${content}`),
  );

/** With the beginning of what it says, where only that has changed. */
function wordsOf(what: string, key: string): string {
  const content = key.slice(what.length + 1);
  return content === '' ? what : `${what}: ${content.length > 80 ? `${content.slice(0, 80)}...` : content}`;
}

const lossScope = (changes: Changes): Scope => ({
  ...{ changes, role: 'callers', languages: ['json', 'xml'], at: 'contract', what: 'the contract' },
});
