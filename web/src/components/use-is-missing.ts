import { useState } from 'react';
import { isNotFound } from '../api/errors.ts';

/**
 * Whether a record is missing. It counts as missing until a read succeeds: while a query without data is fetched again, it
 * has no error, and what is shown instead of the record would be rebuilt each time.
 * @param id identifies the record, since a page may show another one later
 * @param isMissing whether an error means that the record is missing
 */
export function useIsMissing(
  id: unknown,
  { data, error }: { data: unknown; error: Error | null },
  isMissing: (error: Error | null) => boolean = isNotFound,
): boolean {
  const [missing, setMissing] = useState<{ id: unknown } | null>(null);
  const wasMissing = missing !== null && Object.is(missing.id, id);
  const isRead = error === null && data !== undefined;
  const is = isMissing(error) || (wasMissing && !isRead);
  if (is !== wasMissing) setMissing(is ? { id } : null);
  return is;
}
