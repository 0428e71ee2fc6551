import { durationMs, durationOf } from '../../../src/player/scorm/scorm2004-status.ts';
import type { UnitReport } from '../../../src/player/scorm/sequencing/unit-tracking.ts';
import type { AdlHost } from './adl-model.ts';
import { EXITS_OF_ALL } from './exits.ts';
import { type Navigation, navigationOf, targetOf } from './navigation.ts';
import { type OnChange, ScormSession } from './scorm-session.ts';
import { Scorm2004Engine } from './scorm2004-engine.ts';
import type { Sequencer } from './sequencer.ts';

/** The initial data of a unit, from the server. */
export interface Scorm2004Start {
  cmi: Record<string, unknown>;
  /** All units, in the order of the contents. */
  units: string[];
  unit: string;
}

/**
 * The API of SCORM 2004, for `window.API_1484_11`.
 * @param sequencer decides where navigation leads; null for a course without sequencing
 */
export function scorm2004Api(
  data: Scorm2004Start,
  onChange: OnChange,
  onNavigation: (navigation: Navigation) => void,
  sequencer: Sequencer | null = null,
) {
  const totalMs = durationMs(String(data.cmi.total_time ?? '')) ?? 0;
  const set = new Set<string>();
  let request = '';
  const adl = sequencer?.hostOf(data.unit) ?? plainHost(data);
  const given =
    sequencer === null ? data.cmi : { ...data.cmi, objectives: sequencer.objectivesOf(data.unit, data.cmi) };
  const reportOf = (cmi: Record<string, unknown>): UnitReport => ({
    cmi,
    set,
    elapsedMs: session.elapsedMs,
  });
  const session = new ScormSession({
    timeIn: (cmi) => durationMs(String(cmi.session_time ?? '')),
    makeEngine: (left, earlierMs) =>
      new Scorm2004Engine(left === null ? given : resumed(left, totalMs + earlierMs), {
        adl,
        onSet: (element) => set.add(element),
        onTerminated: (cmi, asked) => {
          request = EXITS_OF_ALL.includes(cmi.exit) ? 'exitAll' : asked;
          sequencer?.terminated(data.unit, reportOf(cmi), asked);
        },
        canSuspend: () => sequencer?.endsUnit !== true,
      }),
    onChange(how) {
      onChange(how);
      const navigation = how === 'terminate' && sequencer === null ? navigationOf(request) : null;
      if (navigation !== null) onNavigation(navigation);
    },
    isNewAttempt: sequencer?.isResumed === false,
  });
  const api = {
    Initialize: session.initialize,
    Terminate: session.terminate,
    GetValue: session.getValue,
    SetValue: session.setValue,
    Commit: session.commit,
    GetLastError: session.lastError,
    GetErrorString: session.errorString,
    GetDiagnostic: session.diagnostic,
  };
  /** What the unit has reported so far. */
  const report = () => reportOf(session.snapshot().cmi);
  return { session, api, report };
}

/** Without sequencing, a unit may request the next, the previous and any other unit. */
function plainHost({ units, unit }: Scorm2004Start): AdlHost {
  const at = units.indexOf(unit);
  return {
    isValid(request) {
      if (request === 'continue') return String(at < units.length - 1) as 'true' | 'false';
      if (request === 'previous') return String(at > 0) as 'true' | 'false';
      const target = targetOf(request);
      return target === undefined || !units.includes(target) ? 'unknown' : 'true';
    },
    hasTarget: (id) => units.includes(id),
    stores: [],
    read: () => null,
    write() {},
  };
}

/** The data for a course that initializes again in the same page: everything that it has reported. */
function resumed(cmi: Record<string, unknown>, totalMs: number): Record<string, unknown> {
  const entry = cmi.exit === 'suspend' ? 'resume' : '';
  return { ...cmi, entry, exit: '', session_time: 'PT0S', total_time: durationOf(totalMs) };
}
