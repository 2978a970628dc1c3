import { Fault } from 'signalbox';
import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('JOB_PHOTO_GET', {
  async onRequest({ JOB_NO, NAME }, context) {
    const photo = await context.blobs.get(`${JOB_NO}/${NAME}`);
    if (photo === undefined) throw Fault.custom('NO_SUCH_PHOTO', 404, `Job ${JOB_NO} has no photo ${NAME}.`);
    return context.stored(photo);
  },
});
