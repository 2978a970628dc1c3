import { defineHandler } from '../../generated/handlers.ts';

/** Streams what the caller sends into the gateway's store, under the caller's name for it (specification 1.4). */
export default defineHandler('ATTACHMENT_PUT', {
  async onRequest({ name, contentType, content }, context) {
    const { length, sha256 } = await context.blobs.put(name, {
      contentType: contentType ?? content.contentType,
      name,
      stream: () => content.stream(),
    });
    return { name, length, sha256 };
  },
});
