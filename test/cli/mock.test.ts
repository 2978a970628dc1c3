import { expect, test } from 'vitest';
import { repository, signalbox } from './support.ts';

test.each([
  [['--node', 'THIRD_PARTIES'], 'there is no node THIRD_PARTIES', 'Did you mean THIRD_PARTY?'],
  [['--node', 'LOCAL'], 'there is no node LOCAL', 'THIRD_PARTY'],
  [['--port', '65536'], "--port takes a whole number from 0 to 65535, not '65536'", ''],
  [['--seed', 'x'], "--seed takes a whole number from 0 to 4294967295, not 'x'", ''],
  [['--latency', '-1'], '--latency', 'It takes a time such as'],
  [['--latency', '200'], '--latency', "Write '200 ms', '200 s',"],
  [['--latency', '6m'], '--latency', 'at most 5 m'],
])('mock %s is refused', async (args, what, hint) => {
  const { code, stdout, stderr } = await signalbox(['mock', ...args], { cwd: repository });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(what);
  expect(stderr).toContain(hint);
});

test('an address that is not of this machine is said to be that of --host', async () => {
  const { code, stderr } = await signalbox(['mock', '--host', '192.0.2.1'], { cwd: repository });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /can't listen on 192\.0\.2\.1:8090: .*\n {2}--port .* --host takes an address of this machine\.\n/,
  );
});
