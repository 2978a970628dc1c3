import { plainAddress, type SourceOptions } from '../import/read-source.ts';

export function isAddress(name: string): boolean {
  return /^https?:/i.test(name);
}

/** A file or an address that the user names, and how it is read. */
export interface Address {
  /** Without credentials, so that it may be printed. */
  readonly location: string;
  readonly options: SourceOptions;
}

/** @param name a path, or an address that may contain a user and a password: https://reader:secret@gateway.example.org */
export function addressOf(name: string): Address {
  const plain = plainAddress(name);
  if (plain === undefined) return { location: name, options: optionsFor(name) };
  const { location, origin, headers } = plain;
  return { location, options: { ...optionsFor(location), headers: new Map([[origin, headers]]) } };
}

/** References in a contract that is on the network are followed there. */
function optionsFor(location: string): SourceOptions {
  return { fetch: isAddress(location), private: false, given: new Set([location]) };
}

/** The options for another location of the same server, as if the user had named it. */
export function alsoAt({ options }: Address, location: string): SourceOptions {
  return { ...options, given: new Set([location]) };
}
