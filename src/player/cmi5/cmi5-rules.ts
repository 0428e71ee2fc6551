import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { CMI5_PARAMETERS } from '../../course-packages/standards/cmi5-parameters.ts';
import { ProblemError } from '../../problems/problem.ts';
import { HOUR_MS } from '../../time/units.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import type { SessionRules, SessionSituation } from '../sessions/session-rules.ts';
import { admitStatement } from './cmi5-admission.ts';
import {
  factsOf,
  isTerminatedBefore,
  type SessionFacts,
  sessionFactsOf,
  type UnitFacts,
} from './cmi5-facts.ts';
import { assertPreferences, PREFERENCES } from './cmi5-preferences.ts';
import { consequences, openTimeOf, withStatement } from './cmi5-progress.ts';
import { type Cmi5Verb, cmi5VerbOf } from './cmi5-vocabulary.ts';

/**
 * How long a terminated session that sends its statements again, once the connection is back, is answered that they are
 * stored. It must not send any (cmi5 section 9.3), so they are refused nevertheless.
 */
const SENT_AGAIN_MS = HOUR_MS;

/** The rules of cmi5: the order of statements in a session, their contents, and their effect on progress. */
export const cmi5Rules: SessionRules = {
  addressParameters: CMI5_PARAMETERS,
  assertOpen(session, lastRequest, { isRepeated = false } = {}) {
    const facts = sessionFactsOf(session);
    if (facts.abandoned || isTerminatedBefore(facts, lastRequest)) {
      throw new ProblemError('forbidden', 'cmi5: The session has ended (8.1.2)', {
        members: { reason: isRepeated ? 'repeated' : 'session-ended' },
      });
    }
  },
  maySendAgain(session, now) {
    const { terminated, abandoned } = sessionFactsOf(session);
    return terminated && !abandoned && now - (session.endedAt ?? now) < SENT_AGAIN_MS;
  },
  launchDataOf: packageDataOf,
  admitDocument: assertPreferences,
  factsAfterReading({ facts }, kind, id) {
    if (kind !== 'agent-profile' || id !== PREFERENCES) return null;
    return (facts as SessionFacts).preferencesRead ? null : { ...facts, preferencesRead: true };
  },
  begin({ session, current, course, unit, lastRequest, now, baseUrl }: SessionSituation) {
    const stored = current.units.find(({ unitId }) => unitId === session.unitId) ?? null;
    let facts: { session: SessionFacts; unit: UnitFacts } = {
      session: sessionFactsOf(session),
      unit: factsOf(stored),
    };
    const verbs = new Map<string, Cmi5Verb | null>();
    let counts = false;
    // The clock may have been set back.
    const elapsedMs = Math.max(0, now - session.startedAt);
    return {
      admit(statements) {
        // Each statement is checked against the progress after those before it.
        let sofar = facts;
        for (const statement of statements) {
          const verb = admitStatement(statement, {
            session,
            unit,
            facts: sofar.session,
            unitFacts: sofar.unit,
            lastRequest,
          });
          verbs.set(String(statement.id).toLowerCase(), verb);
          sofar = withStatement(sofar, statement, { verb, elapsedMs, lastRequest });
        }
      },
      stored(statements) {
        for (const statement of statements) {
          const verb = verbs.get(statement.id) ?? null;
          if (verb !== null && cmi5VerbOf(statement.verb.id) === verb) counts = true;
          facts = withStatement(facts, statement, { verb, elapsedMs, lastRequest });
        }
      },
      outcome() {
        const changed = new Map(counts ? [[unit.id, facts.unit]] : []);
        const openMs = openTimeOf(facts.session);
        const { results, statements } = counts
          ? consequences({ course, current, session, changed, openMs, now, baseUrl })
          : { results: [], statements: [] };
        return {
          results,
          statements,
          facts: facts.session,
          endedAt: facts.session.terminated ? (session.endedAt ?? now) : session.endedAt,
        };
      },
    };
  },
};

/** The part of `LMS.LaunchData` that comes from the package (cmi5 section 10). */
export function packageDataOf({ launchData, cmi5 }: LaunchUnit): JsonObject {
  return {
    ...(launchData === null ? {} : { launchParameters: launchData }),
    ...(cmi5?.entitlementKey == null ? {} : { entitlementKey: { courseStructure: cmi5.entitlementKey } }),
  };
}
