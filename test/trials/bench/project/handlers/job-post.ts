import type { HandlerContext } from '../../../../../src/index.ts';

const DAY_MS = 86_400_000;

/** Enqueues a job that is due after the bench has ended, so that entering it is measured and not running it. */
export default {
  async onRequest({ NAME }: { NAME: string }, context: HandlerContext) {
    const at = new Date(Date.now() + DAY_MS);
    const instance = await context.transaction((tx) => tx.schedule('BENCH_JOB', { NAME }, { at }));
    // The load client needs replies of one size.
    return { INSTANCE: `${instance}`.padStart(10, '0') };
  },
};
