import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Service } from './service.ts';

/** A sequence of calls, in which later calls use values from the replies of earlier ones. */
export interface Flow {
  /** `N_DOCLIB.v1.upload`. `N_DOCLIB.upload` names the flow of the default version. */
  readonly id: string;
  readonly name: string;
  readonly service: Service;
  readonly description?: string;
  /** At least one. The reply of the last is the reply of the flow. */
  readonly steps: readonly FlowStep[];
  /** The fields that steps use and no earlier step keeps. */
  readonly input: Document;
  /** The service and all operations are active. */
  readonly active: boolean;
  readonly at: Position;
}

/** One call of a flow. */
export interface FlowStep {
  readonly operation: ConsumerOperation;
  /** Values of the reply that later steps use. The step is repeated only when they expire. */
  readonly keep: readonly KeptValue[];
  /** Path to the lifetime of the kept values in seconds (`for:`). Without it they are used in the same run only. */
  readonly holds?: ReplyPath;
  /** Statuses of a later step after which this step is repeated, and then that one (`renew-on:`). */
  readonly renewOn: readonly number[];
  /** In milliseconds; that of the operation by default. */
  readonly timeout?: number;
}

/** A value of a reply, kept under a name. */
export interface KeptValue {
  /** The input field of later steps that it fills. */
  readonly name: string;
  readonly from: ReplyPath;
}

/** The path to a single value in a reply's document. */
export interface ReplyPath {
  /** Names of fields. */
  readonly path: readonly string[];
  /** The last field of the path. */
  readonly field: Field;
}

/** The names of a flow, the shortest first; the version may be omitted if it is the default one. */
export function flowNames({
  id,
  name,
  service,
}: Pick<Flow, 'id' | 'name' | 'service'>): readonly [string, ...string[]] {
  return service.default ? [`${service.name}.${name}`, id] : [id];
}
