import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Seals what is reported after an action with the token of the session, which no one else knows: it travels in the address of the
 * page that follows.
 */
export class Seal {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** @param kind a seal of one kind of report does not fit another */
  of(kind: string, text: string): string {
    return createHmac('sha256', this.#token).update(`notice\0${kind}\0${text}`).digest('base64url');
  }

  fits(kind: string, text: string, seal: string): boolean {
    const [expected, given] = [Buffer.from(this.of(kind, text)), Buffer.from(seal)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}
