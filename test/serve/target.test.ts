import { describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/serve/listen/request-target.ts';

const LIMIT = 64 * 1024;

describe('checkTarget', () => {
  it.each([
    ['/a/b?c=d', undefined],
    ['/a//b/', undefined],
    ['/a/.b/c..d/...', undefined],
    ['/a?x=../..', undefined],
    ['/a/%2e%2e%2e/b', undefined],
    ['/%2f..%2fetc', undefined],
  ])('takes %s as it is', (target) => {
    expect(checkTarget(target, 'host', LIMIT)).toBe(target);
  });

  it.each([
    ['http://host/a?b', '/a?b'],
    ['HTTP://HOST', '/'],
    ['http://host?x', '/?x'],
  ])('takes the absolute form %s of its own host', (target, origin) => {
    expect(checkTarget(target, 'host', LIMIT)).toBe(origin);
  });

  it.each([
    ['/a/../b', 'dot segment'],
    ['/a/..', 'dot segment'],
    ['/./a', 'dot segment'],
    ['/a/%2e%2E/b', 'dot segment'],
    ['/a/.%2e?x', 'dot segment'],
    ['/a/..;x=1/b', 'dot segment'],
    ['/a\\b', 'backslash'],
    ['/a#b', '"#"'],
    ['/caf\u00e9', 'visible ASCII'],
    ['/a b', 'visible ASCII'],
    ['/a\u0000', 'visible ASCII'],
    ['http://other/a', 'a different host'],
    ['ftp://host/a', 'absolute http URL'],
    ['host:80', 'absolute http URL'],
    ['', 'absolute http URL'],
  ])('refuses %j', (target, reason) => {
    expect(() => checkTarget(target, 'host', LIMIT)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(reason) }),
    );
  });

  it('refuses a target over the limit with 414', () => {
    expect(() => checkTarget(`/${'a'.repeat(LIMIT)}`, 'host', LIMIT)).toThrow(expect.objectContaining({ status: 414 }));
    expect(checkTarget(`/${'a'.repeat(LIMIT - 1)}`, 'host', LIMIT)).toHaveLength(LIMIT);
  });
});
