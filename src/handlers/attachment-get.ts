import { Fault } from 'signalbox';
import { defineHandler } from '../../generated/handlers.ts';

/** Gives back what ATTACHMENT_PUT has kept: the content is streamed from the store into the reply. */
export default defineHandler('ATTACHMENT_GET', {
  async onRequest({ name }, context) {
    const content = await context.blobs.get(name);
    if (content === undefined) throw Fault.custom('NO_SUCH_ATTACHMENT', 404, `There is no attachment ${name}.`);
    return { name, contentType: content.contentType, content };
  },
});
