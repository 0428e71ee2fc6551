import type { FastifyRequest } from 'fastify';
import { READ_METHODS } from '../../http/read-methods.ts';
import { keepNewest } from '../../keep-newest.ts';
import type { Logger } from '../../observability/log.ts';
import { PROBLEMS, type ProblemCode, type ProblemError } from '../../problems/problem.ts';

/** Maximum number of launches to remember. If there are more, a launch may have a line again. */
const MAX_LAUNCHES = 1_000;
/** Maximum number of lines about a launch, because a course can cause any number of reasons. */
const MAX_REASONS = 5;
/** Maximum length of a reason in the log, because it may quote the report. */
const MAX_REASON_LENGTH = 300;
/** The course can go on after these: nothing is there to read, its condition is not met, or another try may succeed. */
const NO_REJECTIONS: readonly ProblemCode[] = ['not-found', 'precondition-failed', 'too-many-requests'];

/**
 * Logs why reports of courses are rejected, once per launch and reason. The page tells the learner to tell whoever gave
 * them the course that the service rejected one, and nothing else would say why.
 */
export class RejectedReports {
  readonly #log: Logger;
  readonly #reasons = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param request may have no launch, because that could not be read */
  note(problem: ProblemError, request: FastifyRequest): void {
    const { method, routeOptions } = request;
    const { launch }: Partial<Pick<FastifyRequest, 'launch'>> = request;
    if (!launch || READ_METHODS.has(method) || !isRejection(problem)) return;
    const { launchId, registrationId, courseId } = launch;
    const reason = reasonOf(problem).slice(0, MAX_REASON_LENGTH);
    const logged = this.#reasons.get(launchId) ?? new Set();
    if (logged.has(reason) || logged.size >= MAX_REASONS) return;
    this.#reasons.set(launchId, logged.add(reason));
    keepNewest(this.#reasons, MAX_LAUNCHES);
    this.#log.warn('a report of a course was rejected', {
      registration_id: registrationId,
      course_id: courseId,
      path: routeOptions.url,
      reason,
    });
  }
}

/** Whether work may be missing. A problem with a `reason` is one that the page shows, or nothing is missing. */
function isRejection({ code, members }: ProblemError): boolean {
  const { status } = PROBLEMS[code];
  return status >= 400 && status < 500 && !NO_REJECTIONS.includes(code) && members.reason === undefined;
}

/** The rules that the report breaks, member by member, if the problem names members. */
function reasonOf({ errors, message }: ProblemError): string {
  if (errors.length === 0) return message;
  return errors.map(({ pointer, detail }) => `${pointer || 'the body'} ${detail}`).join('; ');
}
