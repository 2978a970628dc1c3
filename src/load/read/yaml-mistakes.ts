import { type Document, visit, type YAMLError } from 'yaml';
import { placeAt } from './places.ts';
import type { Parsing } from './tree.ts';

/** A URI template or a reference, in braces that hold no space: nobody writes a map like that. */
const BRACES = /\$?\{[^\s{}"']+\}/;
/** What stands between quotes is a text already. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** Says what the library found; slips that have a name of their own get it. */
export function raiseSyntax(problem: YAMLError, document: Document.Parsed, { source, lines, report }: Parsing): void {
  const [from, to] = problem.pos;
  const place = placeAt(source, lines, from, to);
  if (problem.code === 'BAD_ALIAS') {
    report.raise('unquoted-star', { text: '*' }, place);
    return;
  }
  const quote = /^Missing closing (["'])/.exec(problem.message)?.[1];
  if (quote !== undefined) {
    const reason = `the quote ${quote} is not closed`;
    const opened = openQuote(document, from);
    report.raise('yaml-syntax', { reason }, placeAt(source, lines, opened, opened + 1));
    return;
  }
  const lineStart = source.text.lastIndexOf('\n', from - 1) + 1;
  const line = source.text.slice(lineStart).split('\n', 1)[0] as string;
  const braces = BRACES.exec(line.replace(QUOTED, (text) => ' '.repeat(text.length)));
  if (braces === null || from < lineStart + braces.index) {
    report.raise('yaml-syntax', { reason: problem.message }, place);
  } else {
    const start = lineStart + braces.index;
    report.raise('unquoted-braces', { text: braces[0] }, placeAt(source, lines, start, start + braces[0].length));
  }
}

/** Where the quoted text begins that ends at `end`: of one that is not closed, the library names the end alone. */
function openQuote(document: Document.Parsed, end: number): number {
  let opened = end;
  visit(document, {
    Scalar: (_, { type, range }) => {
      if ((type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') && range?.[1] === end) opened = range[0];
    },
  });
  return opened;
}
