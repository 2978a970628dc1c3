import { defineHandler } from '../../generated/handlers.ts';
import { readJob } from '../jobs.ts';

export default defineHandler('JOB_PHOTO_PUT', {
  async onRequest({ JOB_NO, NAME, PHOTO }, context) {
    await readJob(context, JOB_NO);
    const { length, sha256 } = await context.blobs.put(`${JOB_NO}/${NAME}`, {
      contentType: PHOTO.contentType,
      name: NAME,
      stream: () => PHOTO.stream(),
    });
    return { LENGTH: length, SHA256: sha256 };
  },
});
