import type { Registry } from '../model/registry.ts';
import type { ConsoleGrant, User } from '../model/security.ts';
import type { ConsolePorts } from './console-port.ts';
import type { ConsoleRequest } from './console-request.ts';
import type { Html } from './html.ts';

/** A request of a signed-in user for a page or an action. */
export interface Visit {
  readonly ports: ConsolePorts;
  readonly user: User;
  readonly may: (grant: ConsoleGrant) => boolean;
  /** The values of the route's path: `{ id: '…' }` of `/messages/:id`, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the submitted form; empty for a page. */
  readonly form: URLSearchParams;
  /** The files of a multipart form, by field. */
  readonly files: ReadonlyMap<string, File>;
  /** The path of this request with its query, relative to the console: `/messages?status=Error`. */
  readonly here: string;
  /** The token in every form of this session. */
  readonly token: string;
  /** The id of this session. */
  readonly session: string;
  /** The name of the user in audit trails: `console:VP1`. */
  readonly actor: string;
  readonly call: ConsoleRequest['call'];
  /** Whether a script asks for a part of a page that is already shown. */
  readonly byScript: boolean;
  /** Aborts when the browser has disconnected. */
  readonly gone: AbortSignal;
}

interface Page {
  readonly kind: 'page';
  readonly title: string;
  readonly body: Html;
  /** 200 unless it reports an error. */
  readonly status?: number;
  /** The page asks for consent and nothing was done: the audit log has no action. */
  readonly isQuestion?: true;
  /** Whether the page needs the script that draws charts. */
  readonly charts?: true;
  /** Of a page that answers an action: the subject of the action, for the audit log. */
  readonly target?: string;
}

/** A part of a page, for the script that asked for it. */
interface Fragment {
  readonly kind: 'fragment';
  readonly body: Html;
}

interface Download {
  readonly kind: 'download';
  readonly name: string;
  readonly contentType: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Whether it is shown in the browser instead of saved: for plain text only, which can't run code. */
  readonly inline?: true;
}

/** Redirects to another page of the console: `/messages`. */
interface Redirect {
  readonly kind: 'redirect';
  readonly to: string;
}

export type Reply = Page | Fragment | Download | Redirect;

/** The result of an action: the page that follows, and the report that it shows. */
export interface Done {
  readonly to: string;
  readonly notice: string;
  /** Whether a part of it was refused. */
  readonly partly?: true;
  /** The subject of the action, for the audit log. */
  readonly target: string;
}

/** A page, or a part of one. */
export interface PageRoute {
  readonly kind: 'page';
  /** Relative to the console; segments with a colon are variables: `/messages/:id`. */
  readonly path: string;
  readonly grant: ConsoleGrant;
  readonly show: (visit: Visit) => Reply | Promise<Reply>;
}

/** An action, which a form starts. */
export interface ActionRoute {
  readonly kind: 'action';
  readonly path: string;
  readonly grant: ConsoleGrant;
  /** The name of the action in the audit log: `queue.pause`. */
  readonly name: string;
  /** A `Reply` is shown at once, without a redirect: for actions that may be repeated without harm, such as a call. */
  readonly run: (visit: Visit) => Promise<Done | Reply>;
}

export type Route = PageRoute | ActionRoute;

/** A group of pages with an entry in the navigation. */
export interface Area {
  readonly id: string;
  readonly title: string;
  /** The target of its navigation entry: `/messages`. */
  readonly path: string;
  readonly grant: ConsoleGrant;
  readonly routes: readonly Route[];
  /** Whether a gateway has this area; all have it if absent. */
  readonly isPresent?: (ports: ConsolePorts) => boolean;
  /** Derives what its pages need from all definitions, so that the first reader does not wait for it. */
  readonly prepare?: (registry: Registry) => Promise<unknown>;
  /** Subjects whose changes refresh the live parts of its pages. */
  readonly topics?: readonly Topic[];
}

/** A subject that changes by itself. */
export interface Topic {
  readonly name: string;
  /** A text that differs when the subject has changed. It is read every two seconds while a page follows it. */
  readonly state: (ports: ConsolePorts) => Promise<string>;
}

export const pageRoute = (path: string, show: PageRoute['show'], grant: ConsoleGrant = 'read'): PageRoute => ({
  kind: 'page',
  path,
  grant,
  show,
});

/**
 * An action.
 * @param name in the audit log: `queue.pause`
 */
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
