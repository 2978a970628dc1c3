import type { Sessions } from '../security/sign-in/sessions.ts';
import type { ConsolePorts, ConsoleReply } from './console-port.ts';
import type { Topic } from './route.ts';

/** Milliseconds between two looks at the subjects that anyone follows. */
const LOOK = 2_000;
/** Milliseconds without an event after which a comment shows that the stream is alive; proxies close silent ones after a minute. */
const SILENCE = 15_000;
/** Streams of one user. A browser has one for each window that shows a live page. */
const MOST_OF_USER = 12;
const MOST = 500;

const utf8 = new TextEncoder();

interface Follower extends Reader {
  readonly topics: ReadonlySet<string>;
  /** Subjects that have changed since it was last told. */
  readonly changed: Set<string>;
  /** The session can't be used any more. */
  hasEnded: boolean;
  wake: () => void;
}

/** Who follows. */
interface Reader {
  readonly user: string;
  /** That of the session. */
  readonly token: string;
  readonly gone: AbortSignal;
}

/** Events, and what ends them if none is ever read. */
type Followed = Required<Pick<ConsoleReply, 'dispose'>> & { readonly body: AsyncIterable<Uint8Array> };

/** Tells pages which subjects have changed. All of them share one look at each subject, and one at their sessions. */
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
   * The events of some subjects (WHATWG HTML section 9.2), until the reader goes away or the session ends: at once when this
   * gateway ends it, and with the next look when another one does, or its time is over.
   * @returns `undefined` when the user follows with as many pages as allowed
   */
  follow(topics: readonly string[], reader: Reader): Followed | undefined {
    if (!this.#hasRoom(reader.user)) return undefined;
    const known = topics.filter((topic) => this.#topics.has(topic));
    const follower: Follower = {
      ...reader,
      ...{ topics: new Set(known), changed: new Set<string>(), hasEnded: false, wake: () => {} },
    };
    // Counts from now on, not from its first event: requests that arrive together would all find room.
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
      // The page fetches its live parts once the stream is open: from here on no change is missed.
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

  /** Ends all streams. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const follower of this.#followers) follower.wake();
  }

  async #look(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      // A database that does not answer is no news: the pages show what they have.
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
    // As for subjects: without an answer, nothing is known to have ended.
    const usable = await this.#sessions.usable(tokens).catch(() => undefined);
    if (usable === undefined) return;
    for (const follower of followers) {
      if (usable.has(follower.token)) continue;
      follower.hasEnded = true;
      follower.wake();
    }
  }

  async #lookAgain(): Promise<void> {
    // Before the subjects, so that who has signed out is told nothing more.
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

/** Resolves when there is something to tell, and after a while in any case. */
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
