import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { didYouMean } from '../load/suggest.ts';
import type { Registry } from '../model/registry.ts';
import type { Service } from '../model/service.ts';
import { contractBaseOf } from './address.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { loadRegistry, placeOf } from './project.ts';
import { note, print } from './terminal.ts';

const examples = `
Examples:
  signalbox describe wadl Locations.v1
  signalbox describe openapi Locations.v1 -o locations.openapi.json
  signalbox describe xsd Locations.v1 --base https://api.example.com

The running gateway serves the same documents: .../RESTListeningConnector/Locations.v1.wadl, .openapi.json and .xsd.`;

const forms = ['wadl', 'xsd', 'openapi'] as const;
type Form = (typeof forms)[number];

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
    .action(async (form: Form, id: string, options: { output?: string; base?: string }, command: Command) => {
      if (options.base !== undefined) checkBase(options.base);
      const place = placeOf(command);
      const registry = await loadRegistry(place);
      const { service, pathName } = findService(registry, id);
      const [main, ...companions] = await describe(
        registry,
        service,
        form,
        await contractBaseOf(registry, options.base),
        pathName,
      );
      const { output } = options;
      if (output === undefined) {
        await print(main.text);
        for (const { name } of companions) note(`It imports ${name}, which -o writes beside it.`);
        return;
      }
      const file = resolve(place.root, output);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, main.text);
      note(`Wrote ${output}.`);
      for (const { name, text } of companions) {
        await writeFile(join(dirname(file), name), text);
        note(`Wrote ${join(dirname(output), name)}, which it imports.`);
      }
    });
}

/** A file of a contract; its name is what others import it by. */
interface ContractFile {
  readonly name: string;
  readonly text: string;
}

function checkBase(base: string): void {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw wrongUsage(
      `--base takes an http or https address, not '${base}'`,
      'For example: --base https://api.example.com',
    );
  }
}

/**
 * A service by its id, by the segment that it has in paths (`ExecuteQuery.v1`), or by its name alone, which means the
 * default version.
 */
function findService(registry: Registry, given: string): { service: Service; pathName: string | undefined } {
  const services = [...registry.services.values()];
  const exact = registry.services.get(given) ?? services.find((service) => service.name === given && service.default);
  if (exact !== undefined) return { service: exact, pathName: undefined };
  for (const service of services) {
    for (const { pathName } of service.operations) {
      if (`${pathName}.${service.version}` === given || (pathName === given && service.default))
        return { service, pathName };
    }
  }
  throw new CliFailure(`there is no service ${given}`, {
    hint: didYouMean(
      given,
      services.map((service) => service.id),
    ),
  });
}

async function describe(
  registry: Registry,
  service: Service,
  form: Form,
  base: string,
  pathName: string | undefined,
): Promise<[ContractFile, ...ContractFile[]]> {
  const { describeOpenApi, describeWadl, describeXsd, describeXsdFiles } = await import('../describe/index.ts');
  const part = pathName === undefined ? {} : { pathName };
  const ended = (name: string, text: string): ContractFile => ({
    name,
    text: text.endsWith('\n') ? text : `${text}\n`,
  });
  if (form === 'wadl') return [ended('', describeWadl(registry, service, { base, ...part }))];
  if (form === 'openapi') return [ended('', describeOpenApi(registry, service, { base, ...part }))];
  const [, ...companions] = describeXsdFiles(registry, service, part);
  return [ended('', describeXsd(registry, service, part)), ...companions.map(([name, text]) => ended(name, text))];
}
