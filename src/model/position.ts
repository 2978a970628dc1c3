/** A place in a definition file. Lines and columns count from 1; `file` is relative to the project's folder, with `/`. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
