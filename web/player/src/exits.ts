/** Exits after which nothing of the course goes on, whatever else the unit asked for (Run-Time Environment 4.2.8). */
export const EXITS_OF_ALL: readonly unknown[] = ['time-out', 'logout'];
