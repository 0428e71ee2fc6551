import {
  ApiError,
  isForbidden,
  isNotFound,
  isOutdated,
  isRateLimited,
  isUnavailable,
  UnreachableError,
} from '../api/errors.ts';
import { errors } from '../texts/errors.ts';

/** An error, in words for people. */
export interface Explanation {
  /** What happened. */
  title: string;
  /** The detail from the service; empty if the title is sufficient. */
  detail: string;
  /** What to do. */
  advice: string;
}

/** Error messages of browsers for a missing part of the UI: the service was updated after the page was opened. */
const PART_MISSING = /dynamically imported module|importing a module script failed|preload CSS/i;

/** Whether an error says that a part of the UI could not be loaded. */
export function isPartMissing(error: unknown): boolean {
  return PART_MISSING.test(String(error));
}

/** What happened and what to do about it. Never a stack trace. */
export function explainError(error: unknown): Explanation {
  if (error instanceof UnreachableError) return { ...errors.unreachable, detail: '' };
  if (!(error instanceof ApiError)) {
    if (isPartMissing(error)) return { ...errors.updated, detail: '' };
    return { ...errors.refused, detail: String(error) };
  }
  if (error.code === 'webhooks-read-only') return { ...errors.readOnly, detail: '' };
  if (error.code === 'conflict') return { ...errors.conflict, detail: error.message };
  if (isForbidden(error)) return { ...errors.forbidden, detail: error.message };
  if (isNotFound(error)) return { ...errors.missing, detail: error.message };
  if (isOutdated(error)) return { ...errors.changed, detail: '' };
  if (isRateLimited(error))
    return { title: errors.tooMany.title, detail: '', advice: errors.tooMany.advice(error.retryAfter) };
  if (isUnavailable(error)) return { ...errors.unavailable, detail: error.message };
  if (error.status >= 500) return { ...errors.internal, detail: '' };
  return { title: error.title || errors.refused.title, detail: error.message, advice: errors.refused.advice };
}
