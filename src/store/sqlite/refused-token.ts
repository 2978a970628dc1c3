/**
 * Where SQL has the token that SQLite's parser refuses, which its driver does not report: every beginning of the SQL that
 * contains the token is refused with the same message, and no shorter one is.
 * @param message that of the refusal
 * @param refusalOf prepares SQL, and returns the message when it is refused
 * @returns an offset from 0; `undefined` when the message is not about a token
 */
export function offsetOfRefusedToken(
  sql: string,
  message: string,
  refusalOf: (sql: string) => string | undefined,
): number | undefined {
  if (message === 'incomplete input') return sql.trimEnd().length;
  const [, near, unknown] = /^(?:near "([\s\S]+)": syntax error|unrecognized token: "([\s\S]+)")$/.exec(message) ?? [];
  const token = near ?? unknown;
  if (token === undefined) return undefined;
  const places: number[] = [];
  for (let at = sql.indexOf(token); at >= 0; at = sql.indexOf(token, at + 1)) {
    const isWhole = [at, at + token.length].every((edge) => !/\w\w/.test(sql.slice(edge - 1, edge + 1)));
    if (isWhole) places.push(at);
  }
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (refusalOf(sql.slice(0, (places[middle] as number) + token.length)) === message) high = middle;
    else low = middle + 1;
  }
  return places[low];
}
