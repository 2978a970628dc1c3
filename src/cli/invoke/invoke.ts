import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PreparedRequest } from '../../invoke/index.ts';
import { wrongUsage } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { loadRegistry, placeOf } from '../project.ts';
import { interruptible } from '../signals.ts';
import { coloursOf, note, print } from '../terminal.ts';
import type { Asked, Ran } from './run.ts';
import type { Found } from './target.ts';

const help = {
  examples: [
    'signalbox invoke LOCATIONS_GET REGION=N --node LOCAL',
    'signalbox invoke ATTACHMENT_PUT name=README.md content=@README.md --node LOCAL',
    'signalbox invoke ATTACHMENT_GET name=README.md --node LOCAL --output copy.md',
    'signalbox invoke N_DOCLIB.upload File=@README.md SiteName=HR DocFolder=Reports --dry-run',
    'signalbox invoke THIRD_PARTY_IMPORT_POST content=@incidents.json --json',
    "signalbox invoke N_BINARY_SEND content=@envelope.xml --segment 'report.xml;type=application/xml'",
  ],
  notes: [
    'An operation with a target calls it, over REST or SOAP as it is defined; a flow makes the calls of its steps. An operation that is answered here is called over SOAP at the running gateway, or another one of the same definitions, by --node; nobody named, a user of the sample calls, where only this machine can listen in.',
    "NAME=@FILE takes the value from a file (- is standard input, NAME=@@TEXT is a text that begins with @); binary content is sent as it is read. The type of a file goes by its name, or is said behind it, as in content=@report;type=application/pdf, or by the document's own field. SIGNALBOX_USER and SIGNALBOX_PASSWORD say who calls the gateway of these definitions.",
  ],
  exits: ['done', 'the definitions hold errors, or the call came to nothing'],
} as const;

interface InvokeOptions {
  readonly input?: string;
  readonly segment: readonly string[];
  readonly node?: string;
  readonly user?: string;
  readonly output?: string;
  readonly uri?: number;
  readonly dryRun?: true;
  readonly json?: true;
  readonly verbose?: true;
}

/** `signalbox invoke`: calls an operation, or runs a flow, and shows the reply. Ends with 1 where the answer is a fault. */
export function addInvoke(program: Command): void {
  explain(program.command('invoke'), help)
    .description('call an operation, or run a flow, and show the reply')
    .argument('<operation>', 'the operation, or the flow')
    .argument('[name=value...]', 'fields of the request')
    .option('--dry-run', 'show the requests, with secrets masked, and send nothing')
    .option('--input <file>', 'fields in JSON, or the content where there is no document; - is standard input')
    .addOption(
      new Option('--segment <file>', 'an attachment beside the fields; once for each')
        .argParser((text: string, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .option('--uri <index>', "which of the operation's URI templates, from 1 (default: 1)", readIndex)
    .option('--node <node>', 'the node that is called, in place of the target')
    .option('--user <name[:password]>', 'who calls, in place of what the node says')
    .option('-o, --output <file>', 'the file for attachments of the reply; - is standard output')
    .option('--json', AS_JSON)
    .option('--verbose', 'show the heads of request and reply, and times')
    .action(async (id: string, values: readonly string[], options: InvokeOptions, command: Command) => {
      if (options.output === '-' && process.stdout.isTTY)
        throw wrongUsage('attachments are not for a terminal', '--output FILE writes them to a file.');
      const place = placeOf(command);
      // Handlers are no part of this.
      const registry = await loadRegistry(place, 'ignore-missing');
      const [{ checkOptions, findCallable }, { prepare, run }] = await Promise.all([
        import('./target.ts'),
        import('./run.ts'),
      ]);
      const found = findCallable(registry, id, options.node);
      const { node, user, uri, segment } = options;
      checkOptions(found, { '--node': node, '--user': user, '--uri': uri, '--segment': segment[0] });
      const asked = askedFor(values, options);
      if (options.dryRun) return showPrepared(await prepare(registry, found, asked, place), options);
      const ran = await interruptible((signal) => run(registry, found, asked, { place, signal }));
      return show(ran, found, options);
    });
}

function askedFor(values: readonly string[], options: InvokeOptions): Asked {
  const { input, segment, node, user, uri, output, verbose = false } = options;
  return { given: { values, input, segments: segment }, node, user, uriIndex: uri, output, verbose };
}

function readIndex(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.');
  return Number(text);
}

async function show({ kept, contentType }: Ran, found: Found, { output, json }: InvokeOptions): Promise<void> {
  const [{ renderJson, renderReply }, { responseOf }] = await Promise.all([
    import('./print.ts'),
    import('./target.ts'),
  ]);
  const response = responseOf(found, contentType);
  // Where the content is on standard output, nothing else is.
  const stream = output === '-' ? process.stderr : process.stdout;
  const paper = { colours: coloursOf(stream), terminal: stream.isTTY };
  const text = json ? renderJson(kept, response) : renderReply(kept, response, paper);
  if (output === '-') note(text.trimEnd());
  else await print(text);
  if (response.kind === 'none') note('It was taken; the operation has no reply.');
  if (kept.left > 0) note('Attachments of the reply were not kept: give --output FILE.');
}

async function showPrepared(requests: readonly PreparedRequest[], { json }: InvokeOptions): Promise<void> {
  const { renderPrepared } = await import('./print.ts');
  await print(json ? `${JSON.stringify(requests)}\n` : renderPrepared(requests));
}
