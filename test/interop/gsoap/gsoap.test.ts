import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../cli/support.ts';
import { writeColliding } from '../colliding.ts';
import { connectorOf } from '../soap-support.ts';
import { has, type Served, serve, shell } from '../support.ts';

const needs = 'needs gsoap, libgsoap-dev and g++';
const compiles = spawnSync('g++', ['-fsyntax-only', '-x', 'c++', '-'], { input: '#include <stdsoap2.h>' }).status === 0;
const isHere = has('wsdl2h', '-V') && has('soapcpp2', '-V') && compiles;
const services = readdirSync(join(repository, 'generated/contracts')).filter((name) => name.endsWith('.wsdl'));
const colliding = 'Collide.v1.wsdl';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-gsoap-'));
let gateway: Served;
beforeAll(async () => {
  if (!isHere) return;
  writeColliding(folder, 'wsdl');
  gateway = await serve();
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes classes for C++ from a WSDL and compiles them. */
async function build(wsdl: string): Promise<string> {
  const address = wsdl === colliding ? join(folder, colliding) : `${connectorOf(gateway)}/${wsdl}`;
  const inside = join(folder, wsdl.replace('.wsdl', ''));
  mkdirSync(inside);
  const { code, stdout, stderr } = await shell(
    `cd '${inside}' && wsdl2h -o service.h '${address}' && soapcpp2 -j -C -x -I/usr/share/gsoap/import service.h && g++ -w -c soap*.cpp`,
  );
  expect(code, stdout + stderr).toBe(0);
  return inside;
}

describe(`a client in C++ is generated from a WSDL by gSOAP, and compiles (${needs})`, () => {
  test.skipIf(!isHere).each([...services.filter((wsdl) => wsdl !== 'Locations.v1.wsdl'), colliding])(
    '%s',
    async (wsdl) => {
      await build(wsdl);
    },
  );

  test.skipIf(!isHere)('Locations.v1.wsdl, which then calls the gateway', async () => {
    const inside = await build('Locations.v1.wsdl');
    const program = fileURLToPath(new URL('locations.cpp', import.meta.url));
    const { code, stdout, stderr } = await shell(
      `cd '${inside}' && g++ -w -I. '${program}' soap*.o -lgsoap++ -o locations && ./locations '${connectorOf(gateway)}'`,
    );
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toEqual(['BOS01', 'MTL01', 'NYC01', 'NYC02', '']);
  });
}, 120_000);
