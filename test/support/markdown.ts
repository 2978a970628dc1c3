/** A fenced block of a Markdown file. */
export interface CodeBlock {
  /** The heading above it. */
  readonly section: string;
  /** `sh`, `yaml`, `ts`, or '' if the fence names none. */
  readonly language: string;
  readonly text: string;
}

/** A command of a shell block, without its comment. */
export interface ShellCommand {
  readonly section: string;
  readonly command: string;
}

/** Every fenced block of a Markdown text, in order. @param name for the error about a block that does not end */
export function readBlocks(text: string, name: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  let section = '';
  let open: { language: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null && open !== undefined) {
      found.push({ section, language: open.language, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else if (fence !== null) open = { language: fence[1] as string, lines: [] };
    else if (open !== undefined) open.lines.push(line);
    else section = /^#+ (.+)$/.exec(line)?.[1] ?? section;
  }
  if (open !== undefined) throw new Error(`${name}: a block under '${section}' does not end.`);
  return found;
}

/** Every command of every shell block. */
export function commandsIn(blocks: readonly CodeBlock[]): ShellCommand[] {
  return blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ section, text }) =>
      text
        .split('\n')
        .map((line) => line.replace(/(^|\s)\s*#.*$/, '').trim())
        .filter((line) => line !== '')
        .flatMap((line) => line.split(' && '))
        .map((command) => ({ section, command })),
    );
}

/** The text outside of fenced blocks, with spaces for line ends. */
export function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replaceAll(/\s+/g, ' ');
}

/** The anchors of a page's headings: their words in small letters, joined by hyphens. */
export function headingIds(text: string): string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** The cells of all tables with this first heading, row by row; `\\|` is a bar inside a cell. */
export function tableRows(text: string, heading: string): string[][] {
  const found: string[][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (cells.length < 4) isInside = false;
    else if (isInside) found.push(cells.slice(1, -1));
    else isInside = cells[1] === heading;
  }
  return found.filter(([first = '']) => !/^-+$/.test(first));
}
