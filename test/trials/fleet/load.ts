import { setTimeout } from 'node:timers/promises';
import { type Answer, ask, type Client } from './client.ts';
import { type Ledger, NEXT_RECORDS, saveKey } from './ledger.ts';
import type { Random } from './random.ts';

type Answered = Extract<Answer, { kind: 'answered' }>;

/** Dependencies of the clients. */
export interface LoadPorts {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly rollout: Rollout;
  /** Ends the entering of new items. */
  readonly over: AbortSignal;
  /** Ends the waiting for entered items. */
  readonly limit: AbortSignal;
}

/** How many gateways have the next definitions, and whether one is of the version before. */
export interface Rollout {
  some: boolean;
  all: boolean;
  before: boolean;
}

/** Milliseconds between two items that a client enters. */
const PAUSE = [20, 120] as const;

/** One in this many items is cancelled, or held for a while, or needs the next definitions. */
const SELDOM = 6;

/** Whether an item is to need the next definitions; some of it reaches gateways that lack them. */
function isNext({ random, rollout }: LoadPorts): boolean {
  return random.between(1, SELDOM) <= 2 && rollout.some;
}

/**
 * Notes an answer that was not a success.
 * @param mayBeEarly whether the request needs the next definitions, and not every gateway had them
 */
function rejected(ledger: Ledger, what: string, answer: Answered, mayBeEarly: boolean): void {
  if (mayBeEarly) ledger.early++;
  else refused(ledger, what, answer);
}

/** Enters processes one after the other; some are cancelled, others held and released. */
export async function scheduleProcesses(name: string, ports: LoadPorts): Promise<void> {
  const { client, ledger, random, rollout, over } = ports;
  for (let count = 1; !over.aborted; count++) {
    const item = `${name}-${count}`;
    const next = isNext(ports) ? random.pick(['process', 'parameter'] as const) : undefined;
    const { all } = rollout;
    const parameters = {
      ITEM: item,
      PAUSE: String(random.between(0, 400)),
      ...(next === 'parameter' && { NOTE: 'next' }),
    };
    const body = {
      RunControlId: item,
      ProcessType: 'Application Engine',
      ProcessName: next === 'process' ? 'FLEET_NEXT' : 'FLEET_WORK',
      parameters: Object.entries(parameters).map(([Name, Value]) => ({ Name, Value })),
    };
    const answer = await client({ method: 'POST', path: 'ProcessRequest.v1/requests', body });
    if (answer.kind === 'unknown') ledger.schedules.unknown.add(item);
    else if (answer.status === 201) {
      const instance: number = JSON.parse(answer.text).ProcessInstance;
      ledger.schedules.accepted.set(item, instance);
      const then = random.between(1, SELDOM);
      await setTimeout(random.between(0, 400));
      if (then === 1) await cancelProcess(ports, item, instance);
      if (then === 2) await holdProcess(ports, item, instance);
    } else rejected(ledger, `schedule of ${item}`, answer, next !== undefined && !(all && rollout.all));
    await setTimeout(random.between(...PAUSE));
  }
}

async function cancelProcess({ client, ledger }: LoadPorts, item: string, instance: number): Promise<void> {
  const answer = await update(client, instance, 'Cancelled');
  if (answer.kind === 'unknown') ledger.cancels.unknown.add(item);
  else if (answer.status === 200) ledger.cancels.accepted.add(item);
  // It had ended before.
  else if (answer.status !== 409) refused(ledger, `cancellation of ${item}`, answer);
}

/** Releases a held process; repeats the request until it succeeds. */
async function holdProcess({ client, ledger, limit }: LoadPorts, item: string, instance: number): Promise<void> {
  const held = await update(client, instance, 'Hold');
  // It was already running, or had ended.
  if (held.kind === 'answered' && held.status === 409) return;
  if (held.kind === 'answered' && held.status !== 200) return refused(ledger, `hold of ${item}`, held);
  while (!limit.aborted) {
    const freed = await update(client, instance, 'Restart');
    // If an earlier answer was lost, it may already be released, running or ended.
    if (freed.kind === 'answered' && (freed.status === 200 || freed.status === 409)) return;
    if (freed.kind === 'answered') return refused(ledger, `restart of ${item}`, freed);
    await setTimeout(100);
  }
}

