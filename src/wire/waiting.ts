/** Where a gateway reads the time. Delays of timers, and the durations that it measures, are always those of the machine. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that only goes forward. */
  elapsed(): number;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/**
 * Goes on with a value, at once if it is there already: `await` would give up the turn, and each promise costs a small request
 * half a percent.
 */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs work that may wait or not. @param failed gives the result for its error, thrown or rejected */
export function attempt<T>(work: () => T | Promise<T>, failed: (error: unknown) => T | Promise<T>): T | Promise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

/** Makes a value when it is first asked for, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The longest delay of a timer, in milliseconds: 24 days. Node fires longer timers immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits for work, at most `ms` milliseconds. @throws the error of the work, or of `late` when the time is up */
export async function withinTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Into how many steps silence is divided. */
const STEPS = 4;

/**
 * Calls back when the other side of a connection has been silent for so many milliseconds. Only time in which this process could
 * have heard it counts: timers of a process that was stopped, or got no processor, are due before it reads what arrived
 * meanwhile. A step that ends too late is therefore repeated.
 * @returns ends it
 */
export function afterSilence(ms: number, silent: () => void): () => void {
  const step = ms / STEPS;
  let left = STEPS;
  let since = performance.now();
  const look = (): void => {
    const now = performance.now();
    if (now - since < 2 * step + LAG) left -= 1;
    since = now;
    if (left === 0) silent();
    else timer = setTimeout(look, step);
  };
  let timer = setTimeout(look, step);
  return () => clearTimeout(timer);
}

/** Milliseconds that any timer may be late. */
const LAG = 5;

/** Waits for what comes from another side, until that has been silent for `ms` milliseconds. @throws its error, or `silent` */
export async function withinSilence<T>(coming: Promise<T>, ms: number, silent: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = afterSilence(ms, () => reject(silent()));
  try {
    return await Promise.race([coming, promise]);
  } finally {
    end();
  }
}

/**
 * Waits for work until a signal aborts, and `grace` milliseconds longer. Work still running then is abandoned: code
 * can't be stopped from outside.
 * @throws the error of the work, or the signal's reason
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, grace = 0): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (grace === 0) reject(signal.reason);
    else timer = setTimeout(() => reject(signal.reason), grace);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Work of which one runs at a time: whoever calls while it runs gets its result, or its error. */
export function shared<A extends readonly unknown[], T>(
  work: (...given: A) => Promise<T>,
): (...given: A) => Promise<T> {
  let running: Promise<T> | undefined;
  return (...given) => {
    running ??= work(...given).finally(() => {
      running = undefined;
    });
    return running;
  };
}
