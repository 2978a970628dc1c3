import type { Component, RelatedContent } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Flow } from './flow.ts';
import type { Gateway } from './gateway.ts';
import type { MessageQueue, Subscription } from './message.ts';
import type { Node } from './node.ts';
import type { Process, Recurrence } from './process.ts';
import type { Datasource, Query } from './query.ts';
import type { PermissionList, Role, SecurityScheme, User } from './security.ts';
import type { Operation, Service } from './service.ts';
import type { SimpleType } from './simple-type.ts';

/** All definitions, checked, frozen and linked by reference. Maps are sorted by id. */
export interface Registry {
  readonly gateway: Gateway;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly services: ReadonlyMap<string, Service>;
  /** Provided operations. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Operations of other systems. Ids are unique among these and the provided ones. */
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** By their full ids: `N_DOCLIB.v1.upload`. */
  readonly flows: ReadonlyMap<string, Flow>;
  /** Named simple types, which fields have taken over. */
  readonly types: ReadonlyMap<string, SimpleType>;
  /** Including those declared in place, under their derived ids. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly datasources: ReadonlyMap<string, Datasource>;
  readonly queries: ReadonlyMap<string, Query>;
  readonly components: ReadonlyMap<string, Component>;
  readonly relatedContent: ReadonlyMap<string, RelatedContent>;
  readonly processes: ReadonlyMap<string, Process>;
  readonly recurrences: ReadonlyMap<string, Recurrence>;
  readonly messageQueues: ReadonlyMap<string, MessageQueue>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** Those of `scheme:` definitions, and the built-in ones. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly permissionLists: ReadonlyMap<string, PermissionList>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly users: ReadonlyMap<string, User>;
  readonly routings: readonly Routing[];
}

/**
 * Which calls of an operation are recorded in the message store: none, those that fail with their headers, all with their
 * headers, or all with headers and payload.
 */
export type LogLevel = 'none' | 'failures' | 'header' | 'full';

/** Of an operation whose routing declares none. */
export const LOG_LEVEL: LogLevel = 'failures';

/** The sender and receiver of an operation. Each active provided operation has one, from any node to the local one. */
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
