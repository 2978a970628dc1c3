import type { Field } from '../../model/field.ts';
import type { Value } from '../../model/value.ts';

/** A value that is not there yet, since an earlier step of a flow will give it. A request with one is never sent. */
export class Pending {
  readonly [field: string]: Value;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What a field holds in one call. */
export interface Held {
  /** Undefined where it is pending. */
  readonly value: Value;
  /** What stands in its place for people: of a secret, and of what is pending. The value itself where undefined. */
  readonly shown: string | undefined;
  readonly pending: boolean;
}

/** What a field holds in one call; undefined where nothing is given and nothing fills it. */
export type HeldOf = (field: Field) => Held | undefined;
