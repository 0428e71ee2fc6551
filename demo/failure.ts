/** Something that the demo needed did not happen. The message says what, for people. */
export class DemoFailure extends Error {
  override name = 'DemoFailure';
  /** What else helps, such as the end of a log. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** The person who watches has ended it. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
