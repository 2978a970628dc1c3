/** How often something may be called. */
export interface Rate {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
  /** Whose calls are counted together: each caller's (an anonymous one's by its address), each address's, or all. */
  readonly by: 'caller' | 'address' | 'all';
}

/** Bounds of the calls of one operation, or of all that have none of their own. */
export interface CallLimits {
  readonly rate?: Rate;
  /** Calls that run at the same time, in one gateway. */
  readonly concurrent?: number;
}
