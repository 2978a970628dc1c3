import type { DocumentValue } from './value.ts';

/** One entry of the catalogue of faults. */
interface FaultEntry<P> {
  readonly status: number;
  readonly message: (parameters: P) => string;
}

const entry = <P>(status: number, message: (parameters: P) => string): FaultEntry<P> => ({ status, message });

/** What sets a limit, in words, for its message. */
const settingOf = ({ key }: { readonly key?: string | undefined }): string => (key === undefined ? '' : ` (${key})`);

/**
 * Every fault that the gateway itself raises: its code, HTTP status and message. Codes are never reused. Messages are for
 * callers: they contain no SQL, no stack trace and no value of a sensitive field.
 */
export const faults = {
  BAD_TARGET: entry(400, (p: { reason: string }) => `Invalid request target: ${p.reason}.`),
  BAD_ENCODING: entry(400, (p: { name: string; reason: string }) => `${p.name} is not valid: ${p.reason}.`),
  MISSING_PARAMETER: entry(400, (p: { name: string }) => `${p.name} is missing.`),
  BAD_PARAMETER: entry(400, (p: { name: string; reason: string }) => `${p.name} ${p.reason}.`),
  BAD_BODY: entry(400, (p: { reason: string }) => `Invalid request body: ${p.reason}.`),
  BAD_REQUEST: entry(400, (p: { reason: string }) => `Invalid request: ${p.reason}.`),
  TOO_MANY_PARAMETERS: entry(
    400,
    (p: { what: string; limit: number }) => `${p.what} has more than ${p.limit} parameters (\`limits.parameters\`).`,
  ),
  VERSION_MISMATCH: entry(400, (p: { reason: string }) => `The envelope has an unknown SOAP version: ${p.reason}.`),
  NOT_UNDERSTOOD: entry(
    400,
    (p: { headers: string }) => `The gateway does not understand the mandatory headers: ${p.headers}.`,
  ),
  UNAUTHENTICATED: entry(401, (_: { scheme: string }) => 'Credentials are missing or wrong.'),
  FORBIDDEN: entry(403, (p: { user: string; what: string }) => `${p.user} may not use ${p.what}.`),
  NOT_FOUND: entry(404, (p: { what: string }) => `There is no ${p.what}.`),
  METHOD_NOT_ALLOWED: entry(
    405,
    (p: { method: string; allowed: string }) => `${p.method} is not allowed here; allowed: ${p.allowed}.`,
  ),
  NOT_ACCEPTABLE: entry(
    406,
    (p: { offered: string }) => `None of the requested media types is available; offered: ${p.offered}.`,
  ),
  CODING_NOT_ACCEPTABLE: entry(
    406,
    (p: { offered: string }) => `None of the requested content codings is available; offered: ${p.offered}.`,
  ),
  REQUEST_TIMEOUT: entry(408, (_: object) => 'The request did not arrive in time.'),
  CALL_RUNNING: entry(409, (_: object) => 'The first call with this key is still running.'),
  ANSWER_NOT_KEPT: entry(409, (p: { reason: string }) => `The first call with this key has ended, but ${p.reason}.`),
  CONFLICT: entry(409, (p: { what: string; reason: string }) => `${p.what} ${p.reason}.`),
  REPLY_TOO_LATE: entry(
    410,
    (p: { status: string }) => `The reply is not awaited any more: the delivery is ${p.status}.`,
  ),
  PRECONDITION_FAILED: entry(412, (p: { what: string }) => `${p.what} does not meet the preconditions of the request.`),
  BODY_TOO_LARGE: entry(
    413,
    (p: { limit: number; key?: string | undefined }) =>
      `The request body is larger than ${p.limit} bytes${settingOf(p)}.`,
  ),
  ATTACHMENT_TOO_LARGE: entry(
    413,
    (p: { limit: number }) => `An attachment is larger than ${p.limit} bytes (\`limits.attachment\`).`,
  ),
  TOO_MANY_ATTACHMENTS: entry(
    413,
    (p: { limit: number }) => `The message has more than ${p.limit} attachments (\`limits.attachments\`).`,
  ),
  TARGET_TOO_LONG: entry(
    414,
    (p: { limit: number }) => `The request target is longer than ${p.limit} bytes (\`limits.target\`).`,
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    (p: { given: string; supported: string }) => `The body's ${p.given} is not supported; supported: ${p.supported}.`,
  ),
  KEY_REUSED: entry(422, (_: object) => 'The first call with this key had another content.'),
  RANGE_NOT_SATISFIABLE: entry(
    416,
    (p: { length: number }) => `The range is outside the content of ${p.length} bytes.`,
  ),
  EXPECTATION_FAILED: entry(
    417,
    (p: { expected: string }) => `The expectation ${p.expected} is not supported; supported: 100-continue.`,
  ),
  TOO_MANY_REQUESTS: entry(
    429,
    (p: { what: string; time: string }) => `Too many calls of ${p.what}; try again in ${p.time}.`,
  ),
  HEADERS_TOO_LARGE: entry(431, (_: object) => 'The request headers are too large.'),
  ABANDONED: entry(499, (_: object) => 'The caller disconnected before the reply was ready.'),
  INTERNAL: entry(500, (p: { operation: string }) => `${p.operation} failed because of an internal error.`),
  UNKNOWN_METHOD: entry(501, (p: { method: string }) => `Unknown method ${p.method}.`),
  UNKNOWN_CODING: entry(
    501,
    (p: { coding: string }) => `The Transfer-Encoding ${p.coding} is not supported; supported: chunked.`,
  ),
  UPSTREAM_FAILED: entry(502, (p: { operation: string }) => `The call of ${p.operation} failed.`),
  UNAVAILABLE: entry(503, (p: { reason: string }) => `Temporarily unavailable: ${p.reason}.`),
  TIMEOUT: entry(504, (p: { what: string; time: string }) => `${p.what} took longer than ${p.time} and was stopped.`),
  UPSTREAM_TIMEOUT: entry(504, (p: { operation: string }) => `The call of ${p.operation} was not answered in time.`),
  VERSION_NOT_SUPPORTED: entry(505, (_: object) => 'The request is not HTTP/1.1 or HTTP/1.0.'),
  REPLY_FAILED: entry(500, (p: { message: string }) => `Message ${p.message} was given up without a reply.`),
  REPLY_TIMEOUT: entry(504, (p: { message: string }) => `Message ${p.message} was not replied to in time.`),
  LOOP_DETECTED: entry(
    508,
    (p: { hops: number; chain: string }) =>
      `More than ${p.hops} messages led to this one, each published during the delivery of the one before: ${p.chain}.`,
  ),
  STORAGE_FULL: entry(507, (p: { what: string }) => `${p.what} could not be stored: the storage is full.`),
} as const;

