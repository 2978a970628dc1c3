import { PercentError, percentDecode, percentEncode } from './percent.ts';

// Query string, RFC 3986 section 3.4, cut into parameters as application/x-www-form-urlencoded (WHATWG URL, 5.1) cuts it.

/** The parameters of one request: decoded name to raw values (still percent-encoded), in the order they came in. */
export type QueryString = ReadonlyMap<string, readonly string[]>;

/** More parameters than the limit allows. */
export class TooManyParametersError extends Error {
  override readonly name = 'TooManyParametersError';
  readonly limit: number;

  constructor(limit: number) {
    super(`the query string has more than ${limit} parameters`);
    this.limit = limit;
  }
}

const empty: QueryString = new Map();

/**
 * Cuts a raw query string (without its `?`) once, in linear time. `a` and `a=` both give the value `''`; nothing
 * between two `&` is no parameter.
 * @throws TooManyParametersError beyond `maxParameters`
 * @throws PercentError when a name can't be decoded; values are decoded by those who use them.
 */
export function parseQueryString(raw: string, maxParameters: number): QueryString {
  if (raw === '') return empty;
  const parameters = new Map<string, string[]>();
  let count = 0;
  let from = 0;
  while (from <= raw.length) {
    const next = raw.indexOf('&', from);
    const end = next === -1 ? raw.length : next;
    if (end > from) {
      count += 1;
      if (count > maxParameters) throw new TooManyParametersError(maxParameters);
      addParameter(parameters, raw.slice(from, end), count);
    }
    from = end + 1;
  }
  return parameters;
}

function addParameter(parameters: Map<string, string[]>, piece: string, position: number): void {
  const equals = piece.indexOf('=');
  const name = decodeName(equals === -1 ? piece : piece.slice(0, equals), position);
  const value = equals === -1 ? '' : piece.slice(equals + 1);
  const known = parameters.get(name);
  if (known === undefined) parameters.set(name, [value]);
  else known.push(value);
}

function decodeName(raw: string, position: number): string {
  try {
    return percentDecode(raw, true);
  } catch (error) {
    if (!(error instanceof PercentError)) throw error;
    throw new PercentError(`in the name of query parameter ${position}, ${error.reason}`);
  }
}

// application/x-www-form-urlencoded, WHATWG URL section 5.2, with RFC 3986 section 2.3's unreserved characters as the only
// ones that stand for themselves: a blank is %20, which every reader of forms takes, as it does not take `+` in a path.

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** One field of a form, the value being ready. @throws PercentError for a name that UTF-8 does not carry */
export function formField(name: string, encoded: string): string {
  return `${percentEncode(name)}=${encoded}`;
}

/**
 * A form of fields whose values are not encoded yet: each is, once and by itself. Names stay as they are; a value ends at
 * the next `&`, and may hold `=`.
 * @throws PercentError for a value that UTF-8 does not carry
 */
export function encodeFormValues(form: string): string {
  return form
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=');
      return equals === -1 ? piece : piece.slice(0, equals + 1) + percentEncode(piece.slice(equals + 1));
    })
    .join('&');
}
