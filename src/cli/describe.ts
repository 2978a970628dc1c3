import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import type { ContractForm } from '../describe/forms.ts';
import type { Registry } from '../model/registry.ts';
import type { Service } from '../model/service.ts';
import { contractBaseOf } from './address.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { findService } from './find-service.ts';
import { loadRegistry, placeOf } from './project.ts';
import { note, print } from './terminal.ts';

const examples = `
Examples:
  signalbox describe wadl Locations.v1
  signalbox describe wsdl Attachments.v1
  signalbox describe openapi Locations.v1 -o locations.openapi.json
  signalbox describe xsd Locations.v1 --base https://api.example.com

The running gateway serves the same documents: .../RESTListeningConnector/Locations.v1.wadl, .openapi.json and .xsd,
.../PeopleSoftServiceListeningConnector/Attachments.v1.wsdl.`;

const forms = ['wadl', 'wsdl', 'xsd', 'openapi'] as const satisfies readonly ContractForm[];

/** `signalbox describe`: a contract, for a partner or a tool. */
export function addDescribe(program: Command): void {
  program
    .command('describe')
    .description('write the contract of a service')
    .addArgument(new Argument('<form>', 'kind of contract').choices(forms))
    .argument('<service>', 'the service and its version: Locations.v1')
    .option('-o, --output <file>', 'write to a file rather than to standard output')
    .option('--base <url>', "the gateway's address in the contract (default: publicUrl, or where it listens)")
    .addHelpText('after', examples)
    .action(async (form: ContractForm, id: string, options: { output?: string; base?: string }, command: Command) => {
      if (options.base !== undefined) checkBase(options.base);
      const place = placeOf(command);
      const registry = await loadRegistry(place);
      const { service, pathName } = findService(registry, id);
      await checkForm(form, service, pathName);
      const { text, imports } = await describe(
        registry,
        service,
        form,
        await contractBaseOf(registry, options.base),
        pathName,
      );
      const { output } = options;
      if (output === undefined) {
        await print(text);
        for (const [name] of imports) note(`It imports ${name}, which -o writes beside it.`);
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

/** A contract, and the files that it imports: name and text. */
interface Contract {
  readonly text: string;
  readonly imports: readonly (readonly [string, string])[];
}

function checkBase(base: string): void {
  if (/^https?:\/\/[^?#]+$/.test(base) && URL.canParse(base)) return;
  throw wrongUsage(
    `--base takes an http or https address, not '${base}'`,
    'For example: --base https://api.example.com. A path may follow, a query or a fragment may not.',
  );
}

/** @throws CliFailure where the service has nothing that such a contract could tell, with those that it has */
async function checkForm(form: ContractForm, service: Service, pathName: string | undefined): Promise<void> {
  const { contractForms } = await import('../describe/forms.ts');
  const there = contractForms(service, pathName);
  if (there.includes(form)) return;
  if (there.length === 0) throw new CliFailure(`${service.id} provides no active operations`);
  throw new CliFailure(`${service.id} has no operations over ${form === 'wsdl' ? 'SOAP' : 'REST'}`, {
    hint: `What it has: ${there.map((each) => `signalbox describe ${each} ${service.id}`).join(', ')}`,
  });
}

async function describe(
  registry: Registry,
  service: Service,
  form: ContractForm,
  base: string,
  pathName: string | undefined,
): Promise<Contract> {
  const { describeOpenApi, describeWadl, describeWsdl, describeXsd, describeXsdFiles } = await import(
    '../describe/index.ts'
  );
  const part = pathName === undefined ? {} : { pathName };
  if (form === 'wadl') return { text: describeWadl(registry, service, { base, ...part }), imports: [] };
  if (form === 'wsdl') return { text: describeWsdl(registry, service, { base }), imports: [] };
  if (form === 'openapi') return { text: describeOpenApi(registry, service, { base, ...part }), imports: [] };
  const [, ...imports] = describeXsdFiles(registry, service, part);
  return { text: describeXsd(registry, service, part), imports };
}
