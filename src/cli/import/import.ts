import { type Command, InvalidArgumentError, Option } from 'commander';
import { counted } from '../../wire/words.ts';
import { Ended } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { load, type Place, placeOf, renderLoaded } from '../project.ts';
import { jsonText, note, print } from '../terminal.ts';
import { type ImportOptions, type ImportPlan, planImport } from './plan.ts';
import { writeImport } from './project-files.ts';
import { renderPlans, reportOf } from './render.ts';

const help = {
  examples: [
    'signalbox import partner.wsdl  # call a partner',
    'signalbox import old.wsdl --as provider  # serve the contract of an old service here',
    'signalbox import https://partner.example.org/openapi.json --name PARTNER',
    'signalbox import contracts/ --fetch --strict',
    'signalbox import partner.json --tolerant --dry-run  # what is wrong with a contract, and what is taken of it',
    "curl -s 'https://partner.example.org/service?wsdl' | signalbox import - --name partner --dry-run",
  ],
  notes: [
    'Reads WSDL 1.1, XML Schema 1.0, WADL 2009 and OpenAPI 2.0 to 3.2, with the files that they refer to, and writes services, operations and documents to a folder of the definitions. Everything of the contract that the definitions do not say is listed, the worst first, with its places, what they say instead, and what you can do; what is alike is one entry, unless --verbose is given. --strict makes it an error.',
    'A contract that is not valid is refused with everything that is not valid in it. With --tolerant that alone is left out, or taken as far as its meaning is known, and listed first. A file that a contract refers to and that does not exist is listed in either case.',
    'A second import of the same name follows the contract, and keeps what you added or changed since the first: imported.json in the folder, which you commit, says what was imported. Changes are shown first; --dry-run writes nothing.',
  ],
  exits: [
    'the definitions were written',
    'the contract is not valid, none of its operations can be called or served, or --strict found something that is not carried',
  ],
} as const;

/** `signalbox import`: writes definitions from the contracts of partners. */
export function addImport(program: Command): void {
  explain(program.command('import'), help)
    .description('write definitions from WSDL, XML Schema, WADL or OpenAPI')
    .argument('<source...>', "files, folders, addresses, or '-' for standard input")
    .addOption(
      new Option('--as <role>', 'call the contract, or serve it here (default: consumer)').choices([
        'consumer',
        'provider',
      ]),
    )
    .option('--name <name>', 'name of the contract: of its folder, its node and its permission list')
    .option('--fetch', 'follow references to addresses')
    .option('--allow-private', 'follow them to this machine and to private networks, too')
    .option(
      '--header <header>',
      "header of requests to the servers of the addresses, as 'Authorization: Bearer TOKEN' (repeatable)",
      (each: string, others: readonly string[] = []) => [...others, each],
    )
    .option('--tolerant', 'take what is valid of a contract that is not, and list the rest')
    .option('--max-files <n>', 'most files of one contract (default: 1000)', countOf)
    .option('--strict', 'write nothing if something of the contract can not be carried')
    .option('--dry-run', 'print the definitions, and write nothing')
    .option('--verbose', 'list everything that is not carried by itself, each place on a line')
    .option('--json', AS_JSON)
    .action(async (sources: readonly string[], options: ImportOptions, command: Command) => {
      const place = placeOf(command);
      const plans = await planImport(place, sources, options);
      const losses = plans.reduce((sum, each) => sum + each.losses.filter((loss) => loss.kind !== 'note').length, 0);
      const isRefused = options.strict === true && losses > 0;
      const isWritten = !isRefused && options.dryRun !== true;
      if (isWritten) for (const each of plans) await writeImport(place.root, each.folder, each.files, each.record);
      if (options.json) await print(jsonText(plans.map(reportOf)));
      else
        await print(
          renderPlans(plans, { isWritten, withTexts: options.dryRun === true, isVerbose: options.verbose === true }),
        );
      if (isRefused) {
        note(`--strict: ${counted(losses, 'thing')} can't be carried, so nothing was written.`);
        throw new Ended(1);
      }
      if (isWritten) await verify(place, plans);
      const useless = plans.filter((each) => each.isUseless);
      for (const { name, record } of useless)
        note(
          `No operation of ${name} can be ${record.as === 'consumer' ? 'called' : 'served'}: the list has the reasons.`,
        );
      if (useless.length > 0) throw new Ended(1);
    });
}

function countOf(text: string): number {
  const value = Number(text);
  if (/^[1-9]\d{0,5}$/.test(text)) return value;
  throw new InvalidArgumentError('It is a whole number from 1 to 999999.');
}

/** Checks what was written, and makes the handler stubs of a contract that is served here. */
async function verify(place: Place, plans: readonly ImportPlan[]): Promise<void> {
  const loaded = await load(place, 'ignore-missing');
  const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
  if (loaded.registry === undefined || errors.length > 0) {
    note((await renderLoaded(loaded, process.stderr)).trimEnd());
    const isElsewhere = errors.every(({ at }) => plans.every(({ folder }) => !at.file.startsWith(`${folder}/`)));
    if (isElsewhere) note('\nThe import is written. The errors are in other definitions.');
    throw new Ended(1);
  }
  if (plans.every(({ record }) => record.as !== 'provider')) return;
  const { planGenerated, writeGenerated } = await import('../generated-files.ts');
  const plan = await planGenerated(place.root, loaded.registry);
  await writeGenerated(place.root, plan);
  for (const path of plan.stubs.keys()) note(`created ${path}`);
}
