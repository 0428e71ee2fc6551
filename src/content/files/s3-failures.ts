import { ProblemError } from '../../problems/problem.ts';
import { RangeNotSatisfiableError } from './content-store.ts';
import { contentUnavailable } from './content-unavailable.ts';

const MISSING: readonly unknown[] = ['NoSuchKey', 'NotFound', 'NoSuchUpload'];
/** Failures of this machine's disk, for which the uploader gets another message. */
const LOCAL: readonly unknown[] = ['ENOENT', 'ENOSPC', 'EDQUOT', 'EACCES', 'EMFILE', 'ENFILE'];

/** Runs requests to S3. Any failure becomes a problem `unavailable`, with the SDK's error as its cause. */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError || error instanceof RangeNotSatisfiableError) throw error;
    if (LOCAL.includes((error as NodeJS.ErrnoException).code)) throw error;
    throw contentUnavailable(error);
  }
}

/** Null if the object does not exist. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (MISSING.includes((error as Error).name)) return null;
    throw error;
  }
}

/** The HTTP status of a rejected request. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}
