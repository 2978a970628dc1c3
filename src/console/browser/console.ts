// What pages do in the browser, bundled with htmx: live parts, times in the reader's zone, and the keyboard.
import htmx from 'htmx.org';
import 'idiomorph/htmx';

htmx.config.allowEval = false;

/** Milliseconds between two checks for changes while there is no stream of events. */
const POLL = 5_000;
/** Milliseconds in which the next page must arrive before this page is reloaded. */
const LEAVING = 5_000;

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const exactly = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'full',
  timeStyle: 'long',
  fractionalSecondDigits: undefined,
});
const ofToday = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Shows times in the zone of the reader, and the exact times on hover. */
function localise(within: ParentNode): void {
  const today = new Date().toDateString();
  for (const element of within.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const text = at.toDateString() === today ? ofToday.format(at) : zoned.format(at);
    if (element.textContent !== text) element.textContent = text;
    element.title = `${exactly.format(at)}, ${element.dateTime}`;
  }
}

/** Fetches the live parts for these subjects again, except those in which the reader is working. */
function refresh(topics: readonly string[]): void {
  if (document.hidden) {
    missed = new Set([...missed, ...topics]);
    return;
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const isBusy = element.querySelector('details[open]') !== null || element.contains(chosen());
    if (topics.includes(element.dataset.live ?? '') && !isBusy) htmx.trigger(element, 'refresh', {});
  }
}

/** The field that the reader is filling in. */
function chosen(): Element | null {
  const { activeElement } = document;
  return activeElement?.matches('input, textarea, select') === true ? activeElement : null;
}

/** Subjects that have changed while the page was hidden. */
let missed: ReadonlySet<string> = new Set();

function follow(topics: readonly string[]): void {
  const stale = document.getElementById('stale');
  let polling: number | undefined;
  const poll = (on: boolean): void => {
    if (stale !== null) stale.hidden = !on;
    if (on) polling ??= window.setInterval(() => refresh(topics), POLL);
    else {
      window.clearInterval(polling);
      polling = undefined;
    }
  };
  const events = new EventSource(`/console/live?topics=${encodeURIComponent(topics.join(' '))}`);
  events.addEventListener('open', () => {
    poll(false);
    refresh(topics);
  });
  events.addEventListener('error', () => poll(true));
  events.addEventListener('changed', (event) => refresh((event as MessageEvent<string>).data.split(' ')));
  let isLeaving = false;
  window.addEventListener('beforeunload', () => {
    isLeaving = true;
  });
  events.addEventListener('ended', () => {
    events.close();
    // The page that follows a form which ends the session, such as for signing out, may be under way: reloading would abandon
    // it.
    window.setTimeout(() => window.location.reload(), isLeaving ? LEAVING : 0);
  });
  window.addEventListener('pagehide', () => events.close());
}

const field = (): HTMLInputElement | null => document.querySelector('#find');
const found = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('#found a')];

/** Closes the question that has the focus; the focus returns to the button that opened it. */
function closeQuestion(): void {
  const question = document.activeElement?.closest<HTMLDetailsElement>('details.ask[open]');
  if (question === null || question === undefined) return;
  question.open = false;
  question.querySelector('summary')?.focus();
}

/** Tables and code take the focus only if they can be scrolled. */
function admitScrolling(): void {
  for (const element of document.querySelectorAll<HTMLElement>('.scroll, pre.code')) {
    const scrolls = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  }
}

/** Ctrl-K moves to the search, arrow keys through its results, Escape out of it and out of a question. */
function steer(event: KeyboardEvent): void {
  if (event.key === 'Escape') closeQuestion();
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
    event.preventDefault();
    field()?.select();
    field()?.focus();
    return;
  }
  const inside = document.activeElement?.closest('.find');
  if (inside === null || inside === undefined) return;
  if (event.key === 'Escape') {
    document.getElementById('found')?.replaceChildren();
    field()?.focus();
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const all = found();
  if (all.length === 0) return;
  event.preventDefault();
  const at = all.indexOf(document.activeElement as HTMLAnchorElement) + (event.key === 'ArrowDown' ? 1 : -1);
  if (at < 0) field()?.focus();
  else all[Math.min(at, all.length - 1)]?.focus();
}

/** Copies the text that a button names. */
function copy(event: MouseEvent): void {
  const button = (event.target as Element).closest<HTMLElement>('[data-copy]');
  const text = button && document.getElementById(button.dataset.copy ?? '')?.textContent;
  if (button === null || text === null || text === undefined) return;
  const before = button.textContent;
  navigator.clipboard.writeText(text).then(
    () => {
      button.textContent = 'Copied';
      window.setTimeout(() => {
        button.textContent = before;
      }, 1500);
    },
    () => {},
  );
}

document.addEventListener('keydown', steer);
document.addEventListener('click', copy);
document.addEventListener('click', (event) => {
  if ((event.target as Element).closest('.find') === null) document.getElementById('found')?.replaceChildren();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden || missed.size === 0) return;
  const topics = [...missed];
  missed = new Set();
  refresh(topics);
});
document.addEventListener('htmx:afterSwap', () => {
  localise(document);
  admitScrolling();
});
window.addEventListener('resize', admitScrolling);
// A request without a session is answered with the page for signing in: the whole page is then loaded.
document.addEventListener('htmx:responseError', (event) => {
  const { status } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail.xhr;
  if (status === 401) window.location.reload();
});
localise(document);
admitScrolling();
const topics = (document.body.dataset.topics ?? '').split(' ').filter((each) => each !== '');
if (topics.length > 0 && document.querySelector('[data-live]') !== null) follow(topics);
