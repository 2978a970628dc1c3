import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Loaded before a gateway: for each line of its input it prints `loop <ms>`, the longest delay of its event loop since the last one. */

/** Milliseconds after which the histogram's timer, of one, has fired. */
const FIRED = 2;

// Readers of queries are processes of their own with the same arguments of Node.
if (process.argv[2] === 'serve') {
  // Its timer is libuv's: one of JavaScript took a twelfth of a processor, and was measured with the rest.
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  process.stdin.on('data', async () => {
    // What held the loop up until now counts too.
    await pause(FIRED);
    const longest = Math.max(0, histogram.max / 1e6 - 1);
    histogram.reset();
    // A histogram that was reset counts from the first time its timer fires.
    await pause(FIRED);
    process.stdout.write(`loop ${longest}\n`);
  });
}
