/**
 * How long, in ms, a test waits for something that must happen. On a quiet machine nothing takes a tenth of this. It is
 * generous because a wait that succeeds costs nothing, and one that ends too early on a busy machine blames the
 * program for it. No test uses a timeout to show that something does not happen.
 */
export const DEADLINE_MS = 60_000;

/**
 * How long, in ms, a whole test of many such waits may take. It is longer than the waits, because a reader of the failure
 * needs to know which wait failed, not that the test took long.
 */
export const TEST_TIMEOUT_MS = 600_000;
