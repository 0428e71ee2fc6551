import type { UnitOpening } from '../course-runtime.ts';

/** What a unit is told of how it is opened: to learn, or to look at. */
export function lessonModeOf({ launch, isReview }: UnitOpening): 'normal' | 'browse' | 'review' {
  // An author who previews wants to see the course as learners do.
  if (launch.mode === 'preview') return 'normal';
  if (launch.mode === 'browse') return 'browse';
  return isReview ? 'review' : 'normal';
}
