import { queue, subscription } from '../messaging/kind.ts';
import type { Registry } from '../model/registry.ts';
import { permissionList, role, scheme, user } from './access.ts';
import { component, relatedContent } from './components.ts';
import { document } from './documents.ts';
import { defineKind, type Facts, type Kind, type Member, type Pages, type Thing, type ThingOf } from './kind.ts';
import { node, routing } from './nodes.ts';
import { process, recurrence } from './processes.ts';
import { datasource, query } from './queries.ts';
import { service } from './services.ts';
import { type } from './types.ts';

/** The kinds of definitions, by their key at the top level, in the order of the documents. */
export const KINDS = {
  gateway: defineKind({ members: {} }),
  node,
  service,
  type,
  document,
  datasource,
  query,
  component,
  'related-content': relatedContent,
  process,
  recurrence,
  scheme,
  'permission-list': permissionList,
  role,
  user,
  routing,
  queue,
  subscription,
} as const satisfies Readonly<Record<string, Kind>>;

/** The key of a definition that says its kind. */
export type KindWord = keyof typeof KINDS;

export const KIND_WORDS = Object.keys(KINDS) as readonly KindWord[];

/** The entry of a kind, with what only some kinds have. */
export const kindOf = (word: KindWord): Kind => KINDS[word];

/** Each member of the registry with its facts, in the order of the console. */
const FACTS = {
  ...service.members,
  ...document.members,
  ...type.members,
  ...query.members,
  ...datasource.members,
  ...component.members,
  ...relatedContent.members,
  ...process.members,
  ...recurrence.members,
  ...node.members,
  ...queue.members,
  ...subscription.members,
  ...scheme.members,
  ...permissionList.members,
  ...role.members,
  ...user.members,
  ...routing.members,
};

/** The same, typed alike. The compiler names a member that no kind has. */
export const MEMBERS: { readonly [M in Member]: Facts<M> } = FACTS;

/** A member about whose things the console has pages. */
export type Paged = { [M in Member]: (typeof FACTS)[M] extends { readonly pages: unknown } ? M : never }[Member];

export const ALL_MEMBERS = Object.keys(MEMBERS) as readonly Member[];

export const PAGED = ALL_MEMBERS.filter((member): member is Paged => MEMBERS[member].pages !== undefined);

/** The pages about a member's things, which take the things of that member. */
export const pagesOf = (member: Paged): Pages<Member> => MEMBERS[member].pages as unknown as Pages<Member>;

/** The facts of a member that is not known before, which take the things of that member. */
export const factsOf = (member: Member): Facts<Member> => MEMBERS[member] as unknown as Facts<Member>;

/** All things of a member. */
export function thingsOf<M extends Member>(registry: Registry, member: M): Iterable<ThingOf<M> & Thing> {
  return registry[member].values() as Iterable<ThingOf<M> & Thing>;
}

/** A member as one word, in addresses and keys: `called-operation`. */
export const slugOf = (member: Member): string => MEMBERS[member].word.replaceAll(' ', '-');

/** A registry without definitions but its gateway. */
export function emptyRegistry(gateway: Registry['gateway']): Registry {
  const members = ALL_MEMBERS.map((member) => [member, member === 'routings' ? [] : new Map()]);
  return { gateway, ...(Object.fromEntries(members) as Omit<Registry, 'gateway'>) };
}

/** Whether a key begins a definition of some kind. */
export function isKindWord(key: string): key is KindWord {
  return (KIND_WORDS as readonly string[]).includes(key);
}

/** The kinds whose words are among the keys of a definition; exactly one in a valid definition. */
export function kindsAmong(keys: readonly string[]): KindWord[] {
  return KIND_WORDS.filter(
    (kind) => keys.includes(kind) && !kindOf(kind).alsoKeyOf?.some((other) => keys.includes(other)),
  ).sort((a, b) => keys.indexOf(a) - keys.indexOf(b));
}
