import { join } from 'node:path';
import type { CallOptions, Client, PreparedRequest } from '../../invoke/index.ts';
import { everyField } from '../../model/derivation.ts';
import type { FlowReply, InvokeReply } from '../../model/invoke-reply.ts';
import { MASK } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { DocumentValue } from '../../model/value.ts';
import { type Meter, withProgress } from '../progress.ts';
import type { Place } from '../project.ts';
import { note } from '../terminal.ts';
import type { KeptReply } from './files.ts';
import type { GivenInput } from './input.ts';
import { heads, noteReply } from './print.ts';
import type { ChosenTarget, Found, OneOperation } from './target.ts';

/** The arguments of a command line besides the operation. */
export interface Asked {
  readonly given: GivenInput;
  readonly node: string | undefined;
  readonly user: string | undefined;
  /** Index of the operation's URI template, from 1. */
  readonly uriIndex: number | undefined;
  readonly output: string | undefined;
  readonly verbose: boolean;
}

/** A call that is ready to be made. */
interface Ready {
  readonly client: Client;
  readonly found: Found;
  readonly input: DocumentValue;
  readonly options: CallOptions;
}

/** A reply that has been read, and its media type. */
export interface Ran {
  readonly kept: KeptReply;
  readonly contentType: string | undefined;
}

/** Makes the call and reads the reply. @throws CliFailure */
export async function run(
  registry: Registry,
  found: Found,
  asked: Asked,
  { place, signal }: { readonly place: Place; readonly signal: AbortSignal },
): Promise<Ran> {
  const { checkOutput, keepReply } = await import('./files.ts');
  if (asked.output !== undefined) await checkOutput(asked.output);
  const labels = labelsOf(found);
  return withClient(registry, found, asked, place, (ready) =>
    withProgress(labels, async (meter) => {
      const reply = await send({ ...ready, options: { ...ready.options, signal } }, asked.verbose, meter);
      if (asked.verbose) noteReply(reply);
      meter.step(labels.length - 1);
      const total = Number(reply.headers['content-length'] ?? 0);
      const kept = await keepReply(reply, { output: asked.output, onReceived: (bytes) => meter.bytes(bytes, total) });
      return { kept, contentType: reply.headers['content-type'] };
    }),
  );
}

/** The requests that {@link run} would send, in order. @throws CliFailure */
export async function prepare(
  registry: Registry,
  found: Found,
  asked: Asked,
  place: Place,
): Promise<readonly PreparedRequest[]> {
  return withClient(registry, found, asked, place, async ({ client, input, options }) => {
    if (found.kind === 'flow') return client.previewFlow(found.flow, input);
    const prepared = client.preview(await operationOf(found, options, input), input, options);
    await noteAssumed(found, input);
    return [prepared];
  });
}

/** Names what the other side assumes about fields that are not given, and not sent. */
async function noteAssumed(found: OneOperation, input: DocumentValue): Promise<void> {
  const { requestOf } = await import('./target.ts');
  const request = requestOf(found);
  if (request.kind !== 'document') return;
  const filled = 'filled' in found.operation ? found.operation.filled : undefined;
  const left = everyField(request.document).flatMap(({ name, assumed, sensitive }) => {
    const isLeft = assumed !== undefined && input[name] === undefined && filled?.has(name) !== true;
    return isLeft ? [`${name}=${sensitive ? MASK : assumed}`] : [];
  });
  if (left.length > 0) note(`Not sent, since the other side assumes it: ${left.join(', ')}`);
}

async function withClient<T>(
  registry: Registry,
  found: Found,
  { given, node, user, uriIndex, verbose }: Asked,
  place: Place,
  work: (ready: Ready) => Promise<T>,
): Promise<T> {
  const [{ createClient }, { createSpool }, { chooseTarget, requestOf, uriFor }, { readInput, readSegments }] =
    await Promise.all([
      import('../../invoke/index.ts'),
      import('../../store/file/spool.ts'),
      import('./target.ts'),
      import('./input.ts'),
    ]);
  const { env } = process;
  // Each step of a flow has its own target.
  const { sample, ...target }: ChosenTarget =
    found.kind === 'flow' ? {} : await chooseTarget(registry, found, { node, user }, env);
  const input = await readInput(requestOf(found), given);
  const segments = await readSegments(given);
  if (sample) note(`Calling as the sample user ${target.credential?.user}.`);
  const spool = createSpool({ folder: join(place.root, '.signalbox/spool') });
  const client = createClient(registry, { env, spool, folder: place.root });
  try {
    const uri = uriFor(found, input, uriIndex);
    const options = { ...target, segments, ...(uri === undefined ? {} : { uriIndex: uri }) };
    return await work({ client, found, input, options });
  } catch (error) {
    const { callFailure, noteFailure } = await import('./print.ts');
    if (verbose) noteFailure(error);
    throw callFailure(error);
  } finally {
    await client.close();
  }
}

async function operationOf(found: OneOperation, { node }: CallOptions, input: DocumentValue) {
  if (found.kind !== 'provider') return found.operation;
  const { asConsumer } = await import('../../invoke/index.ts');
  if (node === undefined) throw new TypeError(`${found.operation.id} has no node to be called at`);
  return asConsumer(found.operation, node, input);
}

/** The labels of stages that may take long; for a flow those are its steps. */
function labelsOf(found: Found): string[] {
  if (found.kind !== 'flow') return [`Sending ${found.operation.id}`, `Waiting for ${found.operation.id}`, 'Receiving'];
  const { steps } = found.flow;
  return [...steps.map(({ operation }, index) => `Step ${index + 1} of ${steps.length}, ${operation.id}`), 'Receiving'];
}

async function send(
  { client, found, input, options }: Ready,
  verbose: boolean,
  meter: Meter,
): Promise<InvokeReply | FlowReply> {
  const shown = verbose ? { heads } : {};
  if (found.kind === 'flow') {
    const { signal } = options;
    return client.flow(found.flow, input, {
      ...(signal === undefined ? {} : { signal }),
      ...shown,
      onStep: ({ index }) => meter.step(index - 1),
      onSent: (sent, total) => meter.bytes(sent, total),
    });
  }
  const operation = await operationOf(found, options, input);
  return client.call(operation, input, {
    ...options,
    ...shown,
    onSent: (sent, total) => (sent === total ? meter.step(1) : meter.bytes(sent, total)),
  });
}
