import { type Change, type Loss, placeWords } from '../../import/index.ts';
import { counted } from '../../wire/words.ts';
import { coloursOf, tableOf } from '../terminal.ts';
import { countsOf, type ImportPlan } from './plan.ts';

/** What an import did, for programs. */
export function reportOf({ name, folder, files, changes, losses, record }: ImportPlan) {
  return {
    name,
    folder,
    as: record.as,
    sources: record.sources,
    ...countsOf(record.declared),
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
}

function renderPlan(plan: ImportPlan, { isWritten, withTexts }: Shown): string {
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
  const lost = losses.filter(({ note }) => note !== true);
  const notes = losses.filter(({ note }) => note === true);
  if (lost.length > 0)
    parts.push(`\n${counted(lost.length, 'thing')} that the definitions do not say:\n\n`, lossTable(lost));
  if (notes.length > 0) {
    const columns = { at: atOf, note: ({ what, instead }: Loss) => `${what}: ${instead}` };
    parts.push(`\n${counted(notes.length, 'thing')} that nothing is lost by:\n\n`, tableOf(notes, columns));
  }
  return parts.join('');
}

const atOf = ({ place }: Loss): string => placeWords(place);

function lossTable(losses: readonly Loss[]): string {
  return tableOf(losses, {
    at: atOf,
    'not carried': ({ what }) => what,
    instead: ({ instead }) => instead,
  });
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
