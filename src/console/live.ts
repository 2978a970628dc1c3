import type { Sessions } from '../security/sign-in/sessions.ts';
import type { ConsolePorts, ConsoleReply } from './console-port.ts';
import type { Topic } from './route.ts';

/** Milliseconds between two checks of the subjects that are followed. */
const LOOK = 2_000;
/** Milliseconds of silence after which a comment is sent: proxies close streams that are silent for a minute. */
const SILENCE = 15_000;
/** Maximum number of streams of one user. A browser has one for each window with a live page. */
const MOST_OF_USER = 12;
const MOST = 500;

const utf8 = new TextEncoder();

interface Follower extends Reader {
  readonly topics: ReadonlySet<string>;
  /** Subjects that have changed since the last event. */
  readonly changed: Set<string>;
  /** Whether the session is no longer valid. */
  hasEnded: boolean;
  wake: () => void;
}

/** The user and the session that follow. */
interface Reader {
  readonly user: string;
  /** The token of the session. */
  readonly token: string;
  readonly gone: AbortSignal;
}

/** The events, and how to end them if they are never read. */
type Followed = Required<Pick<ConsoleReply, 'dispose'>> & { readonly body: AsyncIterable<Uint8Array> };

/** Reports to pages which subjects have changed. All pages share one check of each subject and one of their sessions. */
export class Live {
  readonly #topics: ReadonlyMap<string, Topic>;
  readonly #ports: ConsolePorts;
  readonly #sessions: Sessions;
  readonly #followers = new Set<Follower>();
  readonly #states = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(topics: readonly Topic[], ports: ConsolePorts) {
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
    this.#ports = ports;
    this.#sessions = ports.people.sessions;
    this.#sessions.onEnd(() => void this.#lookAtSessions());
  }

  /**
   * The events of some subjects (WHATWG HTML section 9.2), until the reader disconnects or the session ends: at once if this
   * gateway ends it; with the next check if another gateway does, or if it expires.
   * @returns `undefined` when the user already follows with the maximum number of pages
   */
  follow(topics: readonly string[], reader: Reader): Followed | undefined {
    if (!this.#hasRoom(reader.user)) return undefined;
    const known = topics.filter((topic) => this.#topics.has(topic));
    const follower: Follower = {
      ...reader,
      ...{ topics: new Set(known), changed: new Set<string>(), hasEnded: false, wake: () => {} },
    };
    // Counted from here on, not from its first event: otherwise requests that arrive together would all pass the limit.
    this.#followers.add(follower);
    const dispose = (): void => void this.#followers.delete(follower);
    reader.gone.addEventListener('abort', dispose, { once: true });
    return { body: this.#events(follower), dispose };
  }

  #hasRoom(user: string): boolean {
    const own = [...this.#followers].filter((each) => each.user === user).length;
    return !this.#closed && own < MOST_OF_USER && this.#followers.size < MOST;
  }

  async *#events(follower: Follower): AsyncGenerator<Uint8Array> {
    const { gone } = follower;
    try {
      // The page fetches its live parts once the stream is open, so that no change is missed.
      await this.#look([...follower.topics].filter((name) => !this.#states.has(name)));
      this.#timer ??= setTimeout(() => void this.#lookAgain(), LOOK);
      yield utf8.encode('retry: 3000\n\n');
      while (!gone.aborted && !this.#closed) {
        await waiting(follower);
        if (gone.aborted || this.#closed) return;
        if (follower.hasEnded) {
          yield utf8.encode('event: ended\ndata: session\n\n');
          return;
        }
        const changed = [...follower.changed];
        follower.changed.clear();
        yield utf8.encode(changed.length === 0 ? ': \n\n' : `event: changed\ndata: ${changed.join(' ')}\n\n`);
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const follower of this.#followers) follower.wake();
  }

  async #look(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      // Without an answer from the database nothing is reported: the pages keep what they show.
      const state = await this.#topics
        .get(name)
        ?.state(this.#ports)
        .catch(() => undefined);
      const before = this.#states.get(name);
      if (state === undefined || state === before) continue;
      this.#states.set(name, state);
      if (before !== undefined) this.#tell(name);
    }
  }

  async #lookAtSessions(): Promise<void> {
    const followers = [...this.#followers];
    if (followers.length === 0) return;
    const tokens = [...new Set(followers.map(({ token }) => token))];
    // As for subjects: without an answer, no session is known to have ended.
    const usable = await this.#sessions.usable(tokens).catch(() => undefined);
    if (usable === undefined) return;
    for (const follower of followers) {
      if (usable.has(follower.token)) continue;
      follower.hasEnded = true;
      follower.wake();
    }
  }

  async #lookAgain(): Promise<void> {
    // Before the subjects, so that nothing more is sent to someone who has signed out.
    await this.#lookAtSessions();
    const wanted = new Set([...this.#followers].flatMap(({ topics }) => [...topics]));
    for (const name of this.#states.keys()) if (!wanted.has(name)) this.#states.delete(name);
    await this.#look(wanted);
    this.#timer = undefined;
    if (this.#followers.size > 0 && !this.#closed) this.#timer = setTimeout(() => void this.#lookAgain(), LOOK);
  }

  #tell(topic: string): void {
    for (const follower of this.#followers) {
      if (!follower.topics.has(topic)) continue;
      follower.changed.add(topic);
      follower.wake();
    }
  }
}

/** Resolves when there is something to report, and after a while in any case. */
function waiting(follower: Follower): Promise<void> {
  const { gone } = follower;
  if (follower.changed.size > 0 || follower.hasEnded || gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      gone.removeEventListener('abort', done);
      follower.wake = () => {};
      resolve();
    };
    const timer = setTimeout(done, SILENCE);
    gone.addEventListener('abort', done);
    follower.wake = done;
  });
}
