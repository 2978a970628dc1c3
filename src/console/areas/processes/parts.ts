import { RUN_TONES } from '../../../operator/process.ts';
import type { ProcessRequest, RunStatus } from '../../../process/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { address, badge, pathTo, tabs } from '../../parts.ts';
import type { Visit } from '../../route.ts';

/** Statuses for which operators use another word. */
export const WORDS: Readonly<Record<string, string>> = { Cancel: 'Cancelling', Delete: 'Deleted' };

/** The status of a request, with its progress while it runs. */
export function statusOf({ runStatus, percent, progress }: ProcessRequest): Html {
  const tone = RUN_TONES[runStatus as RunStatus] ?? 'idle';
  const shown = badge(tone, WORDS[runStatus] ?? runStatus);
  if (runStatus !== 'Processing' || (percent === undefined && progress === undefined)) return shown;
  const bar =
    percent === undefined
      ? NOTHING
      : html`<progress max="100" value="${percent}" aria-label="Progress">${percent} %</progress> ${percent} %`;
  return html`${shown} <span class="progress">${bar}${progress === undefined ? NOTHING : html` <span class="faint">${progress}</span>`}</span>`;
}

export const requestPath = (instance: number): string => pathTo('processes', String(instance));

export const processTabs = (current: string): Html =>
  tabs(
    'Processes',
    [
      ['/processes', 'Requests'],
      ['/processes/recurrences', 'Recurrences'],
      ['/processes/load', 'Load'],
    ],
    current,
  );

export const scheduleLink = (visit: Visit): Html =>
  visit.may('act') ? html`<a class="button" href="${address('/processes/new')}">Schedule a process</a>` : NOTHING;

export const rightsOf = ({ ports, user }: Visit): string =>
  ports.scheduler.seesOthers(user)
    ? 'Your own requests, and those of others for processes that you may run.'
    : 'Your own requests only: none of your permission lists has process-requests: all.';
