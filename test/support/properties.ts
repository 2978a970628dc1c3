import type { IAsyncProperty, IProperty, Parameters } from 'fast-check';
import fc from '../../node_modules/fast-check/lib/fast-check.js';

/** One run of so many, with the same values each time. SIGNALBOX_TEST_PROPERTIES=full has all of them, and other values each time. */
const SHARE = 4;
const SEED = 20_261_128;
const isFull = process.env.SIGNALBOX_TEST_PROPERTIES === 'full';

function sampled<T>(parameters: Parameters<T> = {}): Parameters<T> {
  if (isFull) return parameters;
  const { numRuns = 100 } = parameters;
  return { seed: SEED, ...parameters, numRuns: Math.ceil(numRuns / SHARE) };
}

/** fast-check, which `npm test` has a fixed sample of and CI all: vitest.config.ts names this module in its place. */
export default {
  ...fc,
  assert: <T>(property: IProperty<T> | IAsyncProperty<T>, parameters?: Parameters<T>) =>
    fc.assert(property as IAsyncProperty<T>, sampled(parameters)),
};
