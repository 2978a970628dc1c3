import { type Context, Hono } from 'hono';
import { Fault } from '../model/fault.ts';
import { inContext } from '../trace/trace.ts';
import { attempt } from '../wire/waiting.ts';
import type { Cors } from './exchange/cors.ts';
import { type Answer, Exchange, type GatewayEnv, type Mounts, type Surroundings } from './exchange/exchange.ts';
import { unaccountable } from './exchange/refuse.ts';
import { checkHead } from './listen/head.ts';

/** Answers a request whose error belongs to no operation. */
export type Fail = (exchange: Exchange, error: unknown) => Promise<Response>;

/** What an app needs besides what it serves. */
interface AppPorts extends Surroundings {
  readonly context: string;
  /** Bytes of the longest target. */
  readonly longestTarget: number;
  readonly fail: Fail;
  /** The file of the audit log, if it has one. */
  readonly auditFile: { readonly broken: boolean } | undefined;
  /** Headers for a request that does not reach the app, by its Origin header. */
  readonly corsOfRefusal: Cors['headersOfRefusal'];
  /** What else there is, for a request for what there is not: `the console is at /console`. */
  readonly known: string;
}

/**
 * The gateway as a Hono app: one wildcard route per connector (Hono's own router slows down with every route), and the
 * paths for people and monitors. It does not listen; `app.request()` calls it as a socket would.
 */
export class App extends Hono<GatewayEnv> implements Mounts {
  readonly #ports: AppPorts;

  /** Answers a request for a path that is not there. */
  readonly nothing: ReturnType<App['answering']>;

  constructor(ports: AppPorts) {
    super();
    this.#ports = ports;
    this.nothing = this.answering(() => {
      throw Fault.of('NOT_FOUND', { what: `such path; ${ports.known}` });
    });
    this.notFound(this.nothing);
  }

  /** Headers for a request that does not reach the app, by its Origin header. */
  get corsOfRefusal(): Cors['headersOfRefusal'] {
    return this.#ports.corsOfRefusal;
  }

  /** Whether what is at a target may write its replies on Node's objects: those of the web standards take a sixth of the time of a small call. */
  writes(target: string): boolean {
    return target.startsWith(`/${this.#ports.context}/`);
  }

  connect(connector: string, answer: Answer): void {
    // It also matches the prefix itself.
    this.all(`/${this.#ports.context}/${connector}/*`, this.answering(answer));
  }

  /** A route's answer to a request, which it gives in the context of that request. */
  answering(answer: Answer): (context: Context<GatewayEnv>) => Response | Promise<Response> {
    return ({ env = {}, req }) => {
      const { incoming, isChecked } = env;
      const { longestTarget, auditFile } = this.#ports;
      // A server of others checks less than ours.
      const fault =
        incoming && !isChecked ? (checkHead(incoming, longestTarget) ?? unaccountable(auditFile)) : undefined;
      const exchange = new Exchange(env, this.#ports, req.raw);
      const respond = (): Response | Promise<Response> => {
        if (fault !== undefined) throw fault;
        return answer(exchange);
      };
      return inContext(exchange, () => attempt(respond, (error) => this.#ports.fail(exchange, error)));
    };
  }
}
