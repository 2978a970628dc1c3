import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { definedAs } from '../../model/defined.ts';
import type { Handler, MessageHandler, ProcessHandler, ReplyHandler, SaveHandler } from '../../model/handler.ts';
import { codeOfSubscription } from '../../model/message.ts';
import { qualifiedName } from '../../model/operation-names.ts';
import type { Registry } from '../../model/registry.ts';
import { hasExecute, type ServiceClass, ServiceInterface } from '../../model/service-interface.ts';
import { quote } from '../../wire/words.ts';
import type { Handlers } from '../answer/call.ts';
import { GatewayError } from '../gateway-error.ts';
import type { OwnApp } from '../own-app.ts';

/** The code of a project, by file name without its extension. */
export interface ProjectCode {
  /** Answers operations. */
  readonly handlers: Handlers;
  /** Runs processes. */
  readonly processes: ReadonlyMap<string, ProcessHandler>;
  /** Takes the messages of subscriptions. */
  readonly messages: ReadonlyMap<string, MessageHandler>;
  /** Takes the replies to calls of subscriptions that come later. */
  readonly replies: ReadonlyMap<string, ReplyHandler>;
  /** Classes registered at the events of components. */
  readonly classes: ReadonlyMap<string, ServiceClass>;
  /** Runs after records of components were written. */
  readonly saves: ReadonlyMap<string, SaveHandler>;
  /** Routes and middleware of the project's own. */
  readonly app?: OwnApp | undefined;
}

/** A form of code. */
interface Form {
  readonly what: string;
  isFitting(exported: unknown): boolean;
  /** What something of that form lacks, without a subject. */
  lack?(exported: unknown): string | undefined;
  /** How to write it. @param ids of the definitions that use it */
  hint(ids: string): string;
}

const FORMS = {
  handler: {
    what: 'handler',
    isFitting: (exported) => typeof (exported as Partial<Handler> | undefined)?.onRequest === 'function',
    hint: (ids) => `Write: export default defineHandler(${ids}, { onRequest(request, context) { ... } });`,
  },
  process: {
    what: 'process',
    isFitting: (exported) => typeof (exported as Partial<ProcessHandler> | undefined)?.run === 'function',
    hint: (ids) => `Write: export default defineProcess(${ids}, { run(parameters, context) { ... } });`,
  },
  subscription: {
    what: 'handler of messages',
    isFitting: (exported) => typeof (exported as Partial<MessageHandler> | undefined)?.onMessage === 'function',
    hint: (ids) => `Write: export default defineSubscription(${ids}, { onMessage(message, context) { ... } });`,
  },
  replies: {
    what: 'handler of replies',
    isFitting: (exported) => typeof (exported as Partial<ReplyHandler> | undefined)?.onReply === 'function',
    hint: (ids) => `Write: export default defineSubscription(${ids}, { onReply(reply, context) { ... } });`,
  },
  class: {
    what: 'class that extends ServiceInterface',
    isFitting: (exported) => typeof exported === 'function' && exported.prototype instanceof ServiceInterface,
    lack: (exported) => (hasExecute(exported as ServiceClass) ? undefined : 'has no execute'),
    hint: () => 'Write: export default class extends ServiceInterface { async execute(event) { ... } }',
  },
  save: {
    what: 'handler of saves',
    isFitting: (exported) => typeof (exported as Partial<SaveHandler> | undefined)?.onSave === 'function',
    hint: (ids) => `Write: export default defineAfterSave(${ids}, { onSave(save, context) { ... } });`,
  },
  app: {
    what: 'function that takes an app',
    isFitting: (exported) => typeof exported === 'function' && !/^class\b/.test(String(exported)),
    hint: () => 'Write: export default defineApp((app) => { ... });',
  },
} as const satisfies Readonly<Record<string, Form>>;

/** Routes and middleware of the project's own, relative to its folder; it need not be there. */
const APP_FILE = 'src/app.ts';

/** A file of code that a start imports, and what it is for. */
export interface CodeFile {
  readonly kind: keyof typeof FORMS;
  /** Its name in the handlers folder, without the extension. */
  readonly file: string;
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  /** The operations, processes, subscriptions, components or related-content services that use it: each by its id, and other names that it has. */
  readonly users: readonly (readonly [id: string, ...others: string[]])[];
}

/** The files of code that a start imports. @param root the project's folder */
export function codeFiles(registry: Registry, root: string): CodeFile[] {
  const { operations, processes, subscriptions, relatedContent, components, gateway } = registry;
  const found = new Map<string, CodeFile>();
  const add = (kind: CodeFile['kind'], file: string, user: CodeFile['users'][number]): void => {
    const key = `${kind} ${file}`;
    const path = `${gateway.handlers}/${file}.ts`;
    found.set(key, { kind, file, path, users: [...(found.get(key)?.users ?? []), user] });
  };
  for (const operation of operations.values())
    if (operation.answer.kind === 'handler' && operation.active)
      add('handler', operation.answer.file, [operation.id, qualifiedName(operation)]);
  for (const { id, answer } of processes.values()) if (answer.kind === 'handler') add('process', answer.file, [id]);
  for (const { id, active, target } of subscriptions.values())
    if (active)
      for (const file of codeOfSubscription({ target }))
        add(target.kind === 'handler' ? 'subscription' : 'replies', file, [id]);
  for (const { id, file } of relatedContent.values()) add('class', file, [id]);
  for (const { id, afterSave } of components.values()) if (afterSave !== undefined) add('save', afterSave.file, [id]);
  const own = existsSync(join(root, APP_FILE))
    ? [{ kind: 'app' as const, file: 'app', path: APP_FILE, users: [['the project'] as const] }]
    : [];
  return [...found.values(), ...own];
}

