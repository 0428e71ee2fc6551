/** Exits that end the whole course, whatever else the unit requested (Run-Time Environment 4.2.8). */
export const EXITS_OF_ALL: readonly unknown[] = ['time-out', 'logout'];
