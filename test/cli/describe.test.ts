import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, staffProject } from './fixture.ts';
import { repository, signalbox, signalboxProcess } from './support.ts';

test.concurrent('wadl to standard output, with the address at which the gateway listens', async () => {
  const { code, stdout, stderr } = await signalboxProcess(['describe', 'wadl', 'Staff.v1'], {
    cwd: await staffProject(),
  });
  expect(stdout).toContain('<application');
  expect(stdout).toContain('base="http://127.0.0.1:8080/gateway/RESTListeningConnector/');
  expect(stdout).toMatch(/>\n$/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.concurrent('openapi to a file, for another address', async () => {
  const cwd = await staffProject();
  const args = ['describe', 'openapi', 'Staff.v1', '-o', 'out/staff.json', '--base', 'https://api.example.com/'];
  expect(await signalbox(args, { cwd })).toEqual({
    code: 0,
    signal: null,
    stdout: '',
    stderr: 'Wrote out/staff.json.\n',
  });
  const contract = JSON.parse(await readFile(join(cwd, 'out/staff.json'), 'utf8')) as { openapi: string };
  expect(contract.openapi).toMatch(/^3\.1/);
  expect(JSON.stringify(contract)).toContain('https://api.example.com/gateway/');
});

test.concurrent('xsd; and the name alone means the default version', async () => {
  const { code, stdout } = await signalbox(['describe', 'xsd', 'Staff'], { cwd: await staffProject() });
  expect(stdout).toContain('schema');
  expect(code).toBe(0);
});

/** A service over SOAP alone, beside the one over REST. */
const notes = `service: Notes.v1
operations:
  NOTES_GET:
    soap: true
    query: EMPLOYEES_BY_DEPT
    public: true
`;

test.concurrent('wsdl, with the address of the services connector', async () => {
  const cwd = await staffProject({ 'definitions/notes/service.yaml': notes });
  const { code, stdout, stderr } = await signalbox(['describe', 'wsdl', 'Notes.v1'], { cwd });
  expect(stdout).toContain('<wsdl:operation name="NOTES_GET">');
  expect(stdout).toContain('location="http://127.0.0.1:8080/gateway/PeopleSoftServiceListeningConnector"');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.concurrent.for([
  ['wsdl', 'Staff.v1', 'SOAP', 'wadl openapi xsd'],
  ['wadl', 'Notes.v1', 'REST', 'wsdl xsd'],
  ['openapi', 'Notes.v1', 'REST', 'wsdl xsd'],
] as const)('%s of %s, which has nothing over %s: what it has', async ([form, service, entrance, forms]) => {
  const cwd = await staffProject({ 'definitions/notes/service.yaml': notes });
  const { code, stdout, stderr } = await signalbox(['describe', form, service], { cwd });
  const has = forms.split(' ').map((each) => `signalbox describe ${each} ${service}`);
  expect(stderr).toBe(`signalbox: ${service} has no operations over ${entrance}\n  Available: ${has.join(', ')}\n`);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.concurrent('publicUrl is the address where the gateway has one', async () => {
  const gateway = `${files['definitions/gateway.yaml']}publicUrl: https://services.example.org\n`;
  const { stdout } = await signalbox(['describe', 'wadl', 'Staff.v1'], {
    cwd: await staffProject({ 'definitions/gateway.yaml': gateway }),
  });
  expect(stdout).toContain('https://services.example.org/gateway/RESTListeningConnector/');
});

test.concurrent('a service that is not there: what was probably meant', async () => {
  const { code, stdout, stderr } = await signalbox(['describe', 'wadl', 'Stuff.v1'], { cwd: await staffProject() });
  expect(stderr).toBe('signalbox: there is no service Stuff.v1\n  Did you mean Staff.v1?\n');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test.concurrent('xsd -o writes what the schema imports beside it', async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-describe-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const args = ['describe', 'xsd', 'Locations.v1', '-o', join(folder, 'locations.xsd')];
  const { code, stderr } = await signalbox(args, { cwd: repository });
  expect(code, stderr).toBe(0);
  expect(await readFile(join(folder, 'locations.xsd'), 'utf8')).toContain('schemaLocation="Locations.v1.none.xsd"');
  expect(await readFile(join(folder, 'Locations.v1.none.xsd'), 'utf8')).toContain('<xs:element name="data">');
  expect(stderr).toContain('Locations.v1.none.xsd, which it imports.');
});
