import type { ReplyForm } from '../model/service.ts';

/** Key of the value of a message without a document, under which its content stands. */
export const CONTENT = 'content';

/** How a reply is written; `soap` in an envelope. */
export type Format = ReplyForm['format'] | 'soap';
