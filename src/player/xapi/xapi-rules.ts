import { mergeStatus } from '../attempts/merge-status.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import type { StoredStatement } from '../lrs/xapi-types.ts';
import type { SessionRules, SessionSituation } from '../sessions/session-rules.ts';
import { nextSessionTimes } from '../sessions/session-times.ts';
import { readXapiUnit, statusOfStatement, visitMsOf } from './xapi-status.ts';

/** The names of the query parameters that a launch adds to the address of a unit. */
export const ADDRESS_PARAMETERS = ['endpoint', 'auth', 'actor', 'registration', 'activity_id'] as const;

/** The rules of xAPI courses. Every statement is accepted; those about the units of the course count. */
export const xapiRules: SessionRules = {
  addressParameters: ADDRESS_PARAMETERS,
  assertOpen() {},
  begin({ session, current, course, now }: SessionSituation) {
    const results: UnitResult[] = [];
    const resultOf = (unitId: string, statements: readonly StoredStatement[]): UnitResult => {
      const state = current.units.find((each) => each.unitId === unitId) ?? null;
      const unit = readXapiUnit(state);
      const times = nextSessionTimes(unit, state?.durationMs ?? 0, {
        sessionId: session.sessionId,
        reportedMs: Math.max(0, ...statements.map((each) => visitMsOf(each) ?? 0)),
        elapsedMs: unitId === session.unitId ? now - session.startedAt : 0,
      });
      const status = statements.reduce((merged, each) => {
        const { completion, ...reported } = statusOfStatement(each);
        // A statement that does not complete the unit does not begin another try either, so its score counts.
        const isDone = merged.completion === 'Completed';
        return mergeStatus(merged, { ...reported, completion: isDone ? 'Completed' : completion });
      }, unit.status);
      return {
        unitId,
        position: null,
        apply: () => ({
          data: { status, ...times },
          status,
          visitMs: times.earlierMs + times.sessionMs,
        }),
      };
    };
    return {
      admit() {},
      stored(statements) {
        const byObject = Map.groupBy(statements, ({ object }) => object.id);
        for (const { id } of course.units) {
          const about = byObject.get(id);
          if (about !== undefined) results.push(resultOf(id, about));
        }
      },
      outcome: () => ({ results, facts: session.facts, endedAt: null, statements: [] }),
    };
  },
};
