/**
 * Preloaded into a server (`--import`) with the environment variable `PROFILE_TO`: SIGUSR2 begins a CPU profile of its main
 * thread, which is written to that file when the process exits.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Microseconds between two samples: ten samples or more per request. */
const INTERVAL = 100;

const session = new Session();
session.connect();
process.once('SIGUSR2', () => {
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
  session.post('Profiler.start');
  // A session of the same thread answers before `post` returns.
  process.once('exit', () =>
    session.post('Profiler.stop', (_, { profile }) =>
      writeFileSync(process.env.PROFILE_TO as string, JSON.stringify(profile)),
    ),
  );
});
