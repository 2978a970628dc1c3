import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Head, InvokeReply } from '../invoke/index.ts';
import type { Registry } from '../model/registry.ts';
import { CliFailure } from './failure.ts';
import type { KeptReply } from './invoke-keep.ts';
import type { Found } from './invoke-target.ts';
import { withProgress } from './progress.ts';
import { loadRegistry, type Place, placeOf } from './project.ts';
import { coloursOf, note, print } from './terminal.ts';

const examples = `
Examples:
  signalbox invoke ATTACHMENT_PUT --node LOCAL name=report.pdf contentType=application/pdf content=@report.pdf
  signalbox invoke ATTACHMENT_GET --node LOCAL name=report.pdf --output report.pdf
  signalbox invoke N_BINARY_SEND content=@envelope.xml --segment 'report.xml;type=application/xml'

An operation with a target calls it over SOAP. One that is answered here is called at the running gateway, or another one
of the same definitions, by --node; nobody named, a user of the sample calls, where only this machine can listen in.
NAME=@FILE takes the value from a file (- is standard input, NAME=@@TEXT is a text that begins with @); binary content is
sent as it is read. The type of a file is said behind it, as in content=@report.pdf;type=application/pdf, or by the
document's own field. SIGNALBOX_USER and SIGNALBOX_PASSWORD say who calls the gateway of these definitions.`;

interface InvokeOptions {
  readonly input?: string;
  readonly segment: readonly string[];
  readonly node?: string;
  readonly user?: string;
  readonly output?: string;
  readonly json?: true;
  readonly verbose?: true;
}

/** `signalbox invoke`: calls an operation over SOAP and shows its reply. Ends with 1 where the answer is a fault. */
export function addInvoke(program: Command): void {
  program
    .command('invoke')
    .description('call an operation over SOAP')
    .argument('<operation>', 'the operation')
    .argument('[name=value...]', 'fields of the request')
    .option('--input <file>', 'fields in JSON, or the content where there is no document; - is standard input')
    .addOption(
      new Option('--segment <file>', 'an attachment beside the fields; once for each')
        .argParser((text: string, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .option('--node <node>', 'the node that is called, in place of the target')
    .option('--user <name[:password]>', 'who calls, in place of what the node says')
    .option('--output <file>', 'where attachments of the reply go; - is standard output')
    .option('--json', 'write the reply as JSON')
    .option('--verbose', 'show the heads of request and reply, and times')
    .addHelpText('after', examples)
    .action(async (id: string, values: readonly string[], options: InvokeOptions, command: Command) => {
      if (options.output === '-' && process.stdout.isTTY)
        throw new CliFailure('attachments are not for a terminal', { hint: '--output FILE writes them to a file.' });
      const place = placeOf(command);
      // Handlers are no part of this.
      const registry = await loadRegistry(place, 'ignore-missing');
      const { findCallable } = await import('./invoke-target.ts');
      const found = findCallable(registry, id, options.node);
      const kept = await interruptible((signal) => invoke(registry, found, values, options, { place, signal }));
      await show(kept, found, options);
    });
}

interface Run {
  readonly place: Place;
  readonly signal: AbortSignal;
}

/** Does the work; an interrupt ends it, and is said to be what did. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new CliFailure('interrupted'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

async function invoke(
  registry: Registry,
  found: Found,
  values: readonly string[],
  options: InvokeOptions,
  { place, signal }: Run,
): Promise<KeptReply> {
  const [{ asConsumer, createClient }, { createSpool }, { chooseTarget }, { readInput, readSegments }, { keepReply }] =
    await Promise.all([
      import('../invoke/index.ts'),
      import('../store/spool.ts'),
      import('./invoke-target.ts'),
      import('./invoke-input.ts'),
      import('./invoke-keep.ts'),
    ]);
  const { env } = process;
  const { sample, ...target } = await chooseTarget(registry, found, { node: options.node, user: options.user }, env);
  const given = { values, input: options.input, segments: options.segment };
  const input = await readInput(found.soap.request, given);
  const segments = await readSegments(given);
  const { operation } = found;
  const consumer = found.kind === 'consumer' ? found.operation : asConsumer(found.operation, target.node!, input);
  if (sample) note(`As ${target.credential?.user}, a user of the sample.`);
  const spool = createSpool({ folder: join(place.root, '.signalbox/spool') });
  const client = createClient(registry, { env, spool });
  try {
    return await withProgress(
      [`Sending ${operation.id}`, `Waiting for ${operation.id}`, 'Receiving'],
      async (meter) => {
        const reply = await client.call(consumer, input, {
          ...target,
          segments,
          signal,
          onSent: (sent, total) => (sent === total ? meter.step(1) : meter.bytes(sent, total)),
          ...(options.verbose ? { heads } : {}),
        });
        if (options.verbose) noteTimes(reply);
        meter.step(2);
        const total = Number(reply.headers['content-length'] ?? 0);
        return keepReply(reply, { output: options.output, onReceived: (bytes) => meter.bytes(bytes, total) });
      },
    );
  } catch (error) {
    throw (await import('./invoke-failure.ts')).callFailure(error);
  } finally {
    await client.close();
  }
}

const heads = {
  onRequest: (head: Head): void => noteHead('>', head),
  onReply: (head: Head): void => noteHead('<', head),
};

function noteHead(mark: string, { line, headers }: Head): void {
  for (const each of [line, ...headers.map(([name, value]) => `${name}: ${value}`), ''])
    note(`${mark} ${each}`.trimEnd());
}

function noteTimes({ timings: { head, value } }: InvokeReply): void {
  note(`* ${head.toFixed(1)} ms to the head of the reply, ${value.toFixed(1)} ms to its value`);
}

async function show(kept: KeptReply, { soap }: Found, { output, json }: InvokeOptions): Promise<void> {
  const { renderJson, renderReply } = await import('./invoke-print.ts');
  // Where the content is on standard output, nothing else is.
  const stream = output === '-' ? process.stderr : process.stdout;
  const paper = { colours: coloursOf(stream), terminal: stream.isTTY };
  const text = json ? renderJson(kept, soap.response) : renderReply(kept, soap.response, paper);
  if (output === '-') note(text.trimEnd());
  else await print(text);
  if (soap.response.kind === 'none') note('It was taken; the operation is one-way.');
  if (kept.left > 0) note('Attachments of the reply were not kept: give --output FILE.');
}
