import { type Code, catalogue, type Entry } from './catalogue.ts';
import { type Diagnostic, placeText } from './diagnostic.ts';

/** Diagnostics with the texts that they refer to. */
export interface Rendered {
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the files by the name in positions. */
  readonly sources: ReadonlyMap<string, string>;
}

const WIDEST = 160;
const LONGEST_CARET = 60;
/** No one reads more at once, and a file that is not a definition file can cause hundreds of thousands of errors. */
const MOST_SHOWN = 200;
const TAB = '  ';

/**
 * Diagnostics as text: `file:line:col: error CODE: message`, the line with a caret, and the hint, separated by empty lines. At
 * most 200 are shown, errors first; the last line then states how many are left. Ends with a line end; empty without
 * diagnostics. `colour` adds ANSI colours (ECMA-48).
 */
export function renderDiagnostics(
  { diagnostics, sources }: Rendered,
  { colour }: { readonly colour: boolean },
): string {
  const paint = colour ? ansi : plain;
  const files = new Map<string, readonly string[]>();
  const secrets = secretColumns(diagnostics);
  // A long line may have thousands of diagnostics: it is searched for secrets once.
  const lines = new Map<string, ShownLine | undefined>();
  const lineOf = ({ at }: Diagnostic): ShownLine | undefined => {
    const key = `${at.file}:${at.line}`;
    if (lines.has(key)) return lines.get(key);
    const texts = files.get(at.file) ?? sources.get(at.file)?.split(/\r?\n/) ?? [];
    files.set(at.file, texts);
    const text = texts[at.line - 1];
    const line = text === undefined || text.trim() === '' ? undefined : hideSecret(text, secrets.get(key));
    lines.set(key, line);
    return line;
  };
  const shown = mostTelling(diagnostics);
  const rendered = shown.map((each) => render(each, lineOf(each), paint));
  if (shown.length < diagnostics.length) rendered.push(`... and ${diagnostics.length - shown.length} more\n`);
  return rendered.join('\n');
}

/** The diagnostics to show, in order. No warning displaces an error. */
function mostTelling(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= MOST_SHOWN) return diagnostics;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').slice(0, MOST_SHOWN);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  const chosen = new Set([...errors, ...warnings.slice(0, MOST_SHOWN - errors.length)]);
  return diagnostics.filter((each) => chosen.has(each));
}

/** A line that is safe to show. */
interface ShownLine {
  readonly text: string;
  /** Offset of the asterisks that replace a secret; nothing is shown after them. */
  readonly hidden?: number;
}

/** Where secrets begin, by file and line. What one diagnostic masks, no other may show. */
function secretColumns(diagnostics: readonly Diagnostic[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { code, at } of diagnostics) {
    const entry = catalogue[code as Code] as Entry<never> | undefined;
    const key = `${at.file}:${at.line}`;
    if (entry?.masked === true) found.set(key, Math.min(at.column, found.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return found;
}

const SECRET =
  /(?:^|[{,\s"'])(?:password|passphrase|client-secret|shared-secret|bearer|api-keys?)["']?\s*:\s*(?=\S)(?!\{|["']?\$?\{[\w.:]*\}|\[ *["']?sha256:)/;

/** Masks a password or key even when the line is quoted for another reason, but not a reference to one. */
function hideSecret(text: string, column: number | undefined): ShownLine {
  const password = SECRET.exec(text);
  const hidden = Math.min(
    column === undefined ? Number.POSITIVE_INFINITY : column - 1,
    password === null ? Number.POSITIVE_INFINITY : password.index + password[0].length,
  );
  return Number.isFinite(hidden) ? { text: `${text.slice(0, hidden)}***`, hidden } : { text };
}

type Style = 'error' | 'warning' | 'place' | 'faint';
type Paint = (style: Style, text: string) => string;

const CODES: Readonly<Record<Style, string>> = { error: '31', warning: '33', place: '1', faint: '2' };
const ansi: Paint = (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`;
const plain: Paint = (_, text) => text;

function render(diagnostic: Diagnostic, line: ShownLine | undefined, paint: Paint): string {
  const { severity, code, message, hint, at } = diagnostic;
  const shown = [
    `${paint('place', `${placeText(at)}:`)} ${paint(severity, `${severity} ${code}:`)} ${printable(message)}`,
  ];
  if (line !== undefined) shown.push(...quote(diagnostic, line, paint));
  if (hint !== undefined) shown.push(`  ${paint('faint', 'hint:')} ${printable(hint)}`);
  return `${shown.join('\n')}\n`;
}

/** The line, cut around the place, with a caret below it. */
function quote({ at, length = 1, severity }: Diagnostic, { text: line, hidden }: ShownLine, paint: Paint): string[] {
  const column = Math.min(at.column - 1, hidden ?? line.length);
  const from = column > WIDEST / 2 ? column - WIDEST / 2 : 0;
  const before = line.slice(from, column).replaceAll('\t', TAB);
  const meant =
    column === hidden ? line.slice(column) : line.slice(column, Math.min(column + length, hidden ?? line.length));
  const behind = from > 0 ? '...' : '';
  const text = printable(`${behind}${before}${line.slice(column, column + WIDEST + 1)}`.replaceAll('\t', TAB));
  const caret = '^'.repeat(Math.max(1, Math.min(meant.replaceAll('\t', TAB).length, LONGEST_CARET)));
  const cut = text.length > WIDEST ? `${text.slice(0, WIDEST)}...` : text;
  const place = ' '.repeat(behind.length + printable(before).length);
  const gutter = String(at.line);
  const bar = paint('faint', '|');
  const room = Math.max(1, Math.min(caret.length, cut.length - place.length));
  return [
    `  ${paint('faint', gutter)} ${bar} ${cut}`,
    `  ${' '.repeat(gutter.length)} ${bar} ${place}${paint(severity, caret.slice(0, room))}`,
  ];
}

/** Nothing in a definition may control the terminal. */
function printable(text: string): string {
  return text.replaceAll('\n', ' ').replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\ufffd');
}
