import type { SavedRecord, SaveOptions } from '../saved-record.ts';
import type { DocumentValue } from '../value.ts';

// The types that saves of components are written in. They hold at compile time only: nothing here runs.

/** Components by id: `Components` of `generated/types.ts`. */
export type ComponentTypes<S> = { [Id in keyof S]: { keys: object; given: object; record: object } };

/** Components of which nothing is known but what the definitions say at run time. */
export type AnyComponents = Record<string, { keys: DocumentValue; given: DocumentValue; record: DocumentValue }>;

/** What a save came to, with the record as the component has it. */
export interface TypedSaved<R> extends Omit<SavedRecord, 'record'> {
  /** See {@link SavedRecord.record}. */
  readonly record?: R;
}

/** What saves the project's own components. */
export interface TypedSaves<S extends ComponentTypes<S>> {
  /**
   * Saves a whole record of a component, with the events that follow.
   * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_BODY; what a class throws that runs before the save
   */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['given'],
    options?: SaveOptions & { readonly action?: 'create' | 'put' },
  ): Promise<TypedSaved<S[Id]['record']>>;
  /** The same with `patch`, which changes what it is given, null taking a field away, and with `delete`. */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['keys'] & Partial<S[Id]['given']>,
    options: SaveOptions & { readonly action: 'patch' | 'delete' },
  ): Promise<TypedSaved<S[Id]['record']>>;
}
