/** A message that is not what RFC 2046 section 5.1 calls multipart. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError';
  /** `cut`: the source ended before the message did. */
  readonly kind: 'syntax' | 'limit' | 'cut';
  /** A clause without a full stop. */
  readonly reason: string;

  constructor(kind: 'syntax' | 'limit' | 'cut', reason: string) {
    super(reason);
    this.kind = kind;
    this.reason = reason;
  }
}
