/** Maximum length of a path in UTF-8. S3 accepts as many for a whole key. */
export const MAX_PATH_BYTES = 1_024;
const MAX_SEGMENT_BYTES = 255;

/**
 * Whether a path names a file below a version's folder and nothing else, on every system. It must be relative, without
 * backslashes, control characters and drive letters. No segment between the `/` may be empty, `.` or `..`.
 */
export function isFilePath(path: string): boolean {
  if (path === '' || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES) return false;
  if (/[\p{Cc}\\]/u.test(path) || /^[a-z]:/i.test(path)) return false;
  return path
    .split('/')
    .every(
      (segment) =>
        segment !== '' &&
        segment !== '.' &&
        segment !== '..' &&
        Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES,
    );
}
