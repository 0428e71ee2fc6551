/** Someone who learns the demo's course, as far as the demo leads them. */
export interface Learner extends AsyncDisposable {
  /** How they learn, for people: "in a headless browser". */
  readonly way: string;
  /** Opens a launch link and begins its course. @throws {DemoFailure} */
  begin(launchUrl: string): Promise<void>;
  /** Passes the course that was begun, with every answer right, and leaves it. @throws {DemoFailure} */
  pass(): Promise<void>;
}
