import type { Limits } from '../../src/model/gateway.ts';
import {
  type Answer,
  type ConsumerOptions,
  client,
  envelope,
  FILE,
  node,
  partner,
  SERVICE_NAMESPACE,
  SUM,
  target,
} from './support.ts';

/** Calls a target that gives this answer. */
export async function answered(answer: Answer, options: ConsumerOptions = {}, limits: Partial<Limits> = {}) {
  const { url } = await target(answer);
  const registry = partner(node('PARTNER', [url]), { request: FILE, response: SUM, ...options }, limits);
  return client(registry).call('FILE_SEND', { name: 'a' });
}

export const inPartner = (xml: string): string =>
  `<p:FILE_SENDResponse xmlns:p="${SERVICE_NAMESPACE}">${xml}</p:FILE_SENDResponse>`;
/** The caller writes envelopes and reads them. */
export const RAW = { request: 'xml', response: 'xml', properties: { upContent: false } } as const;
export const FILE_XML = inPartner('<p:name>a.pdf</p:name><p:content>UERG IQ==</p:content>');

/** A multipart message, line by line. */
export function multipart(type: string, lines: readonly string[], end = '\r\n'): Answer {
  return { headers: { 'Content-Type': type }, body: Buffer.from(lines.join(end), 'latin1') };
}

export const include = (href: string): string =>
  envelope(
    inPartner(
      `<p:name>a</p:name><p:content><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="${href}"/></p:content>`,
    ),
  );
