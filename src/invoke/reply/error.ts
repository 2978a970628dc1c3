import { CodecError } from '../../codec/index.ts';
import { Fault, faults } from '../../model/fault.ts';
import { SpoolLimitError } from '../../model/spool.ts';
import { SoapError } from '../../wire/soap/message.ts';
import { type Called, InvokeError } from '../error.ts';

/** What was wrong with a reply, as the error of the call. */
export function replyError(error: unknown, called: Called, httpResponseCode: number): unknown {
  if (error instanceof InvokeError) return error;
  const options = { httpResponseCode, cause: error };
  const bad = (reason: string): InvokeError => new InvokeError('BAD_REPLY', called, `the reply ${reason}`, options);
  const large = (reason: string): InvokeError => new InvokeError('REPLY_TOO_LARGE', called, reason, options);
  if (error instanceof CodecError) return bad(`does not fit the operation: ${error.message}`);
  if (error instanceof SoapError) return bad(`is no SOAP message to be read: ${error.reason}`);
  if (error instanceof SpoolLimitError) return large(`an attachment of the reply is larger than ${error.limit} bytes`);
  if (error instanceof Fault) {
    const said = saidOf(error);
    return LARGE.has(error.code) ? large(said) : bad(`can't be read: ${said}`);
  }
  return error;
}

const LARGE: ReadonlySet<string> = new Set(['BODY_TOO_LARGE', 'ATTACHMENT_TOO_LARGE', 'TOO_MANY_ATTACHMENTS']);

/** A reader of messages speaks of requests. What it says of this one stands behind what it says of all. */
function saidOf({ code, message }: Fault): string {
  if (code === 'BODY_TOO_LARGE') return message.replace('request body', 'reply').replace(/^T/, 't').replace(/\.$/, '');
  const [before = '', after = ''] = faults.BAD_BODY.message({ reason: '\n' }).split('\n');
  if (code === 'BAD_BODY' && message.startsWith(before) && message.endsWith(after))
    return message.slice(before.length, message.length - after.length);
  return message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
