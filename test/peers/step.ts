import type { Answer, RequestHead } from './message.ts';

/** One kind of request: looks at its head, then reads its body and answers. Both throw a Refusal. */
export type Step = (head: RequestHead) => (body: AsyncIterable<Buffer>) => Promise<Answer>;
