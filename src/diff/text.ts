import type { JudgedChange, Judgement } from './accepted.ts';
import type { Side } from './changes.ts';
import { type Audience, isAtLeast, type Language, VERDICTS, type Verdict } from './verdict.ts';

/** Changes of the same operations. */
interface Group {
  /** `Locations.v1`; `undefined` for what concerns all services. */
  readonly service: string | undefined;
  /** Empty for what concerns the whole service. */
  readonly operations: readonly string[];
  /** The worst first. */
  readonly changes: readonly JudgedChange[];
}

/**
 * Groups changes by operation, those of the gateway and of whole services first. A change of a document that several operations use is
 * one change of all of these.
 */
function grouped(changes: readonly JudgedChange[]): readonly Group[] {
  const same = Map.groupBy(changes, keyOf);
  const merged = [...same.values()].map((all) => ({
    service: all[0]?.service,
    operations: [...new Set(all.flatMap(({ operation }) => operation ?? []))],
    change: all[0] as JudgedChange,
  }));
  const groups = Map.groupBy(merged, ({ service, operations }) => [service ?? '', ...operations].join(' '));
  return [...groups.values()]
    .map((all) => ({
      service: all[0]?.service,
      operations: all[0]?.operations ?? [],
      changes: all.map(({ change }) => change).sort(byVerdict),
    }))
    .sort(byName);
}

function keyOf(change: JudgedChange): string {
  const { rule, at, service = '', operation, audience, message, before, after, accepted } = change;
  const below = operation === undefined ? at : at.slice(`${service}.${operation}`.length);
  const places = [before?.at, after?.at].map((place) => (place ? `${place.file}:${place.line}:${place.column}` : ''));
  // Changes of a document, which has a place of its own, are those of all operations that use it.
  return JSON.stringify([rule, service, below, audience, message, ...places, change.verdicts, accepted]);
}

function byVerdict(a: JudgedChange, b: JudgedChange): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}

function byName(a: Group, b: Group): number {
  const [one, other] = [a, b].map(({ service = '', operations }) => [service, ...operations].join(' '));
  return (one as string) < (other as string) ? -1 : 1;
}

/** The title of a group: `Locations.v1: LOCATIONS_GET, LOCATIONS_PUT`. */
function titleOf({ service, operations }: Group): string {
  if (service === undefined) return 'All services';
  return operations.length === 0 ? service : `${service}: ${operations.join(', ')}`;
}

/** Verdicts in words for readers. */
const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  breaking: 'breaking',
  'may-break': 'may break',
  compatible: 'compatible',
  documentation: 'documentation',
};

const AUDIENCE_WORDS: Readonly<Record<Audience, string>> = { callers: 'callers', called: 'called systems' };

const LANGUAGE_WORDS: Readonly<Record<Language, string>> = {
  json: 'REST and JSON',
  xml: 'SOAP and XML',
  clients: 'generated clients',
};

/** The languages that a verdict is about: those that suffer most, if some suffer less. */
function concerned({ verdict, verdicts }: JudgedChange): string {
  const all = Object.entries(verdicts) as [Language, Verdict][];
  const worst = all.filter(([, each]) => each === verdict);
  if (!isAtLeast(verdict, 'may-break') || worst.length === all.length) return '';
  return worst.map(([language]) => LANGUAGE_WORDS[language]).join(', ');
}

/** The numbers of changes by verdict, the worst first: `1 breaking, 2 compatible`. Accepted ones are counted apart. */
function countWords(changes: readonly JudgedChange[]): string {
  if (changes.length === 0) return 'No changes';
  const counts = VERDICTS.toReversed().map((verdict): [string, number] => [
    VERDICT_WORDS[verdict],
    changes.filter((each) => each.verdict === verdict && each.accepted === undefined).length,
  ]);
  counts.push(['accepted', changes.filter(({ accepted }) => accepted !== undefined).length]);
  return counts
    .filter(([, count]) => count > 0)
    .map(([words, count]) => `${count} ${words}`)
    .join(', ');
}

/** `definitions/orders.yaml:12`; a dash where there is nothing. Of some contracts only the file is known. */
function sideWords(side: Side | undefined): string {
  if (side === undefined) return '-';
  const { file, line } = side.at;
  return line === 0 ? file : `${file}:${line}`;
}

/** Colours a text, or not. */
type Paint = (text: string) => string;

/** The colours of a terminal. */
type Paints = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', Paint>>;

const PAINT: Readonly<Record<Verdict, keyof Paints>> = {
  breaking: 'red',
  'may-break': 'yellow',
  compatible: 'green',
  documentation: 'dim',
};

/** Columns of the widest verdict. */
const WIDTH = 'documentation'.length;

