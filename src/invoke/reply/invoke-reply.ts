import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { Attachment } from '../../model/value.ts';
import type { ReadReply } from '../callable.ts';
import type { RawReply } from '../http/raw-reply.ts';

/** A reply as the caller has it. @param elapsed milliseconds from the call to its value */
export function replyOf(raw: RawReply, { value, body, content }: ReadReply, elapsed: number): InvokeReply {
  return {
    httpResponseCode: raw.status,
    responseStatus: 0,
    headers: raw.headers,
    value,
    body,
    segments: () => content?.segments() ?? none(),
    timings: { ...raw.timings, value: elapsed },
    attempts: raw.attempts,
    requestId: raw.called.requestId,
    async finish() {
      try {
        await content?.finish();
      } finally {
        content?.close();
      }
    },
    close: () => content?.close(),
  };
}

async function* none(): AsyncGenerator<Attachment> {}
