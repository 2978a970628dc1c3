import type { Registry } from '../model/registry.ts';

/** An address by which this machine reaches what listens there: all addresses are none to call. */
export function reachable(address: string): string {
  return address.replace(/\/\/0\.0\.0\.0(?=[:/]|$)/, '//127.0.0.1').replace('//[::]', '//[::1]');
}

/** The address of the gateway in contracts, with the context: what `--base` says, or what the gateway itself would say. */
export async function contractBaseOf(registry: Registry, given: string | undefined): Promise<string> {
  if (given !== undefined) return `${given.replace(/\/+$/, '')}/${registry.gateway.context}`;
  const { contractBase } = await import('../serve/start/address.ts');
  return contractBase(registry, process.env);
}
