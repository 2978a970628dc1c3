import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has, run } from '../support.ts';

/** What the tests of tools in Java need, as the name of a test says it. */
export const needsMaven = 'needs mvn and a JDK';
export const hasMaven = has('mvn') && has('javac');

/**
 * Options of each JVM, which lives for seconds: code that is optimised, and threads that collect garbage, cost more of them than
 * they save.
 */
export const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Fixed, so that nothing changes unasked. */
const BUILD_CLASSPATH = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath';

/** WSS4J names it, needs it for SAML alone, and Maven does not have it without another repository. */
const WITHOUT_SAML =
  '<exclusions><exclusion><groupId>org.opensaml</groupId><artifactId>*</artifactId></exclusion></exclusions>';

/**
 * The class path of artifacts, each `group:artifact:version`, and of what they need. Maven takes them from the folder that
 * it keeps in the user's home; what is missing there it fetches.
 * @throws what Maven printed, where it can't
 */
export async function classPathOf(artifacts: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-maven-'));
  try {
    const dependencies = artifacts.map((artifact) => {
      const [group, name, version] = artifact.split(':');
      return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>${WITHOUT_SAML}</dependency>`;
    });
    const pom = join(folder, 'pom.xml');
    writeFileSync(
      pom,
      `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>test</groupId>` +
        `<artifactId>test</artifactId><version>1</version><packaging>pom</packaging>` +
        `<dependencies>${dependencies.join('')}</dependencies></project>`,
    );
    return await classPathOfPom(pom);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The class path of what a pom.xml declares.
 * @throws what Maven printed, where it can't get it
 */
export async function classPathOfPom(pom: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-maven-'));
  try {
    const file = join(folder, 'classpath');
    const args = ['-B', '-q', '-f', pom, BUILD_CLASSPATH, `-Dmdep.outputFile=${file}`];
    const { code, stdout } = await run('mvn', args, { MAVEN_OPTS: JVM.join(' ') });
    if (code !== 0) throw new Error(`Maven can't get what ${pom} declares\n${readFileSync(pom, 'utf8')}\n${stdout}`);
    return readFileSync(file, 'utf8').trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
