import type { UnitOpening } from '../course-runtime.ts';

/** The lesson mode that a unit reads: `normal`, `review` or `browse`. */
export function lessonModeOf({ launch, isReview }: UnitOpening): 'normal' | 'browse' | 'review' {
  // An author who previews wants to see the course as learners do.
  if (launch.mode === 'preview') return 'normal';
  if (launch.mode === 'browse') return 'browse';
  return isReview ? 'review' : 'normal';
}
