import type { Position } from './position.ts';

/** A list of what may be called. Operations and queries name it (`permission:`); it may add operations by wildcard. */
export interface PermissionList {
  readonly id: string;
  readonly description?: string;
  /** `SERVICE.*`, `SERVICE.v1.*` or an operation's id, as written. What they resolve to stands at the operations. */
  readonly operations: readonly string[];
  readonly at: Position;
}

export interface Role {
  readonly id: string;
  readonly description?: string;
  readonly permissionLists: readonly PermissionList[];
  readonly at: Position;
}

export interface User {
  readonly id: string;
  readonly description?: string;
  /** `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding (PHC string format). */
  readonly password: string;
  readonly roles: readonly Role[];
  /** Every list of every role. */
  readonly permissionLists: ReadonlySet<PermissionList>;
  /** Of the sample: never accepted on an address that others can reach. */
  readonly sample: boolean;
  readonly at: Position;
}

/** What a caller shows. More schemes join this list as they are built. */
export type SecurityScheme = 'basic';
