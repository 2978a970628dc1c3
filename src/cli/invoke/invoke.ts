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
    'For an operation with a target the target is called, over REST or SOAP as defined; for a flow the calls of its steps are made. With --node an operation that is answered here is called at the running gateway, or at another gateway with the same definitions: over SOAP, or over REST if it has no SOAP form or --uri chooses one of its URIs. Without credentials a sample user makes that call, on a loopback address only.',
    'NAME=@FILE takes the value from a file (- is standard input; write NAME=@@TEXT for a text that begins with @); binary content is sent while it is read. The media type of a file follows from its name, or is appended as in content=@report;type=application/pdf, or is in a field of the document. A file with the Base64 text of the content is written as content=@report.txt;base64; without @ the value of binary content is Base64 text, with or without line ends. --segment takes a FILE with the same endings. SIGNALBOX_USER and SIGNALBOX_PASSWORD are the credentials for the gateway of these definitions.',
  ],
  exits: ['done', 'the definitions contain errors, or the call failed'],
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

/** `signalbox invoke`: calls an operation or runs a flow, and prints the reply. Ends with 1 if that is a fault. */
export function addInvoke(program: Command): void {
  explain(program.command('invoke'), help)
    .description('call an operation or run a flow, and print the reply')
    .argument('<operation>', 'the operation or flow')
    .argument('[name=value...]', 'fields of the request')
    .option('--dry-run', 'print the requests with secrets masked, and send nothing')
    .option('--input <file>', 'fields in JSON, or content if the request has no document; - is standard input')
    .addOption(
      new Option('--segment <file>', 'an attachment besides the fields; repeat for more than one')
        .argParser((text: string, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .option('--uri <index>', "the index of the operation's URI template (default: 1)", readIndex)
    .option('--node <node>', 'the node to call instead of the target')
    .option('--user <name[:password]>', 'the credentials, instead of those of the node')
    .option('-o, --output <file>', 'the file for attachments of the reply; - is standard output')
    .option('--json', AS_JSON)
    .option('--verbose', 'print the heads of request and reply, and times')
    .action(async (id: string, values: readonly string[], options: InvokeOptions, command: Command) => {
      if (options.output === '-' && process.stdout.isTTY)
        throw wrongUsage('attachments are not written to a terminal', 'Write them to a file with --output FILE.');
      const place = placeOf(command);
      // Calls need no handlers.
      const registry = await loadRegistry(place, 'ignore-missing');
      const [{ checkOptions, findCallable }, { prepare, run }] = await Promise.all([
        import('./target.ts'),
        import('./run.ts'),
      ]);
      const { node, user, uri, segment } = options;
      const found = findCallable(registry, id, { node, uri });
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
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 on.');
  return Number(text);
}

async function show({ kept, contentType }: Ran, found: Found, { output, json }: InvokeOptions): Promise<void> {
  const [{ renderJson, renderReply }, { responseOf }] = await Promise.all([
    import('./print.ts'),
    import('./target.ts'),
  ]);
  const response = responseOf(found, contentType);
  // If standard output has the content, everything else goes to standard error.
  const stream = output === '-' ? process.stderr : process.stdout;
  const paper = { colours: coloursOf(stream), terminal: stream.isTTY };
  const text = json ? renderJson(kept, response) : renderReply(kept, response, paper);
  if (output === '-') note(text.trimEnd());
  else await print(text);
  if (response.kind === 'none') note('Accepted. The operation has no reply.');
  if (kept.left > 0) note('Attachments of the reply were discarded. Pass --output FILE to keep them.');
}

async function showPrepared(requests: readonly PreparedRequest[], { json }: InvokeOptions): Promise<void> {
  const { renderPrepared } = await import('./print.ts');
  await print(json ? `${JSON.stringify(requests)}\n` : renderPrepared(requests));
}
