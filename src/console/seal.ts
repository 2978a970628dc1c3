import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Seals texts with the token of a session, which no one else knows: for the tokens of its forms, and for what is reported after an
 * action, which travels in the address of the page that follows.
 */
export class Seal {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** @param purpose a seal of one purpose does not fit another */
  of(purpose: string, text = ''): string {
    return createHmac('sha256', this.#token).update(`${purpose}\0${text}`).digest('base64url');
  }

  opens(purpose: string, seal: string, text = ''): boolean {
    const [expected, given] = [Buffer.from(this.of(purpose, text)), Buffer.from(seal)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}
