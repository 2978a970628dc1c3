/** How long each phase of an exchange may take, in milliseconds. */
export interface Timeouts {
  /** Until there is a connection, with name resolution and TLS. */
  readonly connect: number;
  /** From the last piece of the request that was taken until the head of the reply; also of a target that takes none. */
  readonly head: number;
  /** Between two pieces of the reply. */
  readonly idle: number;
  /** From the head of a reply to its end, where all of it is read before there is a value. */
  readonly reply: number;
  /** All of it, repetitions with it, until the reply's value is there; no end where it is infinite. */
  readonly call: number;
}

export const TIMEOUTS: Timeouts = {
  connect: 10_000,
  head: 60_000,
  idle: 30_000,
  reply: 300_000,
  call: Number.POSITIVE_INFINITY,
};

/** Bytes a second that a reply must bring on average, once it was waited for for twice the idle time. */
export const SLOWEST = 240;

/** Connections to one origin at once; further calls wait for one. */
export const CONNECTIONS = 100;

/** Bytes of the head of a reply. */
export const REPLY_HEAD = 64 * 1024;

/** Characters of a reply that an error repeats. */
export const SHOWN_BODY = 2048;

/** Bytes of a reply that is passed over which are read for the sake of its connection. */
export const DRAINED = 64 * 1024;

/** Bytes of a reply which are read to see what it is, where no more is to be in memory. */
export const PEEKED = 64 * 1024;

/** Bytes of a token endpoint's reply. */
export const TOKEN_REPLY = 64 * 1024;

/** What is left of the time that a token or a value holds when it is shown no more: a call takes some, and clocks differ. */
export function marginOf(milliseconds: number): number {
  return Math.min(milliseconds / 10, 30_000);
}
