/** How long each phase of an exchange may take, in milliseconds. */
export interface Timeouts {
  /** Until there is a connection, with name resolution and TLS. */
  readonly connect: number;
  /** From the last piece of the request that was taken until the head of the reply; also of a target that takes none. */
  readonly head: number;
  /** Between two pieces of the reply. */
  readonly idle: number;
}

export const TIMEOUTS: Timeouts = { connect: 10_000, head: 60_000, idle: 30_000 };

/** Connections to one origin at once; further calls wait for one. */
export const CONNECTIONS = 100;

/** Bytes of the head of a reply. */
export const REPLY_HEAD = 64 * 1024;

/** Bytes of a reply that is no SOAP message which an error repeats. */
export const SHOWN_BODY = 2048;
