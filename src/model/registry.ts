import type { Component, RelatedContent } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Datasource } from './datasource.ts';
import type { Document } from './document.ts';
import type { Flow } from './flow.ts';
import type { Gateway } from './gateway.ts';
import type { Node } from './node.ts';
import type { Process, Recurrence } from './process.ts';
import type { Query } from './query.ts';
import type { Routing } from './routing.ts';
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
