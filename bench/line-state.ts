/** How a line is: its head is due now, or its target fails and the head waits for another attempt. */
export type LineState = 'due' | 'blocked';
