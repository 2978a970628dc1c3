export interface WithinTimeOptions<T> {
  /** Takes the result that comes too late. */
  readonly unwanted?: (result: T) => void;
  /** The moment (`performance.now()`) from which the time counts, where it is later than the start; asked when the time is up. */
  readonly since?: () => number;
}

/**
 * Waits for a result for at most `ms` milliseconds.
 * @param late makes the error that takes its place; what still runs is left to notice its own abort signal
 */
export function withinTime<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error,
  { unwanted, since }: WithinTimeOptions<T> = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const expire = (): void => {
      const left = since === undefined ? 0 : since() + ms - performance.now();
      if (left >= 1) {
        timer = setTimeout(expire, left);
        return;
      }
      isLate = true;
      reject(late());
    };
    let timer = setTimeout(expire, ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        if (isLate) unwanted?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
