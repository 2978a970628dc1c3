import type { Registry } from '../../model/registry.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Plain } from '../plain-routes.ts';
import type { Contracts } from './contracts.ts';

/** The page at `/`: every service with its contracts, every operation with a command to try it. */
export interface Page {
  respond(exchange: Exchange, plain: Plain): Promise<Response>;
}

/** The page runs no scripts and loads nothing except its embedded icon. */
const SECURITY = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'Referrer-Policy': 'no-referrer',
};

/**
 * Renders the page at its first request and caches it: the registry does not change, and a start should not wait for the
 * libraries that write its examples.
 */
export function createPage(
  registry: Registry,
  contracts: Contracts,
  { base, sampleUsers }: { readonly base: () => string; readonly sampleUsers: boolean },
): Page {
  let html: string | undefined;
  return {
    async respond(exchange, plain) {
      if (html === undefined) {
        const { renderPage } = await import('./html.ts');
        html = renderPage({ registry, contracts, base: base(), sampleUsers });
      }
      const options = { compresses: registry.gateway.compress.rest, isStatic: true, headers: SECURITY };
      return plain.document(exchange, 'text/html; charset=utf-8', html, options);
    },
  };
}