function update(client: Client, instance: number, status: string): Promise<Answer> {
  return client({ method: 'PATCH', path: `ProcessRequest.v1/requests/${instance}`, body: { RunStatus: status } });
}

/** Saves a record repeatedly, each time with the next step. */
export function saveRecord(id: string, ports: LoadPorts): Promise<void> {
  return save(id, 'Fleet.v1', ports);
}

/** The same through an operation that only gateways with the next definitions have. */
export function saveNextRecord(name: string, ports: LoadPorts): Promise<void> {
  return save(`${NEXT_RECORDS}${name}`, 'FleetNext.v1', ports);
}

async function save(id: string, service: string, { client, ledger, random, rollout, over }: LoadPorts): Promise<void> {
  const next = service === 'FleetNext.v1';
  for (let step = 1; !over.aborted; step++) {
    await setTimeout(random.between(...PAUSE));
    if (next && !rollout.some) continue;
    const { all } = rollout;
    const answer = await client({ method: 'PUT', path: `${service}/Records/${id}`, body: { STEP: step } });
    const key = saveKey(id, step);
    if (answer.kind === 'unknown') ledger.saves.unknown.add(key);
    else if (answer.status < 300) ledger.saves.accepted.add(key);
    else rejected(ledger, key, answer, next && !(all && rollout.all));
  }
}

/** Milliseconds between two messages that a client publishes. */
const PUBLISH_PAUSE = [50, 250] as const;
/** Partitions of a client's installation, as `fleet_sequence` has them. */
const PARTITIONS = 8;

/** Has code publish messages, each with the next number of its partition. */
export function publishNumbered(name: string, ports: LoadPorts): Promise<void> {
  return publish(name, 'commit', ports);
}

/** Publishes messages that keep no order. */
export function publishLoose(name: string, ports: LoadPorts): Promise<void> {
  return publish(name, 'loose', ports);
}

async function publish(name: string, path: 'commit' | 'loose', ports: LoadPorts): Promise<void> {
  const { client, ledger, random, rollout, over } = ports;
  const { accepted, unknown } = path === 'commit' ? ledger.ordered : ledger.loose;
  for (let count = 1; !over.aborted; count++) {
    await setTimeout(random.between(...PUBLISH_PAUSE));
    const item = `${name}-${count}`;
    const part = `part${random.between(1, PARTITIONS)}`;
    const { before } = rollout;
    const body = { ITEM: item, PART: part, ...(path === 'loose' && { NUMBER: count }) };
    const answer = await client({ method: 'POST', path: `FleetMessages.v1/${path}`, body });
    if (answer.kind === 'unknown') unknown.add(item);
    else if (answer.status === 202) accepted.set(item, JSON.parse(answer.text).message);
    else if (answer.status < 300) accepted.set(item, undefined);
    else rejected(ledger, `message ${item}`, answer, before || rollout.before);
  }
}

/** Enters polled queries, and follows each to its end. */
export async function pollQueries(name: string, ports: LoadPorts): Promise<void> {
  const { client, ledger, random, rollout, over } = ports;
  for (let count = 1; !over.aborted; count++) {
    const item = `${name}-${count}`;
    const next = isNext(ports);
    const { all } = rollout;
    const rows = random.between(0, 300);
    const prompts = `prompt_uniquepromptname=ITEM,COUNT,PAUSE&prompt_fieldvalue=${item},${rows},${random.between(0, 400)}`;
    const path = `ExecuteQueryPoll.v1/PUBLIC/${next ? 'FLEET_NEXT_ROWS' : 'FLEET_ROWS'}/JSON/NONFILE?json_resp=true&${prompts}`;
    const answer = await client({ path });
    if (answer.kind === 'unknown') ledger.runs.unknown++;
    else if (answer.status === 200) {
      ledger.runs.accepted++;
      await followRun(ports, { item, instance: JSON.parse(answer.text).QueryInstance, rows, next });
    } else rejected(ledger, `query ${item}`, answer, next && !(all && rollout.all));
    await setTimeout(random.between(...PAUSE));
  }
}