/** The changes for a terminal. @param printable makes texts of the definitions safe to print */
export function toText({ changes }: Judgement, paints: Paints, printable: Paint): string {
  const groups = grouped(changes).map(
    (group) =>
      `${paints.bold(titleOf(group))}\n${group.changes.map((each) => changeText(each, paints, printable)).join('')}\n`,
  );
  return `${groups.join('')}${countWords(changes)}.\n`;
}

function changeText(change: JudgedChange, paints: Paints, printable: Paint): string {
  const { verdict, accepted, audience, message, rule, at, before, after } = change;
  const word = accepted === undefined ? VERDICT_WORDS[verdict] : 'accepted';
  const paint = paints[accepted === undefined ? PAINT[verdict] : 'dim'];
  const notes = [audience === 'called' ? 'for the system that is called' : '', concerned(change)].filter(
    (each) => each !== '',
  );
  const about = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const indent = ' '.repeat(WIDTH + 4);
  const lines = [
    `  ${paint(word)}${' '.repeat(WIDTH - word.length)}  ${printable(message)}${about}`,
    `${indent}${paints.dim(printable(`${rule} at ${at}, ${sideWords(before)} > ${sideWords(after)}`))}`,
  ];
  if (accepted !== undefined)
    lines.push(`${indent}${paints.dim(printable(`until ${accepted.until}: ${accepted.reason}`))}`);
  return `${lines.join('\n')}\n`;
}

/** Text inside a cell of a table. Names and values of definitions may contain what has a meaning in Markdown. */
function cell(text: string): string {
  return escaped(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function escaped(text: string): string {
  return text.replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\\*_[\]]/g, '\\$&');
}

/** The changes for a review, as Markdown: a table for each group. */
export function toMarkdown({ changes, idle }: Judgement): string {
  const parts = [`## Changes of contracts\n\n${countWords(changes)}.\n`];
  for (const group of grouped(changes)) parts.push(markdownGroup(group));
  if (idle.length > 0) {
    const lines = idle.map(({ entry, why }) => `- ${sideWords({ text: '', at: entry.at })}: ${escaped(why)}.\n`);
    parts.push(`### Accepted breaks without effect\n\n${lines.join('')}`);
  }
  return parts.join('\n');
}

function markdownGroup(group: Group): string {
  const rows = group.changes.map((change) => {
    const { verdict, audience, message, rule, before, after, accepted } = change;
    const languages = concerned(change);
    const verdictWords =
      isAtLeast(verdict, 'breaking') && accepted === undefined
        ? `**${VERDICT_WORDS[verdict]}**`
        : VERDICT_WORDS[verdict];
    const notes = [languages, accepted === undefined ? '' : `accepted until ${accepted.until}: ${accepted.reason}`];
    const about = [message, ...notes.filter((each) => each !== '').map((each) => `(${each})`)].join(' ');
    return `| ${verdictWords} | ${AUDIENCE_WORDS[audience]} | ${cell(about)} | \`${rule}\` | ${cell(sideWords(before))} | ${cell(sideWords(after))} |\n`;
  });
  const head = '| verdict | for | change | rule | before | after |\n|---|---|---|---|---|---|\n';
  return `### ${escaped(titleOf(group))}\n\n${head}${rows.join('')}`;
}

const CHAPTERS: readonly (readonly [verdict: Verdict, title: string])[] = [
  ['breaking', 'Breaking: change your side'],
  ['may-break', 'May break: check your side'],
  ['compatible', 'Compatible'],
];

/** A changelog for partners, as Markdown: plain sentences by service, without what changes in descriptions only. */
export function toChangelog({ changes }: Judgement): string {
  const shown = changes.filter(({ verdict }) => isAtLeast(verdict, 'compatible'));
  const services = Map.groupBy(grouped(shown), ({ service }) => service);
  if (services.size === 0) return '# Changes\n\nNothing changes for partners.\n';
  const parts = [...services].map(([service, groups]) => serviceChapter(service ?? 'All services', groups));
  return `# Changes\n\n${parts.join('\n')}`;
}

function serviceChapter(title: string, groups: readonly Group[]): string {
  const parts = [`## ${escaped(title)}\n`];
  for (const [verdict, heading] of CHAPTERS) {
    const lines = groups.flatMap((group) =>
      group.changes.filter((change) => change.verdict === verdict).map((change) => changelogLine(group, change)),
    );
    if (lines.length > 0) parts.push(`### ${heading}\n\n${lines.join('')}`);
  }
  return parts.join('\n');
}

function changelogLine({ operations }: Group, change: JudgedChange): string {
  const languages = concerned(change);
  const about = operations.length === 0 ? '' : `${operations.join(', ')}: `;
  return `- ${escaped(`${about}${change.message}${languages === '' ? '' : ` (${languages})`}`)}\n`;
}
