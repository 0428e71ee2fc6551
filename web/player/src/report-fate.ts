import type { Doubt } from './record.ts';
import { isAicc } from './report.ts';
import { isRefusal, reasonOf, statusOf } from './server.ts';

/**
 * The fate of a report. `arrived`: the service has done what the course requested. `repeated`: it refused a statement
 * that repeats a stored one. `ended`: the session of the unit had ended. `refused`: it stored nothing. `lost`: the
 * service may not have received the report.
 */
export type Fate = 'arrived' | 'repeated' | 'ended' | Doubt;

/** A response to a report. */
export interface ReportResponse {
  /** 0 without a response. */
  status: number;
  header(name: string): string | null;
  /** Null if it cannot be read. */
  text: string | null;
}

const VERSION_HEADER = 'x-experience-api-version';
/** The first line of a response of HACP: an error number, which is 0 for a success. */
const HACP_RESULT = /^\s*error\s*=\s*(\d+)/i;
const FORBIDDEN = 403;
/** The course requested a change on a condition that is not met, so nothing was to be stored. */
const PRECONDITION_FAILED = 412;

/** The fate of a report that got this response. Something else may have responded, such as a proxy. */
export function fateOf(url: URL, { status, header, text }: ReportResponse): Fate {
  if (status >= 200 && status < 300) {
    if (!isAicc(url)) return header(VERSION_HEADER) === null ? 'lost' : 'arrived';
    if (text === null) return 'arrived';
    const [, result] = HACP_RESULT.exec(text) ?? [];
    if (result === undefined) return 'lost';
    return Number(result) === 0 ? 'arrived' : 'refused';
  }
  if (!isRefusal(statusOf({ status, type: header('content-type') }))) return 'lost';
  if (status === PRECONDITION_FAILED) return 'arrived';
  const reason = status === FORBIDDEN ? reasonOf(text ?? '') : null;
  if (reason === 'session-ended') return 'ended';
  return reason === 'repeated' ? 'repeated' : 'refused';
}

/** The fate of a report that `fetch` has sent. Nobody has read the response yet, and others can still read it. */
export async function fateOfResponse(url: URL, response: Response): Promise<Fate> {
  const { status, headers } = response;
  const copy = isAicc(url) || status === FORBIDDEN ? response.clone() : null;
  return fateOf(url, {
    status,
    header: (name) => headers.get(name),
    text: copy === null ? null : await copy.text(),
  });
}

/** The fate of a report that an XMLHttpRequest has sent. */
export function fateOfRequest(url: URL, request: XMLHttpRequest): Fate {
  const { status } = request;
  return fateOf(url, {
    status,
    header: (name) => request.getResponseHeader(name),
    text: textOfResponse(request),
  });
}

function textOfResponse(request: XMLHttpRequest): string | null {
  const { responseType } = request;
  if (responseType === 'json') return JSON.stringify(request.response);
  return responseType === '' || responseType === 'text' ? request.responseText : null;
}
