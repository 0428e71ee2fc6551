/** The time of a session of a unit, in milliseconds. It only grows. */
interface SessionTime {
  sessionId: string;
  /** The time that counts. */
  sessionMs: number;
  /** The longest time that the session has reported itself; null if it has reported none. */
  reportedMs: number | null;
}

/** The time of a unit whose sessions call the server themselves. It is part of the stored data of the unit. */
export interface SessionTimes {
  /** The latest session that counted, with its time as in {@link SessionTime}; null before the first. */
  sessionId: string | null;
  sessionMs: number;
  reportedMs: number | null;
  /** The time of all other sessions. */
  earlierMs: number;
  /**
   * Sessions that counted shortly before. Two are open at once if the page was loaded again while the course had its own window, and the last data of a closed one
   * may arrive late.
   */
  others: readonly SessionTime[];
}

/** More sessions of a unit are hardly open at once. */
const MAX_OTHERS = 4;

/** Reads the times in the stored data of a unit. Earlier releases did not store all of them. */
export function readSessionTimes(data: Partial<SessionTimes>): SessionTimes {
  const { sessionId = null, sessionMs = 0, reportedMs = null, earlierMs = 0, others = [] } = data;
  return { sessionId, sessionMs, reportedMs, earlierMs, others };
}

/**
 * The times after a session has sent something. The longest time that it has reported counts. If it has reported none,
 * the time since it began counts.
 * @param durationMs the recorded time of all sessions
 */
export function nextSessionTimes(
  { sessionId, sessionMs, reportedMs, earlierMs, others }: SessionTimes,
  durationMs: number,
  session: { sessionId: string; reportedMs: number | null; elapsedMs: number },
): SessionTimes {
  const latest = sessionId === null ? [] : [{ sessionId, sessionMs, reportedMs }];
  const known = [...latest, ...others];
  const own = known.find((each) => each.sessionId === session.sessionId);
  const longestMs = Math.max(own?.reportedMs ?? 0, session.reportedMs ?? 0) || null;
  const isLatest = sessionId === session.sessionId;
  return {
    sessionId: session.sessionId,
    sessionMs: Math.max(own?.sessionMs ?? 0, longestMs ?? session.elapsedMs),
    reportedMs: longestMs,
    // A session may report less time than was recorded, which stays recorded.
    earlierMs: isLatest ? earlierMs : durationMs - (own?.sessionMs ?? 0),
    others: isLatest ? others : known.filter((each) => each !== own).slice(0, MAX_OTHERS),
  };
}
