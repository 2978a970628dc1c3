import type { Component, RelatedContent } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Flow } from './flow.ts';
import type { Gateway } from './gateway.ts';
import type { Node } from './node.ts';
import type { Process, Recurrence } from './process.ts';
import type { Datasource, Query } from './query.ts';
import type { PermissionList, Role, SecurityScheme, User } from './security.ts';
import type { Operation, Service } from './service.ts';

/** Everything that the definitions say: frozen, checked, linked by reference. Maps are in the order of their ids. */
export interface Registry {
  readonly gateway: Gateway;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly services: ReadonlyMap<string, Service>;
  /** Those that are provided here. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Those that are called elsewhere. No id stands among both. */
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** By their full ids: `N_DOCLIB.v1.upload`. */
  readonly flows: ReadonlyMap<string, Flow>;
  /** Those written in place too, under their derived ids. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly datasources: ReadonlyMap<string, Datasource>;
  readonly queries: ReadonlyMap<string, Query>;
  readonly components: ReadonlyMap<string, Component>;
  readonly relatedContent: ReadonlyMap<string, RelatedContent>;
  readonly processes: ReadonlyMap<string, Process>;
  readonly recurrences: ReadonlyMap<string, Recurrence>;
  /** Those of `scheme:` definitions, and those of the package that need none. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly permissionLists: ReadonlyMap<string, PermissionList>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly users: ReadonlyMap<string, User>;
  readonly routings: readonly Routing[];
}

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
