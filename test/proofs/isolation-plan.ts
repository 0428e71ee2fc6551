/** The task of the delivering process of the isolation proof. */
export interface IsolationPlan {
  /** A webhook for each. */
  readonly goodUrls: readonly string[];
  /** Targets that hang, crawl, refuse and so on: a webhook for each. */
  readonly badUrls: readonly string[];
  /** Address and port of the name server. */
  readonly nameServer: string;
  readonly ticks: number;
  /** Time between two ticks, in milliseconds. */
  readonly tickMs: number;
  /** Messages to good webhooks at each tick; a bad webhook gets one, too. */
  readonly messagesPerTick: number;
}

/** Its measurements of itself. */
export interface IsolationMeasurement {
  /** Largest resident set, in bytes. */
  readonly peakBytes: number;
  /** Longest time in which the event loop did not turn, in milliseconds of processor time. */
  readonly longestStallMs: number;
}
