/**
 * Waits for work until a signal aborts, and for so long after it. Work that goes on all the same is left to itself: code
 * can't be stopped from outside.
 * @throws what the work throws; the signal's reason where it was given up
 */
export function within<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    };
    work.then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}
