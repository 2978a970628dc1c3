import { InvokeError, SoapFault } from '../invoke/index.ts';
import { CliFailure } from './failure.ts';
import { fieldsOf, printable } from './invoke-print.ts';

/** A call that did not succeed, in the style of a command's own errors; other errors as they are. */
export function callFailure(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error;
  const lines = [...(error instanceof SoapFault ? faultLines(error) : otherLines(error)), ...whereLines(error)];
  return new CliFailure(printable(error.message), {
    hint: lines.length === 0 ? undefined : lines.join('\n'),
    cause: error,
  });
}

function faultLines({ code, subcodes, reason, detail, detailXml }: SoapFault): string[] {
  // Most fault documents repeat the reason in one of their fields.
  const fields = detail === undefined ? [] : fieldsOf(detail).filter(([, value]) => value !== reason);
  // The broker's own words are no more than code and reason.
  const isOther = detail === undefined && detailXml !== '' && !detailXml.startsWith('<IBResponse');
  return [
    `Fault: ${[code, ...subcodes].map(printable).join(' > ')}`,
    ...fields.map(([name, value]) => `${name}: ${printable(value)}`),
    ...(isOther ? [shortened(detailXml)] : []),
  ];
}

function otherLines({ hint, body }: InvokeError): string[] {
  return [...(hint === undefined ? [] : [hint]), ...(body === undefined ? [] : [`It said: ${shortened(body)}`])];
}

const SHOWN = 300;

const shortened = (text: string): string =>
  printable(text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}...` : text);

/** What the log of the other side is searched by. */
function whereLines({ called: { address, requestId }, httpResponseCode }: InvokeError): string[] {
  if (address === undefined) return [];
  const status = httpResponseCode === undefined ? '' : `HTTP status ${httpResponseCode}, `;
  return [`${status}${address}, request ${requestId}`];
}
