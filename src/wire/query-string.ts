import { PercentError, percentDecode } from './percent.ts';

// Query string, RFC 3986 section 3.4, split into parameters like application/x-www-form-urlencoded (WHATWG URL, 5.1).

/** The parameters of one request: decoded name to raw values (still percent-encoded), in their original order. */
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
 * Splits a raw query string (without its `?`) in linear time. `a` and `a=` both have the value `''`; empty text between
 * two `&` is ignored.
 * @throws TooManyParametersError for more than `maxParameters`
 * @throws PercentError when a name can't be decoded; values are decoded when they are used
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

/**
 * Reads a form (WHATWG URL, section 5.1) in linear time. Like the standard, it tolerates everything: what is not valid percent-encoding
 * stays as it is.
 * @returns `undefined` for a form with more fields than `maxFields`
 */
export function parseForm(text: string, maxFields: number): URLSearchParams | undefined {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('&', from);
    const end = next === -1 ? text.length : next;
    // A field without a sign has the empty value. Node takes quadratic time for many of them, and none with the sign.
    if (end > from) {
      const piece = text.slice(from, end);
      pieces.push(piece.includes('=') ? piece : `${piece}=`);
    }
    if (pieces.length > maxFields) return undefined;
    from = end + 1;
  }
  return new URLSearchParams(pieces.join('&'));
}
