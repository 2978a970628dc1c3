import type { Document } from './document.ts';
import type { Message, Operation, OperationUri } from './service.ts';

/** One form of a reply over REST. */
export interface ReplyForm {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** `psnonxml` is JSON text inside an XML element; `raw` has no document. */
  readonly format: 'json' | 'xml' | 'psnonxml' | 'raw';
  readonly message: Message;
}

/** The forms of an operation's reply, the default first: with the wrapper psnonxml JSON inside XML, then JSON itself. */
export function replyForms({ responses, wrapper }: Operation): readonly ReplyForm[] {
  const listed = responses.map(({ mediaType, message }): ReplyForm => {
    const [essence = ''] = mediaType.toLowerCase().split(/\s*;/);
    return { mediaType: essence, format: formatOf(essence, message), message };
  });
  const json = listed.find(({ format }) => format === 'json');
  if (wrapper === undefined || json === undefined) return listed;
  return [{ ...json, mediaType: 'application/xml', format: 'psnonxml' }, json];
}

function formatOf(mediaType: string, message: Message): ReplyForm['format'] {
  if (message.kind !== 'document') return 'raw';
  return /^(?:application|text)\/xml$|\+xml$/.test(mediaType) ? 'xml' : 'json';
}

/** Whether requests to a URI of the operation carry a body. */
export function takesBody({ body }: Operation, uri: OperationUri): boolean {
  return body === 'raw' || (body === 'document' && uri.body.length + uri.repeats.length > 0);
}

/**
 * Whether a body of a document's fields may be XML. A patch (RFC 7396) may not: it removes what is null, and XML has no null
 * that every tool writes.
 */
export function hasXmlBody({ patch }: Document): boolean {
  return patch === undefined;
}
