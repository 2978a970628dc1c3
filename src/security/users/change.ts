import type { UserAction } from './port.ts';

/** What is done to a user, and what the trail says of it; undefined where nothing changes. */
export type Change = { readonly action: UserAction; readonly detail: Readonly<Record<string, unknown>> } | undefined;
