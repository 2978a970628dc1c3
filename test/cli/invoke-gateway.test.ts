import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, signalbox, start, temporaryFolder } from './support.ts';

describe('an operation of the running gateway', () => {
  test('is called at it from its own definitions, as a user of the sample', async () => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `sqlite:${join(folder, 'test.db')}` };
    const gateway = start(['serve'], { cwd: repository, env: { ...env, PORT: '0' } });
    const [, PORT = ''] = await gateway.until(/ready on http:\/\/127\.0\.0\.1:(\d+)/);
    const local = (...args: readonly string[]) =>
      signalbox(['invoke', ...args, '--node', 'LOCAL'], { cwd: repository, env: { PORT } });

    const content = Buffer.from('\0PDF\r\n--\xff'.repeat(50_000), 'latin1');
    const [report, copy] = [join(folder, 'report.pdf'), join(folder, 'copy.pdf')];
    writeFileSync(report, content);
    const put = await local(
      'ATTACHMENT_PUT',
      'name=report.pdf',
      'contentType=application/pdf',
      `content=@${report}`,
      '--json',
    );
    expect(put).toMatchObject({ code: 0, stderr: 'Calling as the sample user demo.\n' });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(JSON.parse(put.stdout)).toEqual({ name: 'report.pdf', length: content.length, sha256 });

    const get = await local('ATTACHMENT_GET', 'name=report.pdf', '--output', copy);
    expect(get.stdout).toContain('contentType  application/pdf\n');
    expect(readFileSync(copy).equals(content)).toBe(true);

    const none = await local('ATTACHMENT_GET', 'name=none.pdf', '--output', join(folder, 'none.pdf'));
    expect(none.stderr).toContain('signalbox: ATTACHMENT_GET: There is no attachment none.pdf.\n  Fault: Client\n');
    expect({ code: none.code, made: existsSync(join(folder, 'none.pdf')) }).toEqual({ code: 1, made: false });

    const guest = await local('ATTACHMENT_GET', 'name=report.pdf', '--user', 'guest:guest');
    // The guest's name is its password, which nothing repeats.
    expect(guest).toMatchObject({ code: 1, stderr: expect.stringContaining('User *** may not use') });
    expect((await local('LOCATIONS_GET', 'REGION=N')).stdout).toContain('LOC_DATA[0].CITY');

    // Over REST: without a SOAP form, and by the URI that is chosen.
    const file = await local('QAS_QUERYFILE_REST_GET', 'FileId=none', 'FileName=none.csv');
    expect(file.stderr).toContain('HTTP status 404, GET http://');
    const asked = await local('DOCUMENT_PUT', 'SiteName=HR', 'FileName=a.pdf', `File=@${report}`, '--dry-run');
    expect(asked.stdout).toMatch(/^PUT .*\/gateway\/RESTListeningConnector\/Documents\.v1\/HR\/a\.pdf/m);
    expect(asked.stdout).toContain('Content-Type: application/pdf');
    const one = await local('LOCATIONS_GET', 'REGION=N', 'LOCATION=NYC01', '--uri', '2');
    expect(one.stdout).toContain('EMP_DATA[0].NAME');
    const changed = await local('LOCATION_PATCH', 'REGION=N', 'LOCATION=NYC01', 'PHONE=1', '--uri', '1', '--json');
    expect(JSON.parse(changed.stdout)).toMatchObject({ LOCATION: 'NYC01', PHONE: '1' });
    const missing = await local('LOCATION_GET', 'REGION=N', 'LOCATION=NONE', '--uri', '1');
    expect(missing.stderr).toContain('There is no LOCATION_SETUP N/NONE.\n  HTTP status 404, GET http://');
  });

  test('wants to be told who calls, where others can listen in or there is no sample', async () => {
    const args = ['invoke', 'ATTACHMENT_GET', 'name=a', '--node', 'LOCAL'];
    for (const env of [{ HOST: '192.0.2.1' }, { SIGNALBOX_SAMPLE_USERS: 'off' }]) {
      const { code, stderr } = await signalbox(args, { cwd: repository, env });
      expect(stderr).toBe(
        'signalbox: ATTACHMENT_GET requires credentials\n  Pass --user NAME:PASSWORD, or set SIGNALBOX_USER and SIGNALBOX_PASSWORD.\n',
      );
      expect(code).toBe(1);
    }
  });

  test.each([
    [
      ['ATTACHMENT_GET', 'name=a'],
      'ATTACHMENT_GET is answered here and calls no other system\n  Pass --node LOCAL to call it at the running gateway.',
    ],
    [['QAS_QUERYFILE_REST_GET', 'FileNam=a', '--node', 'LOCAL'], 'Did you mean FileName?'],
  ])('%j', async (args, words) => {
    const { code, stderr } = await signalbox(['invoke', ...args], { cwd: repository });
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });

  test('one that is not running is said so', async () => {
    const { code, stderr } = await signalbox(['invoke', 'ATTACHMENT_GET', 'name=a', '--node', 'LOCAL'], {
      cwd: repository,
      env: { PORT: '9' },
    });
    expect(stderr).toContain(
      'signalbox: ATTACHMENT_GET: nothing listens at its address\n  POST http://127.0.0.1:9/gateway/',
    );
    expect(code).toBe(1);
  });
});
