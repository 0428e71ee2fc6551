import { Scorm2004API } from 'scorm-again/scorm2004/min';
import { allowLongText, MOST_LOCATION, MOST_SUSPEND_DATA } from './long-texts.ts';
import { type Engine, type OnChange, ScormSession } from './scorm-session.ts';
import { NOTHING_SENT, type Sequencer } from './sequencer.ts';

const NO_LOG = 5;

/** What the server says of a unit. */
export interface Scorm2004Start {
  cmi: Record<string, unknown>;
  /** All units, in the order of the contents. */
  units: string[];
  unit: string;
}

/** Where a unit wants to go once it has terminated. */
export type Navigation =
  | { to: 'continue' | 'previous' | 'exit' | 'suspend' | 'abandon' }
  | { to: 'unit'; unit: string };

/**
 * The API of SCORM 2004, for `window.API_1484_11`.
 * @param sequencer leads through the units, where the course has sequencing: it decides where navigation goes
 */
export function scorm2004Api(
  data: Scorm2004Start,
  onChange: OnChange,
  onNavigation: (navigation: Navigation) => void,
  sequencer: Sequencer | null = null,
) {
  let request = '';
  const session = new ScormSession(
    (cmi) =>
      engineOf(
        cmi === null ? data.cmi : resumed(cmi),
        data,
        (asked) => {
          request = asked;
        },
        sequencer,
      ),
    (how) => {
      onChange(how);
      const navigation = how === 'terminate' && sequencer === null ? navigationOf(request) : null;
      if (navigation !== null) onNavigation(navigation);
    },
  );
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
  return { session, api };
}

function engineOf(
  cmi: Record<string, unknown>,
  { units, unit }: Scorm2004Start,
  onRequest: (request: string) => void,
  sequencer: Sequencer | null,
): Engine {
  const inner =
    sequencer?.engine ??
    new Scorm2004API({
      autocommit: false,
      lmsCommitUrl: 'none',
      logLevel: NO_LOG,
      httpService: NOTHING_SENT as never,
    });
  if (sequencer !== null) inner.reset();
  allowLongText(inner.cmi, 'suspend_data', MOST_SUSPEND_DATA);
  allowLongText(inner.cmi, 'location', MOST_LOCATION);
  inner.loadFromJSON({ cmi } as never);
  const at = units.indexOf(unit);
  const possible: Record<string, boolean> =
    sequencer !== null
      ? {}
      : {
          'adl.nav.request_valid.continue': at < units.length - 1,
          'adl.nav.request_valid.previous': at > 0,
        };
  return {
    initialize: () => inner.Initialize(''),
    terminate: () => {
      onRequest(String((inner as unknown as { adl: { nav: { request: string } } }).adl.nav.request));
      return inner.Terminate('');
    },
    getValue: (element) => {
      const value = String(inner.GetValue(element));
      return value === 'unknown' && element in possible ? String(possible[element]) : value;
    },
    setValue: (element, value) => inner.SetValue(element, value),
    commit: () => inner.Commit(''),
    lastError: () => String(inner.GetLastError()),
    errorString: (code) => inner.GetErrorString(code),
    diagnostic: (code) => inner.GetDiagnostic(code),
    read: () => (inner.renderCMIToJSONObject() as unknown as { cmi: Record<string, unknown> }).cmi,
  };
}

function navigationOf(request: string): Navigation | null {
  const target = /^\{target=(.+)\}(?:choice|jump)$/.exec(request)?.[1];
  if (target !== undefined) return { to: 'unit', unit: target };
  switch (request) {
    case 'continue':
    case 'previous':
      return { to: request };
    case 'exit':
    case 'exitAll':
      return { to: 'exit' };
    case 'suspendAll':
      return { to: 'suspend' };
    case 'abandon':
    case 'abandonAll':
      return { to: 'abandon' };
    default:
      return null;
  }
}

/** What a course finds that initializes again in the same page: all that it left. */
function resumed(cmi: Record<string, unknown>): Record<string, unknown> {
  return { ...cmi, entry: cmi.exit === 'suspend' ? 'resume' : '', exit: '', session_time: 'PT0S' };
}
