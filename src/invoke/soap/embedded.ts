import type { MessageSource } from '../../binding/soap/message.ts';
import { boundaryOfText } from '../../wire/multipart/headers.ts';
import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { relatedContentType, XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { textOf, type XmlElement } from '../../wire/xml/tree.ts';

/**
 * The message inside a reply (specification 4.4, Receiving): if a `data` element contains a multipart text, that is the
 * reply; its first part is the envelope, and the others are attachments. The element is the root itself, or is in the
 * envelope's payload, at most {@link DEPTH} levels deep.
 */
export function embeddedMessage(root: XmlElement): MessageSource | undefined {
  const data = dataIn(root, isEnvelope(root) ? DEPTH + ENVELOPE : DEPTH);
  if (data === undefined) return undefined;
  const { text, boundary } = data;
  return { contentType: relatedContentType({ boundary, type: XOP_MEDIA_TYPE }), bytes: bytesOf(text) };
}

const DEPTH = 2;

/** Levels from an envelope to its payload. */
const ENVELOPE = 2;

/** The prefix of boundaries in such a text; other texts that begin with two hyphens are plain text. */
const BOUNDARY = '----=_Part_';

const isEnvelope = ({ local, namespace }: XmlElement): boolean =>
  local === 'Envelope' && Object.values(SOAP_NAMESPACES).includes(namespace);

interface MultipartText {
  readonly text: string;
  readonly boundary: string;
}

function dataIn(element: XmlElement, depth: number): MultipartText | undefined {
  if (element.local === 'data') {
    const text = textOf(element);
    const boundary = boundaryOfText(text);
    if (boundary?.startsWith(BOUNDARY) === true) return { text, boundary };
  }
  if (depth === 0) return undefined;
  for (const each of element.content) {
    const found = typeof each === 'string' ? undefined : dataIn(each, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters that are encoded at once. */
const SLICE = 64 * 1024;

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < text.length; ) {
    let to = from + SLICE;
    // Not between the halves of a surrogate pair.
    if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
    yield Buffer.from(text.slice(from, to));
    from = to;
  }
}
