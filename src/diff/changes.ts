import type { Position } from '../model/definition.ts';
import { lettersIn } from './catalogue/entry.ts';
import { RULES, type RuleId } from './catalogue.ts';
import {
  type Audience,
  audienceOf,
  LANGUAGES,
  type Role,
  type Verdict,
  type Verdicts,
  verdictsOf,
  type WireLanguage,
  worstOf,
} from './verdict.ts';

/** One side of a change. */
export interface Side {
  /** The value, in words. */
  readonly text: string;
  readonly at: Position;
}

/** A change, judged. Plain data, which serialises as it is. */
export interface Change {
  readonly rule: RuleId;
  /** What is changed: `Locations.v1.LOCATIONS_GET.reply.LOCATION.NAME`. `accepted-breaks` names it as `at`. */
  readonly at: string;
  /** The service and the operation, unless it concerns all of them. */
  readonly service?: string;
  readonly operation?: string;
  readonly audience: Audience;
  /** That of the language that suffers most. */
  readonly verdict: Verdict;
  /** By the languages that the other side may use. */
  readonly verdicts: Verdicts;
  /** In one sentence. */
  readonly message: string;
  readonly before?: Side;
  readonly after?: Side;
}

/** Where a comparison is. */
export interface Scope {
  readonly changes: Changes;
  readonly role: Role;
  /** What the other side may speak. */
  readonly languages: readonly WireLanguage[];
  readonly service?: string;
  readonly operation?: string;
  readonly at: string;
  /** The name of the thing in sentences: `NAME of the reply`. */
  readonly what: string;
}

/** The scope of a part. @param what its name in sentences, if that is not the one of the whole */
export function inside(scope: Scope, step: string, what = scope.what): Scope {
  return { ...scope, at: `${scope.at}.${step}`, what };
}

/** A thing before and after. */
export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** The sides of a change that exist. */
export interface Sides {
  readonly before?: Side | undefined;
  readonly after?: Side | undefined;
}

/** Collects the changes of one comparison. */
export class Changes {
  readonly #found = new Map<string, Change>();

  /** All changes, in the order in which they were found. */
  get list(): readonly Change[] {
    return [...this.#found.values()];
  }

  /**
   * Adds a change, unless no language of the other side can express it. One that is found again in another language, as for an
   * operation over REST and SOAP, is one change.
   */
  add(rule: RuleId, scope: Scope, { before, after }: Sides): void {
    const { role, languages, service, operation, at, what } = scope;
    const letters = lettersIn(RULES[rule], role);
    if (letters === undefined || languages.length === 0) return;
    const all = verdictsOf(letters);
    const words = { what, before: before?.text ?? '', after: after?.text ?? '' };
    const sentence = RULES[rule].sentence.replace(
      /\{(what|before|after)\}/g,
      (_, name: keyof typeof words) => words[name],
    );
    const key = [rule, at, audienceOf(role), sentence].join('\n');
    const known = this.#found.get(key)?.verdicts;
    const spoken = LANGUAGES.filter(
      (each) => each === 'clients' || languages.includes(each) || known?.[each] !== undefined,
    );
    const verdicts: Verdicts = Object.fromEntries(spoken.map((each) => [each, all[each]]));
    this.#found.set(key, {
      rule,
      at,
      ...(service === undefined ? {} : { service }),
      ...(operation === undefined ? {} : { operation }),
      audience: audienceOf(role),
      verdict: worstOf(verdicts),
      verdicts,
      message: capitalised(sentence),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }
}

/** Only words of ours begin with a capital letter; names of fields stay as they are. */
function capitalised(sentence: string): string {
  return sentence.replace(/^the\b/, 'The');
}

/** Compares one aspect of a thing. */
export type Compare<T, S extends Scope = Scope> = (pair: Pair<T>, scope: S) => void;

/**
 * How each member of a type is compared. The compiler names a member without an entry, so that nothing that the definitions can
 * state is overlooked here.
 */
export type Comparison<T, S extends Scope = Scope> = Readonly<Record<keyof T, Compare<T, S>>>;

/** A member that the other side does not notice, or that another member compares. */
export const unseen = (): void => undefined;

export function compareAll<T, S extends Scope>(comparison: Comparison<T, S>, pair: Pair<T>, scope: S): void {
  for (const compare of Object.values<Compare<T, S>>(comparison)) compare(pair, scope);
}

interface Placed {
  readonly at: Position;
}

/** Adds a change if a member differs. @param read the member, in words */
export function whenDifferent<T extends Placed, S extends Scope>(
  rule: RuleId,
  read: (thing: T, scope: S) => string,
): Compare<T, S> {
  return ({ before, after }, scope) => {
    const [old, now] = [read(before, scope), read(after, scope)];
    if (old === now) return;
    scope.changes.add(rule, scope, { before: { text: old, at: before.at }, after: { text: now, at: after.at } });
  };
}

/** Adds a change if something begins or ends. */
export function whenTurned<T extends Placed, S extends Scope>(
  begun: RuleId,
  ended: RuleId,
  isOn: (thing: T, scope: S) => boolean,
  read: (thing: T) => string = () => '',
): Compare<T, S> {
  return ({ before, after }, scope) => {
    const [was, is] = [isOn(before, scope), isOn(after, scope)];
    if (was === is) return;
    const sides = { before: { text: read(before), at: before.at }, after: { text: read(after), at: after.at } };
    scope.changes.add(is ? begun : ended, scope, sides);
  };
}

/** Adds a change if a bound moves. @param read the bound; `undefined` for none */
export function whenMoved<T extends Placed>(
  lowered: RuleId,
  raised: RuleId,
  read: (thing: T) => number | undefined,
  words: (thing: T) => string,
): Compare<T> {
  return ({ before, after }, scope) => {
    const [old, now] = [read(before) ?? Number.POSITIVE_INFINITY, read(after) ?? Number.POSITIVE_INFINITY];
    if (old === now) return;
    const sides = { before: { text: words(before), at: before.at }, after: { text: words(after), at: after.at } };
    scope.changes.add(now < old ? lowered : raised, scope, sides);
  };
}
