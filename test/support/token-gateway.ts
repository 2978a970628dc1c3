import { afterAll, beforeAll } from 'vitest';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { type Issuer, startIssuer, tokenProject } from './issuer.ts';

/** An issuer, and a gateway that accepts its tokens, for the tests of one file. */
export function withTokenGateway(take: (gateway: TestGateway, issuer: Issuer) => void): void {
  let issuer: Issuer;
  let gateway: TestGateway;
  beforeAll(async () => {
    issuer = await startIssuer();
    gateway = await startTestGateway({ files: tokenProject(issuer) });
    take(gateway, issuer);
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.close();
  });
}
