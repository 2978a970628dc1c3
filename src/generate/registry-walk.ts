import type { InputMap } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import type { Message } from '../model/service.ts';
import type { JsonTree } from './json-text.ts';
import { messageWords } from './words.ts';

/** How one kind of thing is written to `registry.json`. */
export type Shape<T> = (thing: T, registry: Registry) => JsonTree;

/**
 * A value of the linked registry as JSON, by its form alone: a text with references to configuration as it was written, a
 * thing that has an id as that id, a message as the definitions spell it, anything else member by member.
 */
export function tree(value: unknown): JsonTree {
  if (typeof value !== 'object' || value === null) return value as JsonTree;
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, tree);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, each]) => [name, tree(each)]));
  if ('source' in value) return value.source as string;
  if ('id' in value) return value.id as string;
  if (isMessage(value)) return messageWords(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, tree(each)]));
}

/** A property of each thing by another one. */
export function entriesOf<T>(things: readonly T[], key: keyof T & string, value: keyof T & string): JsonTree {
  return Object.fromEntries(things.map((each) => [each[key], tree(each[value])]));
}

function isMessage(value: object): value is Message {
  return 'kind' in value && (value.kind === 'none' || value.kind === 'raw' || value.kind === 'document');
}

/** The ids of things whose order has no meaning. */
export function sortedIds(things: Iterable<{ readonly id: string }>): string[] {
  return Array.from(things, ({ id }) => id).sort();
}

/** `in-place` of `in-place` and `fields!`, `active` of `active=true`. */
type Word<Members extends string> = Members extends `${infer First} ${infer Rest}`
  ? Word<First> | Word<Rest>
  : Members extends `${infer Name}!` | `${infer Name}=${string}`
    ? Name
    : Members;
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Members that are not simply a property; the compiler wants one for each word that is not a property of the thing. */
type Derived<T, Name extends string> = {
  readonly [N in Name as CamelCase<N> extends keyof T ? never : N]: Shape<T>;
} & { readonly [N in Name]?: Shape<T> };

/** Members of a thing that no word is for; its id or name and the kind of a union are written around it, places not at all. */
type Silent<T, Name extends string> = Exclude<
  keyof T & string,
  CamelCase<Name> | 'id' | 'name' | 'kind' | 'at' | 'grantedAt'
>;

/** For each of them, where it is written instead, or why it is not: a new member of the model is not left out unseen. */
type Reasons<Members extends string> = [Members] extends [never] ? [] : [reasons: Readonly<Record<Members, string>>];

/**
 * Declares how a kind of thing is written: its members in order, separated by spaces, such as `description fields! active=true`.
 * A member is the property of that name (`in-place` is `inPlace`) unless it is derived. It is left out when it is undefined,
 * empty or false; after `=x` when it is `x` instead of false; after `!` only when it is undefined. Members of the thing that have no word come
 * last, with a reason each; the compiler names those that are missing.
 */
export function shape<T>() {
  return <const Members extends string>(
    members: Members,
    derived: Derived<T, Word<Members>>,
    ..._reasons: Reasons<Silent<T, Word<Members>>>
  ): Shape<T> => {
    const written = members.split(' ').map((member) => {
      const [, name = '', always, omitted] = /^([^!=]+)(!)?(?:=(.+))?$/.exec(member) ?? [];
      const property = camelCase(name) as keyof T;
      const read = (derived as Readonly<Record<string, Shape<T>>>)[name] ?? ((thing: T) => tree(thing[property]));
      return { name, read, isOmitted: (value: JsonTree) => always === undefined && isDefault(value, omitted) };
    });
    return (thing, registry) => {
      const entries = written.map(({ name, read, isOmitted }) => {
        const value = read(thing, registry);
        return [name, isOmitted(value) ? undefined : value] as const;
      });
      return Object.fromEntries(entries);
    };
  };
}

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
export const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function isDefault(value: JsonTree, omitted: string | undefined): boolean {
  if (value instanceof Map) return value.size === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every((each) => each === undefined);
  return omitted === undefined ? value === false : String(value) === omitted;
}

/** One shape for each kind of a union. */
export function byKind<T extends { readonly kind: string }>(
  shapes: {
    readonly [K in T['kind']]: Shape<Extract<T, { readonly kind: K }>>;
  },
): Shape<T> {
  return (thing, registry) => (shapes[thing.kind as T['kind']] as Shape<T>)(thing, registry);
}

/** The fields of an input, and what fills each. */
export function inputTree(input: InputMap): JsonTree {
  return new Map(
    input.map(({ field, from }) => {
      if (from.kind === 'field') return [field.name, `{${from.field.name}}`];
      return [field.name, from.kind === 'built' ? from.text.source : tree(from.value)];
    }),
  );
}
