import { WireError } from '../error.ts';

/** A message that is not what RFC 2046 section 5.1 calls multipart. */
export class MultipartError extends WireError {
  override readonly name = 'MultipartError';
  /** `cut`: the source ended before the message did. */
  readonly kind: 'syntax' | 'limit' | 'cut';

  constructor(kind: MultipartError['kind'], reason: string) {
    super(reason);
    this.kind = kind;
  }
}
