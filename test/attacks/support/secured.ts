import { afterAll, beforeAll, expect } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { ENV, PROJECT } from './wss.ts';

/** A gateway of {@link PROJECT} for the tests of a file, which at its end has nothing of its own to complain about. */
export function withSecuredGateway(take: (gateway: TestGateway) => void): void {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: PROJECT, env: ENV });
    take(gateway);
  });
  afterAll(async () => {
    expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
    await gateway.stop();
  });
}
