import type { HandlerContext } from '../../../../../src/index.ts';

/** Returns a stored file. */
export default {
  async onRequest({ name }: { name: string }, context: HandlerContext) {
    return { content: await context.blobs.get(name) };
  },
};
