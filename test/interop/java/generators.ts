import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, finish } from '../../cli/support.ts';
import { classPathOf, JVM } from './maven.ts';

const CXF = '4.0.5';
const METRO = '4.0.3';

/** Generators of one maker, with what the code that they write needs. */
export const toolkits = {
  CXF: [
    `org.apache.cxf:cxf-tools-wsdlto-databinding-jaxb:${CXF}`,
    `org.apache.cxf:cxf-tools-wsdlto-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-tools-wadlto-jaxrs:${CXF}`,
    `org.apache.cxf:cxf-rt-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-rt-transports-http:${CXF}`,
    `org.apache.cxf:cxf-rt-rs-client:${CXF}`,
    // Without it CXF has no SOAPFaultException.
    'com.sun.xml.messaging.saaj:saaj-impl:3.0.4',
  ],
  // Replies come to a server of the client.
  Decoupled: [
    `org.apache.cxf:cxf-tools-wsdlto-databinding-jaxb:${CXF}`,
    `org.apache.cxf:cxf-tools-wsdlto-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-rt-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-rt-ws-policy:${CXF}`,
    `org.apache.cxf:cxf-rt-transports-http-jetty:${CXF}`,
    'com.sun.xml.messaging.saaj:saaj-impl:3.0.4',
  ],
  WSS4J: [
    `org.apache.cxf:cxf-rt-ws-security:${CXF}`,
    `org.apache.cxf:cxf-rt-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-rt-transports-http:${CXF}`,
  ],
  // Servers with policies.
  Policies: [
    `org.apache.cxf:cxf-rt-frontend-jaxws:${CXF}`,
    `org.apache.cxf:cxf-rt-transports-http-jetty:${CXF}`,
    `org.apache.cxf:cxf-rt-ws-security:${CXF}`,
    `org.apache.cxf:cxf-rt-ws-policy:${CXF}`,
    'com.sun.xml.messaging.saaj:saaj-impl:3.0.4',
  ],
  // With the WSS4J that it names, which is older than that of CXF.
  Spring: ['org.springframework.ws:spring-ws-security:4.0.11', 'com.sun.xml.messaging.saaj:saaj-impl:3.0.4'],
  // Of 2006, as it is deployed still.
  Axis: [
    'axis:axis:1.4',
    'axis:axis-jaxrpc:1.4',
    'axis:axis-saaj:1.4',
    'axis:axis-wsdl4j:1.5.1',
    'commons-discovery:commons-discovery:0.2',
    'commons-logging:commons-logging:1.0.4',
    'javax.activation:activation:1.1.1',
    'javax.mail:mail:1.4.7',
  ],
  Metro: [`com.sun.xml.ws:jaxws-tools:${METRO}`, `com.sun.xml.ws:jaxws-rt:${METRO}`],
} as const;
export type Toolkit = keyof typeof toolkits;

/** One run of a tool. */
export interface Job {
  /** Where it writes; a folder of its own. */
  readonly folder: string;
  readonly tool: 'wsdl2java' | 'wadl2java' | 'xjc' | 'wsimport';
  /** Options beside the folder, then the contract: an address or a file. */
  readonly args: readonly string[];
}

const FLAGS: Readonly<Record<Job['tool'], readonly string[]>> = {
  wsdl2java: ['-quiet'],
  wadl2java: [],
  xjc: ['-quiet'],
  wsimport: ['-quiet', '-Xnocompile', '-keep'],
};

const classPaths = new Map<Toolkit, Promise<string>>();

/** The class path of a toolkit. */
export function classPath(toolkit: Toolkit): Promise<string> {
  const known = classPaths.get(toolkit) ?? classPathOf(toolkits[toolkit]);
  classPaths.set(toolkit, known);
  return known;
}

/** Runs tools, compiles what they write, and gives what is wrong with each, by folder; nothing for one that is right. */
export async function generate(toolkit: Toolkit, jobs: readonly Job[]): Promise<ReadonlyMap<string, string>> {
  const lines = jobs.map(({ folder, tool, args }) => [folder, tool, ...FLAGS[tool], '-d', folder, ...args].join('\t'));
  await java(toolkit, 'Generators.java', { input: lines.join('\n') });
  return new Map(jobs.map(({ folder }) => [folder, readFileSync(`${folder}.log`, 'utf8')]));
}

/** Runs a source file beside this one, and gives what it prints. */
export async function java(
  toolkit: Toolkit,
  file: string,
  { folders = [], args = [], input = '' }: { folders?: readonly string[]; args?: readonly string[]; input?: string },
): Promise<string> {
  const path = [...folders, await classPath(toolkit)].join(':');
  const source = fileURLToPath(new URL(file, import.meta.url));
  // Java 17 and older read sources in the encoding of the locale.
  const child = spawn('java', [...JVM, '-Dfile.encoding=UTF-8', '-cp', path, source, ...args], {
    env: cleanEnvironment({ no_proxy: '*' }),
  });
  child.stdin.end(input);
  const { code, stdout, stderr } = await finish(child);
  if (code !== 0) throw new Error(`${file} ended with ${code}\n${stderr}\n${stdout}`);
  return stdout;
}
