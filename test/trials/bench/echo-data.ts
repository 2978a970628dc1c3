/** SOAP messages of the bench, of any size; request and reply contain the same lines. */
const NAMESPACE = 'urn:signalbox:bench:Echo.v1';

const REFERENCE = '4711';

/** A line, as a value. */
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

/** A request envelope of about this many bytes. */
export const echoRequest = (bytes: number): string => echoMessage('ECHO', bytes);

/** The reply envelope, equally long. */
export const echoReply = (bytes: number): string => echoMessage('ECHOResponse', bytes);

/** The content of an envelope of about this many bytes. */
export function echoValue(bytes: number) {
  const length = linesOf(echoRequest(bytes));
  return { reference: REFERENCE, line: Array.from({ length }, (_, index) => lineOf(index + 1)) };
}

/** The number of lines in a message. */
export const linesOf = (message: string): number => message.split('<line>').length - 1;
