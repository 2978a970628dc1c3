import { setTimeout } from 'node:timers/promises';
import { type Answer, ask, type Client } from './client.ts';
import { type Ledger, saveKey } from './ledger.ts';
import type { Random } from './random.ts';

/** What clients work with. */
export interface LoadPorts {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly random: Random;
  /** No more is entered after it. */
  readonly over: AbortSignal;
  /** What was entered is no longer waited for. */
  readonly limit: AbortSignal;
}

/** Milliseconds between two things that a client enters. */
const PAUSE = [20, 120] as const;

/** Enters processes, one after the other. */
export async function scheduleProcesses(name: string, { client, ledger, random, over }: LoadPorts): Promise<void> {
  for (let count = 1; !over.aborted; count++) {
    const item = `${name}-${count}`;
    const body = {
      RunControlId: item,
      ProcessType: 'Application Engine',
      ProcessName: 'FLEET_WORK',
      parameters: [
        { Name: 'ITEM', Value: item },
        { Name: 'PAUSE', Value: String(random.between(0, 400)) },
      ],
    };
    const answer = await client({ method: 'POST', path: 'ProcessRequest.v1/requests', body });
    if (answer.kind === 'unknown') ledger.schedules.unknown.add(item);
    else if (answer.status === 201) ledger.schedules.accepted.set(item, JSON.parse(answer.text).ProcessInstance);
    else refused(ledger, `schedule of ${item}`, answer);
    await setTimeout(random.between(...PAUSE));
  }
}

/** Saves a record again and again, each time as its next step. */
export async function saveRecord(id: string, { client, ledger, random, over }: LoadPorts): Promise<void> {
  for (let step = 1; !over.aborted; step++) {
    const answer = await client({ method: 'PUT', path: `Fleet.v1/Records/${id}`, body: { STEP: step } });
    const key = saveKey(id, step);
    if (answer.kind === 'unknown') ledger.saves.unknown.add(key);
    else if (answer.status < 300) ledger.saves.accepted.add(key);
    else refused(ledger, key, answer);
    await setTimeout(random.between(...PAUSE));
  }
}

/** Enters polled queries, and follows each to its end. */
export async function pollQueries(name: string, ports: LoadPorts): Promise<void> {
  const { client, ledger, random, over } = ports;
  for (let count = 1; !over.aborted; count++) {
    const item = `${name}-${count}`;
    const rows = random.between(0, 300);
    const prompts = `prompt_uniquepromptname=ITEM,COUNT,PAUSE&prompt_fieldvalue=${item},${rows},${random.between(0, 400)}`;
    const path = `ExecuteQueryPoll.v1/PUBLIC/FLEET_ROWS/JSON/NONFILE?json_resp=true&${prompts}`;
    const answer = await client({ path });
    if (answer.kind === 'unknown') ledger.runs.unknown++;
    else if (answer.status === 200) {
      ledger.runs.accepted++;
      await followRun(ports, item, JSON.parse(answer.text).QueryInstance, rows);
    } else refused(ledger, `query ${item}`, answer);
    await setTimeout(random.between(...PAUSE));
  }
}

async function followRun(ports: LoadPorts, item: string, instance: string, rows: number): Promise<void> {
  const { ledger } = ports;
  try {
    const wrong = await endOf(ports, item, instance, rows);
    if (wrong === undefined) ledger.runs.done++;
    else ledger.runs.wrong.push(`query ${item} (${instance}): ${wrong}`);
  } catch (error) {
    ledger.runs.wrong.push(`query ${item} (${instance}): ${(error as Error).message}`);
  }
}

/** What is wrong with the result of a run; undefined where it is what was asked for. */
async function endOf({ client, limit }: LoadPorts, item: string, instance: string, rows: number) {
  let blocks = 0;
  for (;;) {
    const { text } = await ask(client, `QueryStatus.v1/getstatus?instanceid=${instance}&json_resp=true`, limit);
    const { status, TotalRows, TotalBlocks } = JSON.parse(text);
    if (status === 'success') {
      if (TotalRows !== rows) return `${TotalRows} rows rather than ${rows}`;
      blocks = TotalBlocks;
      break;
    }
    if (!['queued', 'running', 'posting'].includes(status)) return `ended with ${text}`;
    await setTimeout(50);
  }
  const found: { NUMBER: number; ITEM: string }[] = [];
  for (let block = 1; block <= blocks; block++) {
    const path = `QueryResults.v1/getresults?instanceid=${instance}&blocknumber=${block}&json_resp=true`;
    const { text } = await ask(client, path, limit);
    found.push(...JSON.parse(text).data.query.rows);
  }
  const sound = found.length === rows && found.every((row, index) => row.NUMBER === index + 1 && row.ITEM === item);
  return sound ? undefined : `the blocks hold ${found.length} rows, or others than asked for`;
}

function refused(ledger: Ledger, what: string, { status, text }: Extract<Answer, { kind: 'answered' }>): void {
  ledger.refused.push(`${what}: ${status} ${text.slice(0, 300)}`);
}
