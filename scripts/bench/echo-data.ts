/** SOAP messages of the bench: the same lines asked and answered, in a size of the reader's choice. */
const NAMESPACE = 'urn:signalbox:bench:Echo.v1';

const REFERENCE = '4711';

/** One of the lines, as a value. */
function lineOf(number: number): Record<string, string | number> {
  return {
    number,
    article: `ARTICLE-${number}`,
    description: 'Bracket, galvanised & drilled, for the outside',
    quantity: number % 17,
    price: `${number % 90}.50`,
    due: '2026-11-21',
  };
}

function xmlOf(line: ReturnType<typeof lineOf>): string {
  const fields = Object.entries(line).map(([name, value]) => `<${name}>${`${value}`.replace('&', '&amp;')}</${name}>`);
  return `<line>${fields.join('')}</line>`;
}

function echoMessage(element: string, bytes: number): string {
  const start =
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
    `<soap:Body><${element} xmlns="${NAMESPACE}"><reference>${REFERENCE}</reference>`;
  const end = `</${element}></soap:Body></soap:Envelope>`;
  let lines = '';
  for (let number = 1; start.length + lines.length + end.length + 100 < bytes; number++) lines += xmlOf(lineOf(number));
  return start + lines + end;
}

/** An envelope of about so many bytes. */
export const echoRequest = (bytes: number): string => echoMessage('ECHO', bytes);

/** What it is answered with, as long. */
export const echoReply = (bytes: number): string => echoMessage('ECHOResponse', bytes);

/** What an envelope of about so many bytes says. */
export function echoValue(bytes: number) {
  const length = linesOf(echoRequest(bytes));
  return { reference: REFERENCE, line: Array.from({ length }, (_, index) => lineOf(index + 1)) };
}

/** How many lines a message holds. */
export const linesOf = (message: string): number => message.split('<line>').length - 1;
