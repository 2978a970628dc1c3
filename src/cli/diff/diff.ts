import { type Command, Option } from 'commander';
import type { IdleAcceptance, Judgement } from '../../diff/accepted.ts';
import type { Change } from '../../diff/changes.ts';
import type { Verdict } from '../../diff/verdict.ts';
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { Ended, wrongUsage } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { loadRegistry, type Place, placeOf } from '../project.ts';
import { coloursOf, jsonText, note, print, printable } from '../terminal.ts';
import { compareContracts, isContract } from './contracts.ts';
import { registryFrom } from './definitions.ts';

const help = {
  examples: [
    'signalbox diff  # what is committed with the working tree',
    'signalbox diff origin/main --fail-on breaking',
    'signalbox diff v1.0.0 HEAD --changelog',
    'signalbox diff ../released --markdown',
    'signalbox diff Locations.v1 Locations.v2',
    'signalbox diff partner.wsdl  # a contract with the service of its name here',
    "signalbox diff old.wsdl 'https://partner.example.org/service?wsdl'",
    'signalbox diff https://gateway.example.org  # all that a running gateway publishes',
  ],
  notes: [
    'BEFORE and AFTER are git references, folders of projects or of definitions, contracts, or both services of these definitions. A folder comes before a reference of the same name.',
    'A contract is a file that ends with .wsdl, .wadl, .xsd, .json, .yaml or .yml, or an address of one. It is read as `signalbox import` reads it. With definitions, its services are compared with those of the same names; two contracts are compared for callers. The address of a gateway stands for all contracts that it publishes.',
    'Changes are judged for callers, and for systems that are called: breaking, may break, compatible, documentation. docs/compatibility.md has every rule. `accepted-breaks` of the gateway accepts changes that are intended; it is read from AFTER.',
  ],
  exits: ['no change is as bad as --fail-on', 'a change is, or the definitions contain errors'],
} as const;

interface Options {
  readonly failOn?: Verdict;
  readonly json?: true;
  readonly markdown?: true;
  readonly changelog?: true;
}

/** `signalbox diff`: what changes of the definitions mean for callers and for systems that are called. */
export function addDiff(program: Command): void {
  explain(program.command('diff'), help)
    .description('report what changes of the definitions mean for callers and for systems that are called')
    .argument('[before]', 'a git reference, a folder, a contract or a service', 'HEAD')
    .argument('[after]', 'likewise; by default the definitions as they are')
    .addOption(
      new Option('--fail-on <verdict>', 'exit with 1 if there is a change with this verdict or a worse one').choices([
        'breaking',
        'may-break',
      ]),
    )
    .addOption(new Option('--json', AS_JSON).conflicts(['markdown', 'changelog']))
    .addOption(new Option('--markdown', 'write tables for a review, in Markdown').conflicts(['changelog']))
    .option('--changelog', 'write sentences for partners, by service, in Markdown')
    .action(async (before: string, after: string | undefined, options: Options, command: Command) => {
      const judgement = await compare(before, after, placeOf(command));
      await print(await render(judgement, options));
      // Entries of `accepted-breaks` that have no effect can be removed.
      if (!options.json) for (const idle of judgement.idle) note(await idleWords(idle));
      if (options.failOn !== undefined && (await hasLeft(judgement, options.failOn))) throw new Ended(1);
    });
}

async function idleWords({ entry: { at, rule }, why }: IdleAcceptance): Promise<string> {
  const [{ RULES }, { nearest }] = await Promise.all([
    import('../../diff/catalogue.ts'),
    import('../../load/diagnostic/suggest.ts'),
  ]);
  const meant = Object.hasOwn(RULES, rule) ? undefined : nearest(rule, Object.keys(RULES));
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `${at.file}:${at.line}: this entry of accepted-breaks has no effect: ${printable(why)}${hint}.`;
}

async function compare(before: string, after: string | undefined, place: Place): Promise<Judgement> {
  const [{ compareRegistries }, { judge }] = await Promise.all([
    import('../../diff/registries.ts'),
    import('../../diff/accepted.ts'),
  ]);
  if (after !== undefined && isServiceName(before) && isServiceName(after)) {
    const changes = await compareServices(before, after, await loadRegistry(place, 'ignore-missing'));
    if (changes !== undefined) return { changes, idle: [] };
  }
  if (isContract(before) || (after !== undefined && isContract(after)))
    return { changes: await compareContracts(before, after, place), idle: [] };
  const [old, now] = [await registryFrom(before, place), await registryFrom(after, place)];
  const today = new Date().toISOString().slice(0, 10);
  return judge(compareRegistries(old, now), now.gateway.acceptedBreaks ?? [], today);
}

const isServiceName = (name: string): boolean => /^[A-Za-z]\w*\.v[1-9]\d*$/.test(name);

/** The changes from one service to another; `undefined` if both names mean something else. */
async function compareServices(
  before: string,
  after: string,
  registry: Registry,
): Promise<readonly Change[] | undefined> {
  const [old, now] = [registry.services.get(before), registry.services.get(after)];
  if (old === undefined && now === undefined) return undefined;
  const missing = (name: string): Error =>
    wrongUsage(`these definitions have no service ${name}`, `Services: ${[...registry.services.keys()].join(', ')}.`);
  const need = (service: Service | undefined, name: string): Service => {
    if (service === undefined) throw missing(name);
    return service;
  };
  const { compareVersions } = await import('../../diff/registries.ts');
  return compareVersions(need(old, before), need(now, after), registry.gateway);
}

/** Whether there is a change with this verdict or a worse one that is not accepted. */
async function hasLeft({ changes }: Judgement, least: Verdict): Promise<boolean> {
  const { isAtLeast } = await import('../../diff/verdict.ts');
  return changes.some(({ verdict, accepted }) => accepted === undefined && isAtLeast(verdict, least));
}

async function render(judgement: Judgement, options: Options): Promise<string> {
  const { toChangelog, toMarkdown, toText } = await import('../../diff/text.ts');
  if (options.json) return jsonText(judgement);
  if (options.markdown) return toMarkdown(judgement);
  return options.changelog ? toChangelog(judgement) : toText(judgement, coloursOf(process.stdout), printable);
}
