import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Service } from './service.ts';

/** Calls in order, of which the later ones use what the earlier ones gave. */
export interface Flow {
  /** `N_DOCLIB.v1.upload`; `N_DOCLIB.upload` means the default version's. */
  readonly id: string;
  readonly name: string;
  readonly service: Service;
  readonly description?: string;
  /** At least one; the reply of the last is the flow's. */
  readonly steps: readonly FlowStep[];
  /** What steps use and none keeps. */
  readonly input: Document;
  /** Its service is active, and so is each of its operations. */
  readonly active: boolean;
  readonly at: Position;
}

/** One call of a flow. */
export interface FlowStep {
  readonly operation: ConsumerOperation;
  /** What later steps are given of its reply. A step that keeps something is run again only when that no longer holds. */
  readonly keep: readonly KeptValue[];
  /** Where the reply says for how many seconds what is kept holds (`for:`); undefined: for the flow's own run alone. */
  readonly holds?: ReplyPath;
  /** Statuses of a later step after which this one is run anew, and that one once more (`renew-on:`). */
  readonly renewOn: readonly number[];
  /** In milliseconds; that of the operation where undefined. */
  readonly timeout?: number;
}

/** A value of a reply by another name. */
export interface KeptValue {
  /** The field of later steps that it fills. */
  readonly name: string;
  readonly from: ReplyPath;
}

/** A single value of a reply's document: the fields on the way to it, by their names. */
export interface ReplyPath {
  readonly path: readonly string[];
  /** The last of them. */
  readonly field: Field;
}

/** What a flow may be called by, the shortest first: without the version too, where that is the default one. */
export function flowNames({
  id,
  name,
  service,
}: Pick<Flow, 'id' | 'name' | 'service'>): readonly [string, ...string[]] {
  return service.default ? [`${service.name}.${name}`, id] : [id];
}