/** A polled query that was entered. */
interface EnteredRun {
  readonly item: string;
  readonly instance: string;
  readonly rows: number;
  /** Whether the query is one of the next definitions. */
  readonly next: boolean;
}

async function followRun(ports: LoadPorts, run: EnteredRun): Promise<void> {
  const { ledger } = ports;
  const { item, instance } = run;
  try {
    const wrong = await endOf(ports, run);
    if (wrong === 'cancelled') ledger.runs.cancelled++;
    else if (wrong === undefined) ledger.runs.done++;
    else ledger.runs.wrong.push(`query ${item} (${instance}): ${wrong}`);
  } catch (error) {
    ledger.runs.wrong.push(`query ${item} (${instance}): ${(error as Error).message}`);
  }
}

/** Whether a run is cancelled; unknown if the answer was lost. */
async function cancelRun({ client, random }: LoadPorts, instance: string): Promise<'yes' | 'no' | 'perhaps'> {
  if (random.between(1, SELDOM) !== 1) return 'no';
  await setTimeout(random.between(0, 400));
  const answer = await client({ path: `CancelQuery.v1/cancelquery?instanceid=${instance}&json_resp=true` });
  if (answer.kind === 'unknown') return 'perhaps';
  const { status } = JSON.parse(answer.text);
  // It had ended before.
  if (status === 'fail') return 'no';
  if (status !== 'success') throw new Error(`cancelling it was answered with ${answer.text}`);
  return 'yes';
}

/** The error in the result of a run, or that it was cancelled; `undefined` if the result is correct. */
async function endOf(ports: LoadPorts, run: EnteredRun) {
  const { item, instance, rows } = run;
  const { client, limit } = ports;
  const cancelled = await cancelRun(ports, instance);
  let blocks = 0;
  for (;;) {
    const { text } = await ask(client, `QueryStatus.v1/getstatus?instanceid=${instance}&json_resp=true`, limit);
    const { status, TotalRows, TotalBlocks } = JSON.parse(text);
    if (status === 'killed' && cancelled !== 'no') return 'cancelled';
    if (status === 'success' && cancelled !== 'yes') {
      if (TotalRows !== rows) return `${TotalRows} rows instead of ${rows}`;
      blocks = TotalBlocks;
      break;
    }
    if (!['queued', 'running', 'posting'].includes(status)) return `ended with ${text}`;
    await setTimeout(50);
  }
  const found: Row[] = [];
  for (let block = 1; block <= blocks; block++) {
    const path = `QueryResults.v1/getresults?instanceid=${instance}&blocknumber=${block}&json_resp=true`;
    found.push(...(await blockOf(ports, run, path)));
  }
  const sound = found.length === rows && found.every((row, index) => row.NUMBER === index + 1 && row.ITEM === item);
  return sound ? undefined : `the blocks have ${found.length} rows, or not the requested ones`;
}

interface Row {
  readonly NUMBER: number;
  readonly ITEM: string;
}

/** The rows of a block. A gateway without the next definitions answers 404 for those of their query. @throws Error for another answer */
async function blockOf(
  { client, ledger, rollout, limit }: LoadPorts,
  { next }: EnteredRun,
  path: string,
): Promise<Row[]> {
  for (;;) {
    const { all } = rollout;
    const { status, text } = await ask(client, path, limit);
    if (status === 200) return JSON.parse(text).data.query.rows;
    if (status !== 404 || !next || (all && rollout.all)) throw new Error(`${path} was answered ${status} ${text}`);
    ledger.early++;
    await setTimeout(100);
  }
}

function refused(ledger: Ledger, what: string, { status, text }: Answered): void {
  ledger.refused.push(`${what}: ${status} ${text.slice(0, 300)}`);
}
