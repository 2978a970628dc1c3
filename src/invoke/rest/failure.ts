import { recogniseFailure } from '../../binding/reply/failure.ts';
import type { ReplyFailure } from '../../binding/reply/fault.ts';
import { familyOf } from '../../binding/reply/reply.ts';
import { ReplyText } from '../../binding/reply/text.ts';
import type { ReplyPorts } from '../callable.ts';
import { type InvokeError, mayRetry, ReplyFault } from '../error.ts';
import { collect, inOne } from '../http/body.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { PEEKED } from '../limits.ts';
import { maskedDocument } from '../mask.ts';
import { CREDENTIAL_HINT, statusError } from '../reply/status.ts';
import { beginningOf, essenceOf, shownText, textOf } from '../reply/text.ts';
import type { ReadBody, RestCallable } from './callable.ts';

/** What a reply with a status that is no success says. @throws what its body throws */
export async function failureOf(callable: RestCallable, raw: RawReply, ports: ReplyPorts): Promise<InvokeError> {
  const format = dataFormatOf(essenceOf(raw));
  const most = format === undefined ? PEEKED : Math.max(PEEKED, ports.limits.body);
  const { head, rest } = await collect(raw.whole === undefined ? raw.bytes : inOne(raw.whole), most);
  const body = beginningOf(raw, head, callable.mask);
  const said = raw.status < 400 || rest !== undefined ? undefined : saidIn(callable, raw, head, format);
  if (said !== undefined) return faultError(callable, raw, said, body);
  return statusError(raw, { body, hint: hintFor(callable, raw) });
}

/** A reply with a status of success that its fault document marks as a fault. @throws ReplyFault */
export function throwMarkedFault(callable: RestCallable, raw: RawReply, { head, reply }: ReadBody): void {
  const { faults } = callable.replies;
  const format = dataFormatOf(essenceOf(raw));
  const said = faults.marked && format !== undefined ? faults.read(reply, format) : undefined;
  if (said !== undefined) throw faultError(callable, raw, said, beginningOf(raw, head, callable.mask));
}

/** Whether content of a type may hold a fault. What has no type, or is called plain text, may yet be JSON. */
export function dataFormatOf(essence: string | undefined): 'json' | 'xml' | undefined {
  if (essence === undefined || essence === 'text/plain') return 'json';
  const family = familyOf(essence);
  return family === 'json' || family === 'xml' ? family : undefined;
}

function saidIn(
  { replies }: RestCallable,
  raw: RawReply,
  head: Buffer,
  format: 'json' | 'xml' | undefined,
): ReplyFailure | undefined {
  if (format === undefined) return undefined;
  let text: string;
  try {
    text = textOf(raw, head);
  } catch {
    // The status says more than that there is no text with it.
    return undefined;
  }
  const fault = replies.faults.read(new ReplyText(text), format);
  const known = format === 'json' && (fault === undefined || fault.reason === '') ? recogniseFailure(text) : undefined;
  return known === undefined ? fault : { fault: fault?.fault, ...known };
}

function faultError(
  { operation, mask }: RestCallable,
  raw: RawReply,
  { fault, reason, detail }: ReplyFailure,
  body: string | undefined,
): ReplyFault {
  const { status, called, hint } = raw;
  const content = {
    fault: fault && maskedDocument(operation.fault, fault, [...raw.secrets()]),
    reason: shownText(raw, reason, mask) ?? '',
    detail: shownText(raw, detail, mask) ?? '',
  };
  return new ReplyFault(called, content, { httpResponseCode: status, retry: mayRetry(status), body, hint });
}

/** An operation that says itself who it is does not do so at its node. */
function hintFor({ operation }: RestCallable, { status }: RawReply): string | undefined {
  const speaks = operation.headers.some(({ name }) => name.toLowerCase() === 'authorization');
  return status === 401 && !speaks ? CREDENTIAL_HINT : undefined;
}
