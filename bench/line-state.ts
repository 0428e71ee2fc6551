/** The state of a line: its head is due now, or its target fails and the head waits for a retry. */
export type LineState = 'due' | 'blocked';
