/** A learner of the demo's course. */
export interface Learner extends AsyncDisposable {
  /** How they learn, for people: "in a headless browser". */
  readonly way: string;
  /** Opens a launch link and begins its course. @throws {DemoFailure} */
  begin(launchUrl: string): Promise<void>;
  /** Passes the course with every answer right, and leaves it. @throws {DemoFailure} */
  pass(): Promise<void>;
}
