/** Slightly less than the largest body of the API, so that the body is read and parsed. */
export const BODY_LENGTH = 1_048_000;

/** A JSON array that repeats one text up to {@link BODY_LENGTH}. */
export function arrayOf(item: string): string {
  return `[${Array.from({ length: Math.floor(BODY_LENGTH / (item.length + 1)) }, () => item).join()}]`;
}
