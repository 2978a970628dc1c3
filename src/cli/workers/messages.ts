import type { Counted } from '../../serve/log/counters.ts';
import type { ExitCode } from '../failure.ts';
import type { Place } from '../project.ts';

/** What a worker is started with. */
export interface WorkerStart extends Place {
  /** From 1. A worker that takes the place of another has its number. */
  readonly worker: number;
  readonly colour: boolean;
  /** The log is for somebody who reads it on a terminal. */
  readonly people: boolean;
}

/** From a worker to its primary. */
export type WorkerMessage =
  /** It listens and works. */
  | { readonly kind: 'ready'; readonly address: string }
  /** It can't start, for a reason that the user mends; `text` is ready to print. */
  | { readonly kind: 'failed'; readonly text: string; readonly exitCode: ExitCode }
  /** What it has counted, as it was asked. */
  | { readonly kind: 'counted'; readonly question: number; readonly counted: Counted }
  /** Wants to know what the others have counted. */
  | { readonly kind: 'others'; readonly question: number };

/** From the primary to a worker. */
export type PrimaryMessage =
  /** Say what you have counted. */
  | { readonly kind: 'count'; readonly question: number }
  | { readonly kind: 'others'; readonly question: number; readonly counted: readonly Counted[] }
  /** Finish what runs, then end. */
  | { readonly kind: 'end' };
