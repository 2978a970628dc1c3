import { duration } from '../../wire/duration.ts';
import type { Entry } from './catalogue/entry.ts';
import { error } from './catalogue/entry.ts';
import { type Diagnostic, diagnosticOf, type Place } from './diagnostic.ts';

type Code = keyof typeof codeCatalogue;
type ParametersOf<C extends Code> = Parameters<(typeof codeCatalogue)[C]['message']>[0];

/** What is wrong with code of the project, as a diagnostic like those of the loader. */
export function codeDiagnostic<C extends Code>(code: C, parameters: ParametersOf<C>, at: Place): Diagnostic {
  return diagnosticOf(code, codeCatalogue[code] as Entry<typeof parameters>, parameters, at);
}

/**
 * Diagnostics of `check` about code, which it imports in a process of its own, and of `check --types`. `reason` is without a
 * full stop.
 */
export const codeCatalogue = {
  'bad-mock': error<{ reason: string; hint?: string | undefined }>({
    message: ({ reason }) => `${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'Files in `mocks/` say what mocks answer: each part begins with `mock:` and an operation, and has a list of `answers` with `when`, `times`, `delay`, `status`, `headers`, and `reply` or `fault`. Conditions and replies have the names of fields, and are checked against the documents of the operation. A gateway does not read them.',
  }),
  'code-syntax': error<{ reason: string; erasable: boolean }>({
    message: ({ reason }) => `Syntax error: ${reason}.`,
    hint: ({ erasable }) =>
      erasable
        ? undefined
        : 'Node removes types and runs what is left. Write a union of texts or an object `as const` for an enum, a module for a namespace, and assign parameters in the constructor; `erasableSyntaxOnly` in tsconfig.json makes editors report this.',
    explanation:
      'A file of code, or one that it imports, does not parse. Node runs TypeScript by removing its types, so syntax that is more than types (enums, namespaces, parameter properties) is an error too.',
  }),
  'code-import': error<{ specifier: string; reason: string; hint?: string | undefined }>({
    message: ({ specifier, reason }) => `${JSON.stringify(specifier)} can't be imported: ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'A file of code, or one that it imports, imports a package that is not installed, a file that does not exist, or a path that its package does not export.',
  }),
  'code-export': error<{ specifier: string; name: string; hint?: string | undefined }>({
    message: ({ specifier, name }) => `${JSON.stringify(specifier)} exports no ${name}.`,
    hint: ({ hint }) => hint,
    explanation:
      'A name that is imported does not exist in the other file. The name of a type exists only for the compiler: import it with `import type`.',
  }),
  'code-throws': error<{ file: string; reason: string }>({
    message: ({ file, reason }) => `The import of ${file} fails: ${reason}.`,
    explanation:
      'Code outside of all functions runs when its file is imported, before the gateway serves any call. An error there keeps the gateway from starting.',
  }),
  'code-hangs': error<{ file: string; seconds: number }>({
    message: ({ file, seconds }) => `The import of ${file} did not end within ${duration(Math.round(1000 * seconds))}.`,
    hint: () => 'Move what waits into the function that needs it; --import-within sets another time.',
    explanation:
      'Code outside of all functions waits for something that does not happen, such as a top-level `await` of a server that does not answer, or never ends. The gateway would not start.',
  }),
  'code-exits': error<{ file: string; end: string }>({
    message: ({ file, end }) => `The import of ${file} ends the process: ${end}.`,
    hint: () => 'Throw an error instead: the gateway reports it and decides how to end.',
    explanation:
      'Code outside of all functions calls `process.exit`, or crashes the process. The gateway would end with it.',
  }),
  'code-form': error<{ file: string; reason: string; hint: string }>({
    message: ({ file, reason }) => `${file} ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'The default export of a file has the form that its use requires: an object with `onRequest` for an operation, with `run` for a process, a class that extends ServiceInterface for an event.',
  }),
  'code-execute': error<{ file: string; reason: string; hint: string }>({
    message: ({ file, reason }) => `${file} ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'A class that is registered at an event has a method `execute`, or `Execute` as the specification writes it, which runs at the event.',
  }),
  'code-id': error<{ file: string; reason: string; hint: string }>({
    message: ({ file, reason }) => `${file} ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'The id that is passed to `defineHandler` or `defineProcess` decides the types of the code. It is another one than that of the operation or process which uses the file, so the types are those of something else.',
  }),
  'code-type': error<{ text: string }>({
    message: ({ text }) => text,
    explanation:
      "Reported by `check --types`: an error of the TypeScript compiler that the project has installed, with the compiler's own code and words.",
  }),
  'generated-outdated': error<{ files: readonly string[] }>({
    message: ({ files }) => `Types no longer match the definitions: ${files.join(', ')}.`,
    hint: () => 'Run `signalbox generate`, and check again.',
    explanation:
      'Reported by `check --types`: files of `generated/` are missing or were generated from other definitions, so the compiler would check code against the wrong types.',
  }),
} as const satisfies Readonly<Record<string, Entry<never>>>;
