import type { ConfigPart } from './config.ts';
import type { Field } from './field.ts';

/**
 * A text of a consumer that is made for each call: of literal text, configuration (`${env:X}`, `${secret:X}`) and values
 * of the call (`{FIELD}`, `{File.name}`).
 */
export interface CallText {
  /** As written. */
  readonly source: string;
  readonly parts: readonly CallPart[];
}

export type CallPart = ConfigPart | CallValue;

/** A value of the call. */
export interface CallValue {
  readonly kind: 'value';
  readonly field: Field;
  /** Of a binary field: what is known of its content, rather than the content. `length` is in bytes. */
  readonly of?: 'name' | 'contentType' | 'length';
}
