/**
 * Waits for a result for at most `ms` milliseconds.
 * @param late makes the error that takes its place; what still runs is left to notice its own abort signal
 * @param unwanted takes the result that comes after that
 */
export function withinTime<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error,
  unwanted?: (result: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(late());
    }, ms);
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
