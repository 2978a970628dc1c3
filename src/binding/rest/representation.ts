import { type Message, type Operation, replyForms } from '../../model/service.ts';
import type { Format } from '../message.ts';

/** A reply's form: what was offered for one media type. */
export interface Representation {
  readonly format: Format;
  /** The Content-Type of the reply. */
  readonly contentType: string;
  readonly message: Message;
}

/** No charset: an XML processor reads UTF-8 where nothing else is said (RFC 7303 section 3). */
export const XML = 'application/xml';

/** Forms in the order offered. */
export function representationsOf(operation: Operation): Representation[] {
  return replyForms(operation).flatMap(({ mediaType, format, message }) => {
    const contentTypes = format === 'psnonxml' ? WRAPPED : [format === 'json' ? mediaType : textual(mediaType)];
    return contentTypes.map((contentType): Representation => ({ format, contentType, message }));
  });
}

const WRAPPED = [XML, 'text/xml; charset=utf-8'] as const;

function textual(mediaType: string): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}
