type MakeApi<A> = (data: unknown, ...listeners: (() => void)[]) => { api: A };

/** The types of the engine behind these resolve in the UI's own project alone, so that the compiler does not follow. */
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

/** The calls of a course, by the names that SCORM 2004 has for them. */
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

/**
 * The API that the player page gives to the first one of two units, without a browser.
 * @param cmi the members of the data model that the unit starts with
 */
export function startDataModel(version: ScormVersion, cmi: Record<string, unknown>): DataModelApi {
  if (version === '2004') return scorm2004Api({ cmi, units: ['a', 'b'], unit: 'a' }, nothing, nothing).api;
  const { api } = scorm12Api({ cmi }, nothing);
  return {
    Initialize: api.LMSInitialize,
    Terminate: api.LMSFinish,
    GetValue: api.LMSGetValue,
    SetValue: api.LMSSetValue,
    Commit: api.LMSCommit,
    GetLastError: api.LMSGetLastError,
    GetErrorString: api.LMSGetErrorString,
    GetDiagnostic: api.LMSGetDiagnostic,
  };
}

function nothing(): void {}
