// What operators see of what waits, runs and has failed: declared once, and shown by the commands and by the console.

/** How much a state asks for attention. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A column of a list. Commands have its title in capitals. */
export interface ViewColumn<T> {
  readonly title: string;
  /** `undefined` leaves a cell empty. */
  readonly value: (row: T) => string | number | undefined;
  /** A count or a number; a moment in ISO 8601; seconds, shown as a length of time; an id, without its middle on a page; words that take room; prose, of which a list has the first line. */
  readonly kind?: 'count' | 'moment' | 'seconds' | 'id' | 'words' | 'prose';
}

/** The columns of a list by names of their own, in the order in which they are shown. */
export type View<T> = Readonly<Record<string, ViewColumn<T>>>;

/** An action of operators, as both ends offer it. */
export interface OperatorAction {
  readonly title: string;
  /** What happens, which is confirmed: a sentence about one. */
  readonly effect: string;
  /** What has happened, as a participle or a clause: `is on hold`. */
  readonly done: string;
  /** Nothing brings back what it ends. */
  readonly isDangerous?: true;
}
