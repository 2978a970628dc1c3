import { type Document, isScalar, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import type { Report } from '../diagnostic/diagnostic.ts';
import type { Place } from '../diagnostic/place.ts';
import { type Places, placeAt, type SourceText } from './places.ts';
import { convertRoot, MOST_LEVELS, type Parsing, type TreeValue } from './tree.ts';
import { raiseSyntax } from './yaml-mistakes.ts';

/** What a file holds, document by document. */
export interface ParsedFile {
  readonly roots: readonly { readonly value: TreeValue; readonly at: Place }[];
  /** False where a part could not be read, so that what it declares is not known. */
  readonly whole: boolean;
}

/** Text to trees: `---` parts one by one, aliases resolved, every map and list tied to its place. */
export function parseTree(source: SourceText, places: Places, report: Report): ParsedFile {
  const lines = new LineCounter();
  const parsing: Parsing = { source, lines, places, report };
  let documents: Document.Parsed[];
  try {
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      logLevel: 'silent',
    } as const;
    documents = [...parseAllDocuments(source.text, options)];
  } catch (error) {
    // The parser calls itself for each level: a thousand brackets end its stack.
    const at = placeAt(source, lines, 0, 0);
    if (error instanceof RangeError) report.raise('nested-too-deep', { most: MOST_LEVELS }, at);
    else report.raise('yaml-syntax', { reason: (error as Error).message }, at);
    return { roots: [], whole: false };
  }
  const roots: { value: TreeValue; at: Place }[] = [];
  let whole = true;
  for (const document of documents) {
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) {
      raiseSyntax(problem, document, parsing);
      whole = false;
    } else if (document.contents !== null && !isBlank(document.contents)) {
      const contents = document.contents as ParsedNode;
      const value = convertRoot(contents, parsing);
      if (value === undefined) whole = false;
      else roots.push({ value, at: placeAt(source, lines, contents.range[0], contents.range[1]) });
    }
  }
  return { roots, whole };
}

function isBlank(node: unknown): boolean {
  return isScalar(node) && node.value === null && (node.source === undefined || node.source === '');
}
