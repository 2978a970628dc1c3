/** A first version of a file of the project's own code: it compiles, and says that its code is not written yet. */
export interface Stub {
  /** Below the folder of the handlers, without an ending. */
  readonly file: string;
  /** @param generated the folder of generated files, as the file's imports name it */
  text(generated: string): string;
}
