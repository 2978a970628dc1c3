import type { Position } from '../model/definition.ts';
import type { Field } from '../model/field.ts';
import type { Registry } from '../model/registry.ts';

/** A member of the registry that holds definitions, or parts of them. */
export type Member = Exclude<keyof Registry, 'gateway'>;

/** What such a member holds. */
export type ThingOf<M extends Member> = Registry[M] extends ReadonlyMap<string, infer T> | readonly (infer T)[]
  ? T
  : never;

/** What every such thing has. */
export interface Thing {
  readonly id: string;
  readonly description?: string;
  readonly at: Position;
}

/** What people are told of the things in a member of the registry: in messages, in editors, and by the console. */
export interface Facts<M extends Member> {
  /** One of them, in a sentence: `called operation`. */
  readonly word: string;
  /** What an editor shows of one without a description. */
  readonly hint?: (thing: ThingOf<M>) => string;
  /** The pages of the console about them; what has none is shown within others. */
  readonly pages?: Pages<M>;
  /** `registry.json` has no member for them where a project has none. */
  readonly optional?: true;
}

/** The console's pages about the things of one member. */
export interface Pages<M extends Member> {
  /** Of their list: `Called operations`. */
  readonly title: string;
  /** In their address: `/registry/operations/…`. */
  readonly path: string;
  /** What one does, in lines of code: its addresses, for example. Empty lines are left out. */
  readonly about: (thing: ThingOf<M>) => readonly string[];
  /** Whether one has a page; all by default. */
  readonly has?: (thing: ThingOf<M>) => boolean;
  /** Further names of one. */
  readonly names?: (thing: ThingOf<M>) => readonly string[];
  /** The fields of one, for the search. */
  readonly fields?: (thing: ThingOf<M>) => Iterable<Field>;
}

/** A definition that others may refer to, and what editors show about it. */
export interface KnownId {
  readonly id: string;
  readonly about: string;
}

/** The definitions of a project, by members of the registry; flows as `Service.name` and `Service.version.name`. */
export type KnownIds = { readonly [M in Member]?: readonly KnownId[] };

/** What every stage knows of a kind of definition. How it is read and linked is in `load/kinds.ts`, by the same key. */
export interface Kind {
  /** Other kinds that have its key too, where it refers to a definition of this kind. */
  readonly alsoKeyOf?: readonly string[];
  /** The key of permission lists that names things of it. */
  readonly granted?: string;
  /** Its definitions name files of code. */
  readonly code?: true;
  /** What becomes of its definitions in the registry. */
  readonly members: { readonly [M in Member]?: Facts<M> };
}

/** Declares a kind: its type keeps which members it has. */
export const defineKind = <const K extends Kind>(kind: K): K => kind;
