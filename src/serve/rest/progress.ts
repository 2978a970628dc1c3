import type { Representation } from '../../binding/rest/representation.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { CallProgress, Compiled } from '../operations.ts';
import type { RouteMatch } from './routes.ts';

/** What is known of a call over REST so far. */
export interface Progress extends CallProgress {
  match?: RouteMatch;
  as?: Representation;
}

/**
 * The form of the reply: by Accept; a delivered service's own parameters come before that (field notes 1, json_resp).
 * @throws Fault NOT_ACCEPTABLE
 */
export function negotiate(exchange: Exchange, { binding, answerer }: Compiled, match: RouteMatch): Representation {
  const accept = exchange.header('accept');
  const format = answerer.formatOf?.((name) => peek(match, name), { uriIndex: match.uri.index, accept });
  if (format === undefined) return binding.negotiate(accept);
  const isMeant = (each: Representation): boolean =>
    each.format === format || each.contentType.startsWith(`${format};`);
  return binding.representations.find(isMeant) as Representation;
}

/** The form of a fault that came before the form was settled; a fault has some form whatever Accept says. */
export function formOfFault(exchange: Exchange, { compiled, match, as }: Progress): Representation | undefined {
  if (as !== undefined || compiled === undefined || match === undefined) return as;
  try {
    return negotiate(exchange, compiled, match);
  } catch {
    return compiled.binding.representations[0];
  }
}

/** A variable's text as it came, where it can be read; nothing is checked here. */
function peek({ uri, raw }: RouteMatch, name: string): string | undefined {
  const index = uri.variables.findIndex((variable) => variable.field.name === name);
  const found = raw[index];
  const text = typeof found === 'string' ? found : found?.[0];
  return text === undefined || text.includes('%') ? undefined : text;
}