/** A code of the catalogue. */
export type FaultCode = keyof typeof faults;

/** What the message of a fault is built from. */
export type FaultParameters<C extends FaultCode> = Parameters<(typeof faults)[C]['message']>[0];

/** Where an error is in a request; without any of these it is about the request as a whole. */
export interface ErrorPlace {
  /**
   * A place in the body: a JSON Pointer as URI fragment (RFC 6901, section 6) with the names of the form in JSON,
   * `#/LOC_DATA/3/EFFDT`; `#` is the body as a whole.
   */
  readonly pointer?: string;
  /** A variable of the URI, by its name there. */
  readonly parameter?: string;
  /** A header. */
  readonly header?: string;
}

/** One error of a request: a member of `errors` of problem details (RFC 9457, section 3). */
export interface RequestError extends ErrorPlace {
  /** A sentence for the caller. */
  readonly detail: string;
}

/** Most errors that are reported about one request; reading a message stops at the last of them. */
export const MAX_ERRORS = 32;

/** Marks the faults of any copy of the package: a project may have one of its own. */
const FAULT = Symbol.for('signalbox.Fault');

/**
 * An error reply: a status, a code and a message for the caller. Handlers may throw one, with a code of the catalogue or,
 * through {@link Fault.custom}, with their own.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: string;
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** More for the caller; empty if there is nothing to add. */
  readonly detail: string;
  /** What is wrong in the request, one by one; empty if the fault is not about values of the request. */
  readonly errors: readonly RequestError[];
  /** Headers of the reply: `Allow`, `WWW-Authenticate`, `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Over SOAP, the document of the operation's fault (`faults:`) that has the code as its name. */
  readonly document: DocumentValue | undefined;
  /** The real reason, for the audit log: `wrong password`. Never sent; contains no secret. */
  readonly reason: string | undefined;
  /** The id of the security scheme whose credentials were rejected, for the audit log. Never sent. */
  readonly scheme: string | undefined;

  static override [Symbol.hasInstance](value: unknown): value is Fault {
    return typeof value === 'object' && value !== null && FAULT in value;
  }

  private constructor(code: string, status: number, message: string, options: FaultOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = status;
    this.detail = options.detail ?? '';
    this.errors = options.errors ?? (options.at === undefined ? [] : [{ ...options.at, detail: message }]);
    this.headers = options.headers ?? {};
    this.document = options.document;
    this.reason = options.reason;
    this.scheme = options.scheme;
  }

  get [FAULT](): true {
    return true;
  }

  /** Creates a fault of the catalogue. */
  static of<C extends FaultCode>(code: C, parameters: FaultParameters<C>, options: FaultOptions = {}): Fault {
    const found = faults[code] as unknown as FaultEntry<FaultParameters<C>>;
    return new Fault(code, found.status, found.message(parameters), options);
  }

  /**
   * Creates a handler's own fault. `code` is a word in capitals, or the name of one of the operation's `faults:` together with
   * its `document`; `status` is 400 to 599.
   */
  static custom(code: string, status: number, message: string, options?: FaultOptions): Fault;
  /**
   * Creates one of the faults that an operation declares: `Fault.custom<ORDER_PUT_Faults>('LOCKED', 409, 'Locked.', { document })`.
   * @typeParam F the documents of the faults by their names: `ORDER_PUT_Faults` of `generated/handlers.ts`
   */
  static custom<F extends object>(...fault: DeclaredFault<F>): Fault;
  static custom(code: string, status: number, message: string, options: FaultOptions = {}): Fault {
    if (!(status >= 400 && status <= 599)) throw new RangeError(`status of a fault must be 400 to 599, not ${status}`);
    return new Fault(code, status, message, options);
  }

  /**
   * The faults of one request as one: the first, whose `detail` has the messages of all.
   * @param faults at least one, each with `errors`; those beyond 32 errors are left out, and the detail says so
   */
  static together(faults: readonly Fault[]): Fault {
    const [first] = faults;
    if (first === undefined) throw new TypeError('there is no fault');
    const errors = faults.flatMap((each) => each.errors);
    if (errors.length === 1) return first;
    const listed = errors.slice(0, MAX_ERRORS);
    const more = errors.length < MAX_ERRORS ? [] : ['There may be more errors.'];
    const detail = [...listed.map((each) => each.detail), ...more].join(' ');
    return first.saying(first.message, detail, listed);
  }

  /** Message and detail as one text. A detail that begins with the message, as that of several errors does, has both. */
  get text(): string {
    if (this.detail === '') return this.message;
    return this.detail.startsWith(this.message) ? this.detail : `${this.message} ${this.detail}`;
  }

  /** The fault of another copy of the package, perhaps of another version, as one of this copy. */
  static adopt(fault: Fault): Fault {
    if (Object.getPrototypeOf(fault) === Fault.prototype) return fault;
    const { code, status, message, detail, headers, cause } = fault;
    return Fault.custom(code, status, message, { detail, headers, cause, ...knownOf(fault) });
  }

  /** The same fault with another message for the caller. */
  saying(message: string, detail = this.detail, errors = this.errors): Fault {
    return new Fault(this.code, this.status, message, {
      detail,
      errors,
      headers: this.headers,
      cause: this.cause,
      ...knownOf(this),
    });
  }
}

