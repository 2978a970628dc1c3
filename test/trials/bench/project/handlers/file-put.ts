import type { Attachment, HandlerContext } from '../../../../../src/index.ts';

/** Stores a file. */
export default {
  async onRequest({ name, content }: { name: string; content: Attachment }, context: HandlerContext) {
    const { length, sha256 } = await context.blobs.put(name, content);
    return { length, sha256 };
  },
};
