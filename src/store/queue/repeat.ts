/** Does work at an interval, never twice at the same time. @returns what ends it */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  report: (error: Error) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(report)
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
