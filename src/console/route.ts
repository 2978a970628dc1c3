import type { Registry } from '../model/registry.ts';
import type { ConsoleGrant, User } from '../model/security.ts';
import type { ConsolePorts, ConsoleRequest } from './console-port.ts';
import type { Html } from './html.ts';

/** A request of a signed-in user for a page or an action. */
export interface Visit {
  readonly ports: ConsolePorts;
  readonly user: User;
  readonly may: (grant: ConsoleGrant) => boolean;
  /** The values of the route's path: `{ id: '…' }` of `/messages/:id`, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a form that was sent; empty for a page. */
  readonly form: URLSearchParams;
  /** Files of a form that was sent as multipart, by field. */
  readonly files: ReadonlyMap<string, File>;
  /** The path of this request with its query, below the console: `/messages?status=Error`. */
  readonly here: string;
  /** The token that every form of this session carries. */
  readonly token: string;
  /** The id of this session. */
  readonly session: string;
  /** The name that the trails have: `console:VP1`. */
  readonly actor: string;
  readonly call: ConsoleRequest['call'];
  /** A script asks, for a part of a page that is there already. */
  readonly byScript: boolean;
  /** Aborts when the reader has gone away. */
  readonly gone: AbortSignal;
}

/** A page. */
interface Page {
  readonly kind: 'page';
  readonly title: string;
  readonly body: Html;
  /** 200 unless it reports an error. */
  readonly status?: number;
  /** Asks for consent to an action, of which nothing was done: the audit log has no action. */
  readonly isQuestion?: true;
  /** Needs the script that draws charts. */
  readonly charts?: true;
  /** Of an action that is answered with a page: what was acted on, for the audit log. */
  readonly target?: string;
}

/** A part of a page, for a script that asked for it. */
interface Fragment {
  readonly kind: 'fragment';
  readonly body: Html;
}

/** A file. */
interface Download {
  readonly kind: 'download';
  readonly name: string;
  readonly contentType: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Shown in the browser instead of saved: for text alone, without anything that could run. */
  readonly inline?: true;
}

/** Another page of the console: `/messages`. */
interface Redirect {
  readonly kind: 'redirect';
  readonly to: string;
}

export type Reply = Page | Fragment | Download | Redirect;

/** The result of an action: the page that follows, and what is reported there. */
export interface Done {
  readonly to: string;
  readonly notice: string;
  /** Some of it was refused. */
  readonly partly?: true;
  /** What was acted on, for the audit log. */
  readonly target: string;
}

/** A page, or a part of one. */
export interface PageRoute {
  readonly kind: 'page';
  /** Below the console; segments with a colon are values: `/messages/:id`. */
  readonly path: string;
  readonly grant: ConsoleGrant;
  readonly show: (visit: Visit) => Reply | Promise<Reply>;
}

/** Something that a form does. */
export interface ActionRoute {
  readonly kind: 'action';
  readonly path: string;
  readonly grant: ConsoleGrant;
  /** Its name in the audit log: `queue.pause`. */
  readonly name: string;
  /** A reply instead of a page that follows is shown at once: of an action without an effect that repeats, a call for example. */
  readonly run: (visit: Visit) => Promise<Done | Reply>;
}

export type Route = PageRoute | ActionRoute;

/** A group of pages with an entry in the navigation. */
export interface Area {
  readonly id: string;
  readonly title: string;
  /** Where the navigation leads: `/messages`. */
  readonly path: string;
  readonly grant: ConsoleGrant;
  readonly routes: readonly Route[];
  /** Whether a gateway has it; every one when absent. */
  readonly isPresent?: (ports: ConsolePorts) => boolean;
  /** Builds what its pages need of all definitions, so that the first reader does not wait for it. */
  readonly prepare?: (registry: Registry) => Promise<unknown>;
  /** Subjects whose changes refresh the parts of its pages that are live. */
  readonly topics?: readonly Topic[];
}

/** A subject that changes by itself. */
export interface Topic {
  readonly name: string;
  /** A text that is another one when the subject has changed. Asked for every two seconds while anyone looks at it. */
  readonly state: (ports: ConsolePorts) => Promise<string>;
}

export const pageRoute = (path: string, show: PageRoute['show'], grant: ConsoleGrant = 'read'): PageRoute => ({
  kind: 'page',
  path,
  grant,
  show,
});

/** An action. @param name of the audit log: `queue.pause` */
export const actionRoute = (
  path: string,
  name: string,
  run: ActionRoute['run'],
  grant: ConsoleGrant = 'act',
): ActionRoute => ({ kind: 'action', path, grant, name, run });

export const page = (title: string, body: Html, more: Pick<Page, 'status' | 'isQuestion' | 'charts'> = {}): Page => ({
  kind: 'page',
  title,
  body,
  ...more,
});
