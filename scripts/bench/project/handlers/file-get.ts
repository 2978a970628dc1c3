import type { HandlerContext } from '../../../../src/index.ts';

/** Gives a file back. */
export default {
  async onRequest({ name }: { name: string }, context: HandlerContext) {
    return { content: await context.blobs.get(name) };
  },
};
