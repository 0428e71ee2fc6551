import type { Call } from './test-case.ts';

/** The result of a call. */
export interface Answer {
  result: string;
  error: string;
}

const MOST_OF_ERROR_TEXT = 255;

/** The difference from the expected result; null if there is none. */
export function faultOf(call: Call, { result, error }: Answer): string | null {
  const said = `${call.method}(${shortened(call.element)}${call.value === '' ? '' : `, ${shortened(call.value)}`})`;
  // The test cases do not cover comments from the LMS. There may be some, none, or no such element.
  if (call.element.startsWith('cmi.comments_from_lms') && !call.element.includes('_children')) return null;
  if (call.error !== null && error !== call.error) {
    return `${said}: error ${error}, expected ${call.error}`;
  }
  if (call.result === null || isEqual(call, result)) return null;
  return `${said}: ${JSON.stringify(shortened(result))}, expected ${JSON.stringify(shortened(call.result))}`;
}

function isEqual({ method, element, result }: Call, got: string): boolean {
  if (method === 'GetDiagnostic') return got.length < MOST_OF_ERROR_TEXT;
  if (result === 'less255' || result?.startsWith('A characterstring value less')) {
    return got.length < MOST_OF_ERROR_TEXT;
  }
  if (result === 'emptyCS' || result?.startsWith('An empty characterstring')) return got === '';
  if (result === null || got === result) return true;
  if (element.endsWith('._children')) return sorted(got) === sorted(result);
  const id = /&(.+)&\.id$/.exec(element)?.[1];
  if (method === 'GetValue' && id !== undefined && result === '') return got === id;
  if (method !== 'GetValue') return false;
  if (got !== '' && result !== '' && Number(got) === Number(result)) return true;
  if (seconds(got) !== null && seconds(got) === seconds(result)) return true;
  if (isMoment(got) && isMoment(result) && Date.parse(got) === Date.parse(result)) return true;
  return inOrder(withoutDefaults(got)) === inOrder(withoutDefaults(result));
}

/** The order of names in a list is not significant. */
function sorted(list: string): string {
  return list.split(',').toSorted().join();
}

/** The seconds of an ISO 8601 duration, with years of 365 and months of 30 days; null if it is invalid. */
function seconds(text: string): number | null {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text);
  if (match === null) return null;
  const units = [31_536_000, 2_592_000, 86_400, 3_600, 60, 1];
  return units.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
}

function isMoment(text: string): boolean {
  return /^\d{4}(?:-\d\d(?:-\d\dT[\d:.]+(?:Z|[+-]\d\d(?::\d\d)?)?)?)?$/.test(text);
}

/** The standard's default and a missing value are equal. */
function withoutDefaults(text: string): string {
  return text.replaceAll(/\{lang=en\}|\{case_matters=false\}|\{order_matters=true\}/g, '');
}

/** The order of marks such as `{case_matters=true}` before a text is not significant. */
function inOrder(text: string): string {
  const marks = /^(?:\{(?:lang|case_matters|order_matters)=[^}]*\})+/.exec(text)?.[0] ?? '';
  return (
    marks
      .split(/(?<=\})/)
      .toSorted()
      .join('') + text.slice(marks.length)
  );
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}
