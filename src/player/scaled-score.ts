import { boundedScore } from './attempts/bounded-score.ts';

const PERCENT = 100;

/** The score of a scaled score, which standards give as a share of 1. Null if it is NaN. */
export function scaledScore(scaled: number): number | null {
  return boundedScore(scaled * PERCENT);
}
