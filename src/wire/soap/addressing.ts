// WS-Addressing 1.0 (Core, and SOAP Binding), and the submission of August 2004, which some tools still send.

import { escapeText } from '../xml/text.ts';
import { attributeOf, textOf, type XmlElement } from '../xml/tree.ts';
import { isForUs, type SoapMessage } from './message.ts';

/** The namespace of WS-Addressing 1.0, which is written. */
const WSA = 'http://www.w3.org/2005/08/addressing';

/** The namespaces that are read, each with its relationship of a reply to its request. */
const REPLY: ReadonlyMap<string, string> = new Map([
  [WSA, `${WSA}/reply`],
  ['http://schemas.xmlsoap.org/ws/2004/08/addressing', 'wsa:Reply'],
]);

/** Whether a header block is one of WS-Addressing. */
export function isAddressing({ namespace }: XmlElement): boolean {
  return REPLY.has(namespace);
}

/** The id of a message; `undefined` when it has none that is addressed to this receiver. */
export function messageIdOf({ headers, version }: SoapMessage): string | undefined {
  const found = headers.find((each) => each.local === 'MessageID' && isAddressing(each) && isForUs(each, version));
  return found && textOf(found).trim();
}

/** The ids of the messages to which a message is the reply (Core, section 3.2: without a type it is that of a reply). */
export function repliedTo({ headers, version }: SoapMessage): readonly string[] {
  return headers.flatMap((each) => {
    if (each.local !== 'RelatesTo' || !isAddressing(each) || !isForUs(each, version)) return [];
    const reply = REPLY.get(each.namespace);
    const type = attributeOf(each, 'RelationshipType', '')?.trim() ?? reply;
    return type === reply ? [textOf(each).trim()] : [];
  });
}

/** What a request says about itself, and where its reply is expected. All are IRIs. */
export interface RequestAddressing {
  readonly messageId: string;
  readonly action: string;
  readonly replyTo: string;
}

/** The header blocks of a request whose reply is sent to another address, as XML. Faults go there too (Core, section 3.4). */
export function requestAddressing({ messageId, action, replyTo }: RequestAddressing): string {
  const block = (name: string, content: string): string => `<wsa:${name} xmlns:wsa="${WSA}">${content}</wsa:${name}>`;
  return [
    block('MessageID', escapeText(messageId)),
    block('Action', escapeText(action)),
    block('ReplyTo', `<wsa:Address>${escapeText(replyTo)}</wsa:Address>`),
  ].join('');
}
