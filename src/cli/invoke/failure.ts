import { FlowError, InvokeError, ReplyFault, SoapFault } from '../../invoke/index.ts';
import type { DocumentValue } from '../../model/value.ts';
import { CliFailure } from '../failure.ts';
import { printable } from '../terminal.ts';
import { count } from '../words.ts';
import { fieldsOf } from './print.ts';
import { noteSteps } from './trace.ts';

/** What became of a flow's steps, where one of them is what failed. */
export function noteFailure(error: unknown): void {
  if (error instanceof FlowError) noteSteps(error.steps);
}

/** A call that did not succeed, in the style of a command's own errors; other errors as they are. */
export function callFailure(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error;
  const lines = [...answerLines(error), ...whereLines(error)];
  return new CliFailure(printable(error.message), {
    hint: lines.length === 0 ? undefined : lines.join('\n'),
    exitCode: isUsage(error) ? 2 : 1,
    cause: error,
  });
}

/** Nothing was sent because of how it was asked for; of a flow that has come to a step something was. */
function isUsage(error: InvokeError): boolean {
  const { code, attempts } = error;
  return attempts === 0 && !(error instanceof FlowError) && (code === 'BAD_INPUT' || code === 'UNKNOWN_OPERATION');
}

/** What the other side says, of the step that failed where there are several. */
function answerLines(error: InvokeError): string[] {
  const answer = error.cause instanceof InvokeError && error.cause.code === error.code ? error.cause : error;
  if (answer instanceof SoapFault) return soapLines(answer);
  if (answer instanceof ReplyFault) return faultLines(answer);
  return otherLines(answer);
}

function soapLines({ code, subcodes, reason, detail, detailXml }: SoapFault): string[] {
  // The broker's own words are no more than code and reason.
  const isOther = detail === undefined && detailXml !== '' && !detailXml.startsWith('<IBResponse');
  return [
    `Fault: ${[code, ...subcodes].map(printable).join(' > ')}`,
    ...documentLines(detail, reason),
    ...(isOther ? [shortened(detailXml)] : []),
  ];
}

function faultLines({ fault, reason, detail, body }: ReplyFault): string[] {
  if (fault !== undefined) return documentLines(fault, reason);
  if (detail !== '') return [shortened(detail)];
  return body === undefined ? [] : [`It said: ${shortened(body)}`];
}

/** A fault document's fields. Most of them repeat the reason in one. */
function documentLines(document: DocumentValue | undefined, reason: string): string[] {
  const fields = document === undefined ? [] : fieldsOf(document).filter(([, value]) => value !== reason);
  return fields.map(([name, value]) => `${name}: ${printable(value)}`);
}

function otherLines({ hint, body }: InvokeError): string[] {
  return [...(hint === undefined ? [] : [hint]), ...(body === undefined ? [] : [`It said: ${shortened(body)}`])];
}

const SHOWN = 300;

const shortened = (text: string): string =>
  printable(text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}...` : text);

/** What the log of the other side is searched by. */
function whereLines({ called: { address, requestId }, httpResponseCode, sent, attempts }: InvokeError): string[] {
  if (address === undefined) return [];
  const status = httpResponseCode === undefined ? '' : `HTTP status ${httpResponseCode}, `;
  const method = sent === undefined ? '' : `${sent.method} `;
  const tried = attempts > 1 ? `, ${count(attempts, 'attempt')}` : '';
  return [`${status}${method}${address}${tried}, call ${requestId}`];
}
