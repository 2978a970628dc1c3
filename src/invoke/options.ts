import { CONTENT } from '../binding/message.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Field, FieldType } from '../model/field.ts';
import type { Node } from '../model/node.ts';
import { isAnyText } from '../model/scalar.ts';
import type { Value } from '../model/value.ts';
import type { Segment } from './callable.ts';
import type { Credential } from './credential.ts';
import type { Heads } from './http/headers.ts';

/** What a call takes beside its input. */
export interface CallOptions {
  /** Over SOAP: content beside the input, numbered from 1 in the markers of its XML (`<Include SegmentNumber="1"/>`). */
  readonly segments?: readonly Segment[];
  /** Over REST: which of the operation's URI templates, from 1; the first where it is left out. */
  readonly uriIndex?: number;
  /** Ends the call, and afterwards the reading of its reply. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the bytes of the request that are sent, and those it has, where that is known; before compression. Where
   * the request is sent once more, it begins anew.
   */
  readonly onSent?: ((sent: number, total: number | undefined) => void) | undefined;
  /** Takes the place of the operation's target, PRIMARYURL included. */
  readonly node?: Node;
  /** Takes the place of the node's own. */
  readonly credential?: Credential;
  /** Sent as X-Request-Id: a word of at most 128 characters; a new one where it is left out. */
  readonly requestId?: string;
  /** In milliseconds, the whole of the call; what the operation or its node says where it is left out. */
  readonly timeout?: number | undefined;
  /** Is shown the heads of the exchange. */
  readonly heads?: Heads | undefined;
}

/** What a flow's run takes beside its input. */
export interface FlowOptions extends Omit<CallOptions, 'segments' | 'uriIndex' | 'node' | 'credential'> {
  /** Told of each step as it begins, and of one that is run anew. */
  readonly onStep?: (step: { readonly index: number; readonly operation: ConsumerOperation }) => void;
}

/** What a caller may give an operation, by name. */
export type InputField = Pick<Field, 'name' | 'type'>;

/** Everything that a caller may give an operation; a message without a document is `content`. */
export function inputFields(operation: ConsumerOperation): readonly InputField[] {
  if (operation.kind === 'rest') return operation.input.fields;
  const { request } = operation.soap;
  if (request.kind === 'document') return request.document.fields;
  return request.kind === 'raw' ? [{ name: CONTENT, type: { kind: request.raw } }] : [];
}

/** A value for a field that it was not read for: what is written in letters takes numbers and truth values by theirs. */
export function fitted(value: Value, type: FieldType): Value {
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isAnyText(type) && isPlain ? String(value) : value;
}
