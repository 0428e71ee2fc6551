/**
 * How long, in ms, a test waits for something that must happen. On a quiet machine nothing takes a tenth of this. It is
 * generous because a wait that succeeds costs nothing, and one that gives up too early on a busy machine blames the
 * program for it. What must not happen is never shown by a wait that runs out.
 */
export const DEADLINE_MS = 60_000;

/**
 * How long, in ms, a whole test of many such waits may take. Longer than the waits: whoever reads the failure needs to
 * know which wait failed, and not that the test took long.
 */
export const TEST_TIMEOUT_MS = 600_000;
