import type { DatabaseBounds } from '../../model/gateway.ts';
import type { Servers } from './servers.ts';

// What the package's declarations reach: the types of the driver, which a project need not have installed, stay out of them.

/**
 * A setting of a session (chapter 20 of PostgreSQL's manual). It is applied once the connection is open: poolers ignore or
 * refuse what a client sends at its start.
 */
export interface SessionSetting {
  readonly name: string;
  /** In the form in which `pg_settings` has it: `on`, or a number in the unit of the setting. */
  readonly value: string;
}

/** How to open a connection. */
export interface ConnectionConfig {
  readonly application_name: string;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  /** Where to: they choose the host, and know the credentials. */
  readonly servers: Servers;
  /** An open connection in a transaction, of the driver, for those that check statements in it instead of opening one. */
  readonly within?: object;
  /** What is in force when the connection is open. Of two settings with the same name, the last one counts. */
  readonly session: readonly SessionSetting[];
  readonly bounds: DatabaseBounds;
}
