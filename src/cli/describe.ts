import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import type { ContractForm, Subject } from '../describe/scope.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { findService } from './find.ts';
import { explain } from './help.ts';
import { contractBaseOf, loadRegistry, placeOf } from './project.ts';
import { note, print } from './terminal.ts';

const help = {
  examples: [
    'signalbox describe wadl Locations.v1',
    'signalbox describe wsdl Attachments.v1',
    'signalbox describe openapi Locations.v1 -o locations.openapi.json',
    'signalbox describe xsd Locations.v1 --base https://api.example.org',
  ],
  notes: [
    'The running gateway serves the same documents: .../RESTListeningConnector/Locations.v1.wadl, .openapi.json and .xsd, .../PeopleSoftServiceListeningConnector/Attachments.v1.wsdl.',
  ],
  exits: ['done', 'the definitions contain errors, or the service has no such contract'],
} as const;

const forms = ['wadl', 'wsdl', 'xsd', 'openapi'] as const satisfies readonly ContractForm[];

/** `signalbox describe`: writes a contract for a partner or a tool. */
export function addDescribe(program: Command): void {
  explain(program.command('describe'), help)
    .description('write the contract of a service')
    .addArgument(new Argument('<form>', 'the contract').choices(forms))
    .argument('<service>', 'the service and its version: Locations.v1')
    .option('-o, --output <file>', 'the file to write (default: standard output)')
    .option('--base <url>', "the gateway's address in the contract (default: publicUrl, or where it listens)")
    .action(async (form: ContractForm, id: string, options: { output?: string; base?: string }, command: Command) => {
      if (options.base !== undefined) checkBase(options.base);
      const place = placeOf(command);
      const registry = await loadRegistry(place);
      const subject = findService(registry, id);
      const { contractForms, describeContract } = await import('../describe/index.ts');
      checkForm(form, subject, contractForms(subject.service, subject.pathName));
      const files = describeContract(registry, form, subject, await contractBaseOf(registry, options.base));
      const [[, text], ...imports] = [...files] as [[string, string], ...[string, string][]];
      const { output } = options;
      if (output === undefined) {
        await print(text);
        for (const [name] of imports) note(`It imports ${name}, which -o writes next to it.`);
        return;
      }
      const file = resolve(place.root, output);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      note(`Wrote ${output}.`);
      for (const [name, imported] of imports) {
        await writeFile(join(dirname(file), name), imported);
        note(`Wrote ${join(dirname(output), name)}, which it imports.`);
      }
    });
}

function checkBase(base: string): void {
  if (/^https?:\/\/[^?#]+$/.test(base) && URL.canParse(base)) return;
  throw wrongUsage(
    `--base takes an http or https address, not '${base}'`,
    'For example: --base https://api.example.com. The address may have a path, but no query or fragment.',
  );
}

/** @throws CliFailure when the service does not have that form of contract, with those that it has */
function checkForm(form: ContractForm, { service }: Subject, there: readonly ContractForm[]): void {
  if (there.includes(form)) return;
  if (there.length === 0) throw new CliFailure(`${service.id} provides no active operations`);
  throw new CliFailure(`${service.id} has no operations over ${form === 'wsdl' ? 'SOAP' : 'REST'}`, {
    hint: `Available: ${there.map((each) => `signalbox describe ${each} ${service.id}`).join(', ')}`,
  });
}