/** The optional parts of a fault that it has. */
function knownOf({ reason, document, scheme }: Fault): Pick<FaultOptions, 'reason' | 'document' | 'scheme'> {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(document === undefined ? {} : { document }),
    ...(scheme === undefined ? {} : { scheme }),
  };
}

/** The arguments of {@link Fault.custom} for one of several declared faults, whose document is needed. */
export type DeclaredFault<F> = {
  [Name in keyof F & string]: [
    code: Name,
    status: number,
    message: string,
    options: Omit<FaultOptions, 'document'> & { readonly document: F[Name] },
  ];
}[keyof F & string];

/** Optional parts of a fault. `cause`, `reason` and `scheme` are logged, never sent. */
export interface FaultOptions {
  readonly detail?: string;
  /** The place in the request that the message is about. */
  readonly at?: ErrorPlace;
  /** What is wrong in the request, one by one, in place of `at`. */
  readonly errors?: readonly RequestError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Over SOAP, the document of the fault in `faults:` that the code names; other callers do not get it. */
  readonly document?: DocumentValue;
  readonly cause?: unknown;
  readonly reason?: string;
  readonly scheme?: string;
}

/** Throws the error of work that code has begun. Places that a fault has are in the input of that work, not in the request. */
export function throwWithoutPlaces(error: unknown): never {
  throw error instanceof Fault ? error.saying(error.message, error.detail, []) : error;
}
