/** Start line and headers of a message, in the order in which they travel. What is secret in them is masked. */
export interface Head {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Who wants to see the heads of an exchange. Each is called once for each address that is tried. */
export interface Heads {
  onRequest?(head: Head): void;
  onReply?(head: Head): void;
}

/** Headers that say who somebody is. */
const SECRET = /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$|api-?key|token|secret|password|signature/i;

export function headOf(line: string, headers: Readonly<Record<string, string>>): Head {
  return { line, headers: Object.entries(headers).map(([name, value]) => [name, masked(name, value)]) };
}

function masked(name: string, value: string): string {
  if (!SECRET.test(name)) return value;
  const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^[A-Za-z]+ /.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}***`;
}
