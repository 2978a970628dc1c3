import type { Position } from './position.ts';
import type { Operation } from './service.ts';

/** How much of an exchange the log keeps beside its line: nothing, the headers, or headers and payload. */
export type LogLevel = 'none' | 'header' | 'full';

/** Which node an operation comes from. Every active provider operation has one, generated, from any node to the local one. */
export interface Routing {
  /** `~GENERATED~LOCATIONS_GET`, or the id of the definition that overrides it. */
  readonly id: string;
  readonly operation: Operation;
  readonly sender: 'ANY';
  readonly receiver: string;
  readonly generated: boolean;
  readonly active: boolean;
  readonly log: LogLevel;
  readonly at: Position;
}
