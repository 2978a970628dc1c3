import type { InvokeReply } from '../model/invoke-reply.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import type { ReplyContent } from './callable.ts';
import type { Called } from './error.ts';
import type { RawReply } from './http/exchange.ts';

/** What a reply is put together from. */
interface ReplyFacts {
  readonly raw: RawReply;
  readonly value: DocumentValue;
  readonly body: string | undefined;
  readonly content: ReplyContent | undefined;
  readonly called: Called;
  /** Milliseconds from the call to its value. */
  readonly elapsed: number;
}

export function replyOf({ raw, value, body, content, called, elapsed }: ReplyFacts): InvokeReply {
  return {
    httpResponseCode: raw.status,
    responseStatus: 0,
    headers: raw.headers,
    value,
    body,
    segments: () => content?.segments() ?? none(),
    timings: { ...raw.timings, value: elapsed },
    attempts: raw.attempts,
    requestId: called.requestId,
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
