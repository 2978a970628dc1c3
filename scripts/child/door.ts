// Loaded into a gateway's process by the script that started it (node --import): tells what the process holds. No part of the product.

/** What a process holds once its garbage is collected. */
export interface Holdings {
  /** Bytes of JavaScript objects and of buffers. */
  readonly heap: number;
  /** Bytes of the whole process, as the operating system counts. */
  readonly resident: number;
  /** Sockets, files, timers and requests that keep it going, by their kind. */
  readonly handles: Readonly<Record<string, number>>;
}

declare const gc: () => void;

process.on('message', async () => {
  // Buffers are counted until the sweep behind a collection is through, for which the next one waits.
  for (let round = 0; round < 3; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  process.send?.({ heap: heapUsed + external, resident: rss, handles } satisfies Holdings);
});
// The door alone keeps no process open.
process.channel?.unref();
