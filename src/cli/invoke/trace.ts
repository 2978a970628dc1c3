import type { Head } from '../../invoke/index.ts';
import type { FlowReply, InvokeReply, ReplyTimings, StepTrace } from '../../model/invoke-reply.ts';
import { note } from '../terminal.ts';
import { count } from '../words.ts';

/** Shows the heads of each exchange. */
export const heads = {
  onRequest: (head: Head): void => noteHead('>', head),
  onReply: (head: Head): void => noteHead('<', head),
};

function noteHead(mark: string, { line, headers }: Head): void {
  for (const each of [line, ...headers.map(([name, value]) => `${name}: ${value}`), ''])
    note(`${mark} ${each}`.trimEnd());
}

/** What became of the call: of each step where there are several. */
export function noteReply(reply: InvokeReply | FlowReply): void {
  if ('steps' in reply) noteSteps(reply.steps);
  else note(`* ${spent(reply.timings, reply.attempts)}`);
  note(`* response status ${reply.responseStatus}, call ${reply.requestId}`);
}

/** What became of the steps of a flow, a line each. */
export function noteSteps(steps: readonly StepTrace[]): void {
  for (const step of steps) note(`* ${step.operation}: ${stepWords(step)}`);
}

function stepWords({ kept, timings, attempts, httpResponseCode }: StepTrace): string {
  if (kept) return 'what was kept still holds';
  if (timings !== undefined) return spent(timings, attempts);
  const answered = httpResponseCode === undefined ? 'no reply' : `failed, HTTP status ${httpResponseCode}`;
  return `${answered}; ${count(attempts, 'attempt')}`;
}

function spent({ connected, sent, head, value }: ReplyTimings, attempts: number): string {
  const times = [
    ...(connected === undefined ? [] : [`${connected.toFixed(1)} ms to the connection`]),
    `${sent.toFixed(1)} to the end of the request`,
    `${head.toFixed(1)} to the head of the reply`,
    `${value.toFixed(1)} ms to its value`,
  ];
  return `${times.join(', ')}; ${count(attempts, 'attempt')}`;
}
