/** Loaded before a gateway: for each line of its input it prints `loop <ms>`, the longest delay of its event loop since the last one. */

// Readers of queries are processes of their own with the same arguments of Node.
if (process.argv[2] === 'serve') {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    // A timer of a millisecond fires after one.
    longest = Math.max(longest, now - last - 1);
    last = now;
    setTimeout(look, 1).unref();
  };
  look();
  process.stdin.on('data', () => {
    // What held it up until now counts too.
    longest = Math.max(longest, performance.now() - last - 1);
    process.stdout.write(`loop ${longest}\n`);
    longest = 0;
  });
}
