import type { Member, Thing } from '../../../kinds/kind.ts';
import { MEMBERS, type Paged, pagesOf, thingsOf } from '../../../kinds/kinds.ts';
import type { Registry } from '../../../model/registry.ts';
import type { Operation } from '../../../model/service.ts';
import type { Html } from '../../html.ts';
import { link, pathTo } from '../../parts.ts';

const PATHS = 'RESTListeningConnector';

/** A definition in lists and search results. */
export interface Entry {
  readonly member: Paged;
  readonly thing: Thing;
}

/** All definitions of a member of the registry whose definitions have pages. */
export function entriesOf(registry: Registry, member: Paged): Entry[] {
  const { has } = pagesOf(member);
  const all = [...thingsOf<Member>(registry, member)];
  return (has === undefined ? all : all.filter(has)).map((thing) => ({ member, thing }));
}

/** What a definition does, and its other names and fields. */
export function factsOf({ member, thing }: Entry): {
  readonly about: readonly string[];
  readonly names: readonly string[];
  readonly fields: readonly string[];
} {
  const { about, names, fields } = pagesOf(member);
  // The thing of an entry belongs to its member.
  const own = thing as Parameters<typeof about>[0];
  return {
    about: about(own).filter((text) => text !== ''),
    names: names?.(own) ?? [],
    fields: [...new Set([...(fields?.(own) ?? [])].map(({ name }) => name))],
  };
}

/** Whether a definition is inactive: not served, or not delivered to. */
export const isOff = ({ thing }: Entry): boolean => 'active' in thing && thing.active === false;

/** The name of one definition of a member in a sentence. */
export const wordOf = (member: Paged): string => MEMBERS[member].word;

/** The page of a definition. */
export const pathOf = (member: Paged, id: string): string => pathTo('registry', pagesOf(member).path, id);

export const linkTo = (member: Paged, { id }: { readonly id: string }): Html => link(pathOf(member, id), id);

/** The path of a URI of a served operation, relative to the gateway's address. */
export const restPath = ({ pathName, service }: Operation, template: string): string =>
  `${PATHS}/${pathName}.${service.version}/${template}`;

/** The path of a code file of the project, by its name in the registry. */
export const codeFile = ({ gateway }: Registry, name: string): string => `${gateway.handlers}/${name}.ts`;
