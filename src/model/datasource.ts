import type { ConfigText } from './config.ts';
import type { Position } from './position.ts';

/** Another database that stored queries read from. */
export interface Datasource {
  readonly id: string;
  readonly description?: string;
  /** `sqlite:path`, or `postgres://user@host/database`. */
  readonly url: ConfigText;
  /** In place of one in the URL, so that it can come from a secret. */
  readonly password?: ConfigText;
  readonly at: Position;
}
