/** The messages between the benchmark and its sink. */

/** The sides of a comparison: the service, and its baselines: bare undici, or another process of the service. */
export const SIDES = ['raw', 'service', 'base'] as const;
export type Side = (typeof SIDES)[number];

/** The path to which each side posts. */
export const SIDE_PATHS: Record<Side, string> = { raw: '/raw', service: '/hook', base: '/base' };
/** The service's posts to this path are timed one by one. */
export const TIMED_PATH = '/timed';

/** How sides are compared. They take turns, so that a machine that is slow for a while affects all of them. */
export interface ComparisonPlan {
  /** The sides, and how many posts of each pass before the comparison starts. */
  warmUp: Partial<Record<Side, number>>;
  /** The number of turns of each side. */
  turns: number;
  turnMs: number;
  /** The comparison ends early after this many posts of the service. */
  servicePosts: number;
}

/** The posts that passed in a comparison. A side that is not compared has no turns and no posts. */
export interface Comparison {
  /** The posts in each turn, in the order of the turns. */
  turns: Record<Side, { posts: number; ms: number }[]>;
  /** All posts from the end of the warm-up to the end of the last turn, including those at the start of each turn. */
  posts: Record<Side, number>;
}

export type SinkCommand =
  /** Holds all posts when it ends, until they may pass again. */
  | { kind: 'compare'; plan: ComparisonPlan }
  | { kind: 'let-pass'; passing: boolean }
  | { kind: 'give-arrivals' };

export type SinkReport =
  | { kind: 'listening'; port: number }
  /** All sides of a comparison are warm. */
  | { kind: 'warm' }
  | { kind: 'comparison'; comparison: Comparison }
  /** The accounts in timed posts, and when these arrived, by the shared clock. Each is reported once. */
  | { kind: 'arrivals'; arrivals: [accountId: number, at: number][] };
