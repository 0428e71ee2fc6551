type MakeApi<A> = (
  data: unknown,
  ...listeners: (() => void)[]
) => { api: A; session: { snapshot(): { cmi: Record<string, unknown> } } };

/** The types of these modules resolve only in the UI's own project, so the import hides them from the compiler. */
const SOURCES = '../../../web/player/src';
const { scorm12Api } = (await import(`${SOURCES}/scorm12.ts`)) as { scorm12Api: MakeApi<Scorm12Calls> };
const { scorm2004Api } = (await import(`${SOURCES}/scorm2004.ts`)) as {
  scorm2004Api: MakeApi<DataModelApi>;
};

type Scorm12Calls = Record<
  | 'LMSInitialize'
  | 'LMSFinish'
  | 'LMSGetValue'
  | 'LMSSetValue'
  | 'LMSCommit'
  | 'LMSGetLastError'
  | 'LMSGetErrorString'
  | 'LMSGetDiagnostic',
  (...values: unknown[]) => string
>;

export type ScormVersion = '1.2' | '2004';

/** The calls of a course, by their names in SCORM 2004. */
export interface DataModelApi {
  Initialize(parameter: unknown): string;
  Terminate(parameter: unknown): string;
  GetValue(element: unknown): string;
  SetValue(element: unknown, value: unknown): string;
  Commit(parameter: unknown): string;
  GetLastError(): string;
  GetErrorString(code: unknown): string;
  GetDiagnostic(code: unknown): string;
}

/** A unit of the player page, without a browser. */
export interface StartedUnit {
  api: DataModelApi;
  /** The data that the page sends to the service. */
  sent(): Record<string, unknown>;
}

/**
 * Starts the first one of two units.
 * @param cmi the members of the data model that the unit starts with
 */
export function startUnit(version: ScormVersion, cmi: Record<string, unknown>): StartedUnit {
  if (version === '2004') {
    const { api, session } = scorm2004Api({ cmi, units: ['a', 'b'], unit: 'a' }, nothing, nothing);
    return { api, sent: () => session.snapshot().cmi };
  }
  const { api, session } = scorm12Api({ cmi }, nothing);
  const named = {
    Initialize: api.LMSInitialize,
    Terminate: api.LMSFinish,
    GetValue: api.LMSGetValue,
    SetValue: api.LMSSetValue,
    Commit: api.LMSCommit,
    GetLastError: api.LMSGetLastError,
    GetErrorString: api.LMSGetErrorString,
    GetDiagnostic: api.LMSGetDiagnostic,
  };
  return { api: named, sent: () => session.snapshot().cmi };
}

/** The API that the player page gives to such a unit. */
export function startDataModel(version: ScormVersion, cmi: Record<string, unknown>): DataModelApi {
  return startUnit(version, cmi).api;
}

function nothing(): void {}
