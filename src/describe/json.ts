/** A value of JSON; members that are undefined are left out when it is written. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** Members in the order in which they are written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Two spaces an indent, a line end last. */
export function jsonText(value: Json): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
