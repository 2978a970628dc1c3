import { workerData } from 'node:worker_threads';
import { type ProgressStart, progressState, renderBytes, renderCount } from './progress.ts';
import { writeAtOnce } from './terminal.ts';

// The thread that draws the progress of `withProgress`.

const { labels, began, cells, amounts } = workerData as ProgressStart;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
let frame = 0;

// Nothing is drawn in the first second: most work is done by then.
if (Atomics.wait(cells, 0, progressState.idle, Math.max(0, began + 1_000 - Date.now())) === 'timed-out') {
  do draw();
  while (Atomics.wait(cells, 0, progressState.idle, 100) === 'timed-out');
}

function draw(): void {
  if (Atomics.compareExchange(cells, 0, progressState.idle, progressState.drawing) !== progressState.idle) return;
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  const label = labels[Atomics.load(cells, 2)] ?? '';
  const [done = 0, total = 0] = amounts;
  const render = Atomics.load(cells, 3) === 1 ? renderCount : renderBytes;
  const line = `${frames[frame++ % frames.length]} ${label}: ${render(done, total)}${seconds} s`;
  writeAtOnce(2, `\r\x1b[2K${line}`);
  Atomics.store(cells, 1, 1);
  Atomics.store(cells, 0, progressState.idle);
  Atomics.notify(cells, 0);
}
