// Not part of the product. Loaded into a gateway's process by the script that starts it (node --import), to report its memory and handles.

/** Memory and handles of a process after garbage collection. */
export interface Holdings {
  /** Bytes of JavaScript objects and of buffers. */
  readonly heap: number;
  /** Resident bytes of the process, from the operating system. */
  readonly resident: number;
  /** Number of active sockets, files, timers and requests, by kind. */
  readonly handles: Readonly<Record<string, number>>;
}

declare const gc: () => void;

process.on('message', async () => {
  // Buffers are counted until the sweep after a collection is complete; the next collection waits for it.
  for (let round = 0; round < 3; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  process.send?.({ heap: heapUsed + external, resident: rss, handles } satisfies Holdings);
});
// This server alone must not keep the process alive.
process.channel?.unref();
