import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, finish, type Ran, repository } from '../cli/support.ts';
import { classPathOf, classPathOfPom, JVM } from './java/maven.ts';

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';

/** What openapi-generator writes a client in. */
export const LANGUAGES = ['native', 'okhttp', 'typescript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of the generator, then its properties for a client that is called `name`. */
const GENERATORS: Readonly<Record<Language, (name: string) => readonly string[]>> = {
  native: (name) => ['java', 'library=native', ...packages(name)],
  okhttp: (name) => ['java', 'library=okhttp-gson', ...packages(name)],
  typescript: () => ['typescript-fetch'],
  python: (name) => ['python', `packageName=${name}`],
};

const packages = (name: string): string[] => [
  ...[`invokerPackage=${name}`, `apiPackage=${name}.api`, `modelPackage=${name}.model`, 'hideGenerationTimestamp=true'],
];

/** The name of a client: that of its contract, in small letters. */
export function clientName(contract: string): string {
  return (contract.split('.')[0] as string).toLowerCase();
}

/** Writes a client of each contract in each language, to `FOLDER/LANGUAGE/CLIENT`. Contracts are files by their names. */
export async function generate(folder: string, contracts: readonly string[]): Promise<void> {
  const jobs = LANGUAGES.flatMap((language) =>
    contracts.map((contract) => {
      const name = clientName(contract);
      const [generator, ...properties] = GENERATORS[language](name);
      return [generator, join(folder, contract), join(folder, language, name), ...properties].join('\t');
    }),
  );
  await java(await classPathOf([GENERATOR]), 'OpenApiGenerator.java', { input: jobs.join('\n') });
}

/** The class path of the clients of one library, by what they declare: all of them the same. */
export async function declaredBy(folder: string, language: Language): Promise<string> {
  const [first] = readdirSync(join(folder, language));
  return classPathOfPom(join(folder, language, String(first), 'pom.xml'));
}

/** Compiles all clients of one library into `FOLDER/LANGUAGE-classes`, and gives what the compiler says. */
export async function compileJava(folder: string, language: Language, classPath: string): Promise<string> {
  const below = join(folder, language);
  const sources = readdirSync(below, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.java'));
  const list = join(folder, `${language}.sources`);
  writeFileSync(list, sources.map((name) => join(below, name)).join('\n'));
  const classes = join(folder, `${language}-classes`);
  mkdirSync(classes);
  const args = ['-proc:none', '-nowarn', '-Xlint:-options', '-Xmaxerrs', '1000', '-cp', classPath, '-d', classes];
  const { stderr } = await run('javac', [...JVM.map((option) => `-J${option}`), ...args, `@${list}`]);
  return stderr;
}

/** Type-checks all clients in TypeScript with the compiler of this repository, and gives what it says. */
export async function checkTypes(folder: string): Promise<string> {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] },
    lib: ['es2022', 'dom', 'dom.iterable'],
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['typescript'] }));
  const { stdout } = await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', project]);
  return stdout;
}

/** Runs a source file of `java/`, and gives what it prints. */
export async function java(
  classPath: string,
  file: string,
  { args = [], input = '' }: { readonly args?: readonly string[]; readonly input?: string } = {},
): Promise<string> {
  const source = fileURLToPath(new URL(`java/${file}`, import.meta.url));
  const { code, stdout, stderr } = await run('java', [...JVM, '-cp', classPath, source, ...args], input);
  if (code !== 0) throw new Error(`${file} ended with ${code}\n${stderr}\n${stdout}`);
  return stdout;
}

/** Runs a program to its end, with a text as its input. */
export function run(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(program, args, { env: cleanEnvironment({ no_proxy: '*' }) });
  child.stdin.end(input);
  return finish(child);
}
