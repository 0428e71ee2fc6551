import type { UnitReport } from '../../../src/player/scorm/sequencing/unit-tracking.ts';
import type { Navigation } from './navigation.ts';
import type { OnChange, ScormSession } from './scorm-session.ts';
import type { Scorm2004Start } from './scorm2004.ts';
import { loadScript } from './scripts.ts';
import type { Sequencer } from './sequencer.ts';
import type { UnitStart } from './server.ts';

/** The statuses of units that have not reported one. */
const SILENT = ['not attempted', 'unknown', ''];

/** The names under which courses look for the runtime. */
type RuntimeWindow = Window & { API?: unknown; API_1484_11?: unknown };

/** The runtime of an open unit. */
export interface UnitRuntime {
  session: ScormSession;
  /** Returns what the unit has reported; null for a standard without sequencing. */
  report: (() => UnitReport) | null;
  /** Ends a session that still runs, because the time of the unit is up. */
  timeOut(): void;
}

/** The parts of the page that a runtime needs. */
export interface RuntimeHost {
  onChange: OnChange;
  onNavigation: (navigation: Navigation) => void;
  sequencer: Sequencer | null;
}

/**
 * Loads the script of a unit's runtime.
 * @returns installs the runtime where the course looks for it. It must be there before the course loads, because many
 *   courses look only once. Null for a unit without a runtime
 * @throws {LostScript}
 */
export async function loadRuntime(
  script: UnitStart['script'],
): Promise<((start: UnitStart, host: RuntimeHost) => UnitRuntime) | null> {
  const runtime = window as RuntimeWindow;
  if (script === null) return null;
  if (script === 'scorm12') {
    const { scorm12Api } = await loadScript(() => import('./scorm12.ts'));
    return (start, { onChange }) => {
      const { session, api } = scorm12Api(start.data as { cmi: Record<string, unknown> }, onChange);
      runtime.API = api;
      const timeOut = () => endOverTime(session, 'cmi.core.exit', 'cmi.core.lesson_status');
      return { session, report: null, timeOut };
    };
  }
  const { scorm2004Api } = await loadScript(() => import('./scorm2004.ts'));
  return (start, { onChange, onNavigation, sequencer }) => {
    const data = start.data as Scorm2004Start;
    const { session, api, report } = scorm2004Api(data, onChange, onNavigation, sequencer);
    runtime.API_1484_11 = api;
    const timeOut = () => endOverTime(session, 'cmi.exit', 'cmi.completion_status');
    return { session, report, timeOut };
  };
}

/** Sets a missing status to incomplete: a unit that ends without a status would count as completed. */
function endOverTime(session: ScormSession, exit: string, status: string): void {
  if (SILENT.includes(session.getValue(status))) session.setValue(status, 'incomplete');
  session.setValue(exit, 'time-out');
  session.terminate();
}

/** Removes the runtime once its unit is closed. */
export function removeRuntime(): void {
  const runtime = window as RuntimeWindow;
  delete runtime.API;
  delete runtime.API_1484_11;
}
