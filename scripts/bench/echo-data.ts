/** SOAP messages of the bench: the same lines asked and answered, in a size of the reader's choice. */
const NAMESPACE = 'urn:signalbox:bench:Echo.v1';

function line(number: number): string {
  return (
    `<line><number>${number}</number><article>ARTICLE-${number}</article>` +
    '<description>Bracket, galvanised &amp; drilled, for the outside</description>' +
    `<quantity>${number % 17}</quantity><price>${number % 90}.50</price><due>2026-11-21</due></line>`
  );
}

/** An envelope of about so many bytes. */
export function echoRequest(bytes: number): string {
  const start =
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
    `<soap:Body><ECHO xmlns="${NAMESPACE}"><reference>4711</reference>`;
  const end = '</ECHO></soap:Body></soap:Envelope>';
  let lines = '';
  for (let number = 1; start.length + lines.length + end.length + 100 < bytes; number++) lines += line(number);
  return start + lines + end;
}

/** How many lines a message holds. */
export const linesOf = (message: string): number => message.split('<line>').length - 1;
