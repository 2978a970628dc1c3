import {
  type Change,
  groupLosses,
  LOSS_KINDS,
  type Loss,
  type LossKind,
  placesWords,
  placeWords,
} from '../../import/index.ts';
import { counted } from '../../wire/words.ts';
import { coloursOf, printable } from '../terminal.ts';
import { callableOf, countsOf, type ImportPlan } from './plan.ts';

/** What an import did, for programs. */
export function reportOf({ name, folder, files, changes, losses, record }: ImportPlan) {
  return {
    name,
    folder,
    as: record.as,
    sources: record.sources,
    ...countsOf(record.declared),
    callable: callableOf(record.declared),
    files: [...files.keys()],
    changes: changes.map(({ path, ...rest }) => ({ ...rest, path: path.join(' > ') })),
    losses: losses.map(({ place, ...rest }) => ({ at: placeWords(place), ...rest })),
  };
}

/** What an import does, as text. */
export function renderPlans(plans: readonly ImportPlan[], shown: Shown): string {
  return plans.map((each) => renderPlan(each, shown)).join('\n');
}

interface Shown {
  /** Whether the files were written. */
  readonly isWritten: boolean;
  /** Whether their texts are shown. */
  readonly withTexts: boolean;
  /** Whether each loss has a line of its own. */
  readonly isVerbose: boolean;
}

function renderPlan(plan: ImportPlan, { isWritten, withTexts, isVerbose }: Shown): string {
  const { name, folder, files, changes, isNew, losses, record } = plan;
  const { bold } = coloursOf(process.stdout);
  const { operations, documents, fields } = countsOf(record.declared);
  const taken = [counted(operations, 'operation'), counted(documents, 'document'), counted(fields, 'field')].join(', ');
  const parts = [`${bold(name)}: ${taken}, as ${record.as === 'consumer' ? 'calls' : 'a service of this gateway'}.\n`];
  if (!isNew) parts.push(renderChanges(changes));
  if (withTexts) for (const [path, text] of files) parts.push(`\n${bold(`# ${path}`)}\n${text}`);
  else if (isWritten && files.size > 0)
    parts.push(`${[...files].map(([path, text]) => `${text === '' ? 'removed' : 'wrote'} ${path}`).join('\n')}\n`);
  else if (files.size === 0 && (isNew || changes.length === 0)) parts.push(`${folder} is up to date.\n`);
  for (const kind of LOSS_KINDS) {
    const own = losses.filter((each) => each.kind === kind);
    if (own.length > 0) parts.push(`\n${renderLosses(kind, own, isVerbose)}`);
  }
  return parts.join('');
}

/** What is written above the losses of a kind, with what can be done about any of them. */
const HEADINGS: Readonly<Record<LossKind, (count: number) => readonly string[]>> = {
  operation: (count) => [`${counted(count, 'operation')} that can't be called or served:`],
  invalid: (count) => [
    `${counted(count, 'thing')} not valid in the contract, with what is taken instead:`,
    'Have the contract corrected; until then, test what depends on them.',
  ],
  value: (count) => [
    `${counted(count, 'thing')} that the definitions do not say:`,
    'The next import keeps what you write in the definitions about them.',
  ],
  note: (count) => [`${counted(count, 'note')}, by which nothing is lost:`],
};

/** Losses of one kind: what is alike as one entry, with its count and first places, and what to do. */
function renderLosses(kind: LossKind, losses: readonly Loss[], isVerbose: boolean): string {
  const { bold, dim } = coloursOf(process.stdout);
  const [heading = '', ...remedies] = HEADINGS[kind](losses.length);
  const groups = isVerbose ? losses.flatMap((each) => groupLosses([each])) : groupLosses(losses);
  const lines = groups.flatMap(({ what, places, first: { instead, hint } }) => [
    `- ${printable(`${what}: ${instead}`)}${places.length === 1 ? '' : ` (${places.length} places)`}`,
    dim(`    ${printable(placesWords(places))}`),
    ...(hint === undefined ? [] : hint.split('\n').map((line) => `    ${printable(line)}`)),
  ]);
  return `${[bold(heading), ...remedies, ...lines].join('\n')}\n`;
}

const SIGNS: Readonly<Record<Change['kind'], readonly [sign: string, colour: 'green' | 'yellow' | 'red' | 'cyan']>> = {
  added: ['+', 'green'],
  changed: ['~', 'yellow'],
  removed: ['-', 'red'],
  kept: ['=', 'cyan'],
};

/** One line for each change: a sign, the element, and its values. */
function renderChanges(changes: readonly Change[]): string {
  const paint = coloursOf(process.stdout);
  return changes
    .map(({ kind, path, before, after }) => {
      const [sign, colour] = SIGNS[kind];
      const values = [before, after].filter((each) => each !== undefined).map((each) => JSON.stringify(each));
      const words =
        kind === 'kept'
          ? ` (yours is kept${after === undefined ? '' : `; the contract has ${JSON.stringify(after)}`})`
          : '';
      const shown = kind === 'kept' || values.length === 0 ? '' : `: ${values.join(' -> ')}`;
      return `${paint[colour](sign)} ${path.join(' > ')}${shown}${words}\n`;
    })
    .join('');
}
