const WIDTH = 20;

/** How far a transfer is, in front of its time: a bar where its length is known, nothing where it has not begun. */
export function renderBytes(done: number, total: number): string {
  if (total > 0) {
    const share = Math.min(1, done / total);
    const full = Math.floor(share * WIDTH);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent} of ${size(total)}, `;
  }
  return done > 0 ? `${size(done)}, ` : '';
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** `512 bytes`, `1.4 MB`: decimal, as the sizes of files on most screens. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
