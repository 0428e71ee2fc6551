import { isProblem } from './errors.ts';
import { request } from './request.ts';

/** Hundreds of thousands of records take minutes. */
const DEADLINE_MS = 600_000;
const HTTP_NOT_FOUND = 404;

/**
 * Deletes a record with all that belongs to it, which may be a lot. Succeeds if it no longer exists: the service finishes
 * a deletion even if a proxy has stopped waiting, and a repetition then finds nothing.
 */
export async function deleteWithBelongings(path: string): Promise<void> {
  try {
    await request('DELETE', path, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!isProblem(error, HTTP_NOT_FOUND)) throw error;
  }
}