/** A file of code that does not fit the definitions. */
export interface CodeProblem {
  /** The code of its diagnostic. */
  readonly code: 'code-form' | 'code-execute' | 'code-id';
  /** Without the name of the file, and without a full stop: `does not export a handler`. */
  readonly message: string;
  readonly hint: string;
}

/** Compares what a file exports with the definitions that use it; `undefined` when it fits. */
export function codeProblem(
  { kind, users }: Omit<CodeFile, 'file' | 'path'>,
  exported: unknown,
): CodeProblem | undefined {
  const { what, isFitting, lack, hint }: Form = FORMS[kind];
  const ids = users.map(([id]) => `'${id}'`);
  const wanted = hint(ids.length === 1 ? (ids[0] as string) : `[${ids.join(', ')}]`);
  if (!isFitting(exported)) {
    const why = exported === undefined ? ': it has no default export' : '';
    return {
      code: 'code-form',
      message: `does not export a ${what}${why}`,
      hint: isOfOtherCopy(exported) ? OTHER_COPY : wanted,
    };
  }
  const lacking = lack?.(exported);
  if (lacking !== undefined)
    return { code: 'code-execute', message: `exports a ${what}, which ${lacking}`, hint: wanted };
  const defined = definedAs(exported);
  // Operations that share code may take it as it was written for one of them.
  if (defined === undefined || users.flat().some((name) => defined.has(name))) return undefined;
  const message = `defines ${[...defined].map((id) => quote(id)).join(', ')}, but it is the ${what} of ${users.map(([id]) => id).join(', ')}`;
  return { code: 'code-id', message, hint: wanted };
}

const OTHER_COPY =
  'It extends the ServiceInterface of another copy of the package: `npm ls signalbox` shows where there are several.';

/** Whether a class extends a ServiceInterface, but not ours. */
function isOfOtherCopy(exported: unknown): boolean {
  if (typeof exported !== 'function' || exported.prototype instanceof ServiceInterface) return false;
  for (let at: unknown = exported; typeof at === 'function'; at = Object.getPrototypeOf(at))
    if (at.name === ServiceInterface.name) return true;
  return false;
}

/**
 * Imports the code that the registry names; Node strips its types.
 * @param root the project's folder
 * @throws GatewayError when a file is missing, does not run, or exports something else
 */
export async function importCode(registry: Registry, root: string): Promise<ProjectCode> {
  const imported = await Promise.all(
    codeFiles(registry, root).map(async (each) => ({
      ...each,
      exported: await importOne(join(root, each.path), each),
    })),
  );
  const of = <T>(kind: CodeFile['kind']): ReadonlyMap<string, T> =>
    new Map(imported.filter((each) => each.kind === kind).map(({ file, exported }) => [file, exported as T]));
  return {
    handlers: of('handler'),
    processes: of('process'),
    messages: of('subscription'),
    replies: of('replies'),
    classes: of('class'),
    saves: of('save'),
    app: of<OwnApp>('app').get('app'),
  };
}

async function importOne(file: string, code: CodeFile): Promise<unknown> {
  const shown = code.path;
  let exported: unknown;
  let problem: CodeProblem | undefined;
  try {
    ({ default: exported } = (await import(pathToFileURL(file).href)) as { default?: unknown });
    // Code runs here too: what is exported may have getters.
    problem = codeProblem(code, exported);
  } catch (error) {
    const ids = code.users.map(([id]) => id).join(', ');
    throw new GatewayError(`${shown} does not load: ${thrownText(error)}`, {
      hint: `It is the ${FORMS[code.kind].what} of ${ids}. signalbox check shows where the error is.`,
      cause: error,
    });
  }
  if (problem !== undefined) throw new GatewayError(`${shown} ${problem.message}`, { hint: problem.hint });
  return exported;
}

/** What code has thrown, which may be anything. */
export function thrownText(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === 'string') return error;
  return `it throws ${inspect(error, { depth: 1, compact: true, breakLength: Number.POSITIVE_INFINITY })}, which is not an Error`;
}

/**
 * A warning when the project's code imports another copy of the package than the one that runs, such as a global one: classes
 * of one copy are not those of the other, so that `instanceof` and `extends` fail.
 * @param root the project's folder
 */
export function copyWarning(root: string): string | undefined {
  const own = packageOf(fileURLToPath(import.meta.url));
  const its = packageOf(resolvedIn(root));
  if (own === undefined || its === undefined || own.folder === its.folder) return undefined;
  return `The project's code imports signalbox ${its.version} in ${its.folder}, but signalbox ${own.version} in ${own.folder} runs. Start the project's own with npx signalbox or node_modules/.bin/signalbox.`;
}

function resolvedIn(root: string): string {
  try {
    return createRequire(join(root, 'package.json')).resolve('signalbox/package.json');
  } catch {
    // The project does not have the package, or it is a part of the package.
    return '';
  }
}

/** The package that a file belongs to, if it is a copy of this one. */
function packageOf(file: string): { readonly folder: string; readonly version: string } | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, 'package.json'))) continue;
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    return name === 'signalbox' && version !== undefined ? { folder: realpathSync(folder), version } : undefined;
  }
  return undefined;
}
