/** Something that the demo needs did not happen. The message says what, for people. */
export class DemoFailure extends Error {
  override name = 'DemoFailure';
  /** Further details, such as the end of a log. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** The user has stopped the demo. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
