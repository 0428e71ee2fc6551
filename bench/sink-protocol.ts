/** The messages between the bench and its sink. */

/** Who posts: the service, bare undici and another process of the service, both of which it may be held against. */
export const SIDES = ['raw', 'service', 'base'] as const;
export type Side = (typeof SIDES)[number];

/** Where each side posts to. */
export const SIDE_PATHS: Record<Side, string> = { raw: '/raw', service: '/hook', base: '/base' };
/** The service's posts to this path are timed one by one. */
export const TIMED_PATH = '/timed';

/** How sides are compared: they take turns, so that a machine that is slower for a while is so for all. */
export interface ComparisonPlan {
  /** The sides, and how many posts of each go through before it begins. */
  warmUp: Partial<Record<Side, number>>;
  /** Turns of each side. */
  turns: number;
  turnMs: number;
  /** The comparison ends early when so many of the service's posts came. */
  servicePosts: number;
}

/** What came through in the turns, in the order of the turns; nothing of a side that is not compared. */
export type Comparison = Record<Side, { posts: number; ms: number }[]>;

export type SinkCommand = { kind: 'compare'; plan: ComparisonPlan } | { kind: 'give-arrivals' };

export type SinkReport =
  | { kind: 'listening'; port: number }
  | { kind: 'comparison'; comparison: Comparison }
  /** The accounts that timed posts told of, and when they came, by the shared clock; forgotten when given. */
  | { kind: 'arrivals'; arrivals: [accountId: number, at: number][] };
